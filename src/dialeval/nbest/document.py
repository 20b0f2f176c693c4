"""The types of the files and printed results of n-best evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dialeval.data.types import Answer, Context

StimulusKind: TypeAlias = Literal["ENTQ", "CNTQ"]
ListKind: TypeAlias = Literal["ENTQ", "CNTQ", "open"]
"""The kind of stimulus that a list answers; open where no answer is expected."""
Label: TypeAlias = Literal["yes", "no", "ambiguous"]


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A history that the system is taken to have said, and a polar question about it."""

    id: str
    kind: ListKind
    context: Context
    expected: Answer | None

    def json_value(self) -> dict[str, object]:
        """The fields as our files spell them."""
        messages = [{"role": turn.speaker, "content": turn.text} for turn in self.context]
        line: dict[str, object] = {"id": self.id, "kind": self.kind, "context": messages}
        return line if self.expected is None else {**line, "expected": self.expected}


@dataclass(frozen=True, slots=True)
class StimuliSummary:
    """What became of the pairs of a file."""

    pairs: int
    stimuli: Mapping[str, int]
    """How many of each kind were written."""
    excluded: Mapping[str, int]
    """How many pairs each rule left out, a pair counting for the first rule that applies."""
    training: int
    """Contexts with a right and a wrong answer that were written for unlikelihood training."""
    bad_lines: int
    tagger: str
    numbered: int = 0
    """Pairs whose label was a number, read as 0 entailment, 1 neutral, 2 contradiction."""


@dataclass(frozen=True, slots=True)
class NBestInfo:
    """What ``summary.json`` says of a measure over n-best lists beside its scores."""

    measure: str
    stimuli: int
    status: str
    """Who has checked the stimuli."""
    reader: str
    """The signature of what judged the responses."""
    n: int
    """How many responses of each list were looked at, at most."""
    shorter: Mapping[str, int]
    """Number of lists with fewer responses, by system."""
