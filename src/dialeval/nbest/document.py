"""The types of the files and printed results of n-best evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dialeval.data.types import Answer, Context

StimulusKind: TypeAlias = Literal["ENTQ", "CNTQ"]
Label: TypeAlias = Literal["yes", "no", "ambiguous"]


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A history that the system is taken to have said, and a polar question about it."""

    id: str
    kind: StimulusKind
    context: Context
    expected: Answer

    def json_value(self) -> dict[str, object]:
        """The fields as our files spell them."""
        messages = [{"role": turn.speaker, "content": turn.text} for turn in self.context]
        return {"id": self.id, "kind": self.kind, "context": messages, "expected": self.expected}


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
