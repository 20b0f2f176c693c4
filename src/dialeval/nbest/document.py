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
class NBestResult:
    """Certainty and Variety of one system's lists of one kind, at one list size."""

    system: str
    kind: ListKind
    size: int
    """How many responses of each list were looked at, at most."""
    certainty: float | None
    """Null where every list was left out."""
    certainty_interval: tuple[float, float] | None
    variety: float | None
    """Null where no list has a consistent response."""
    variety_interval: tuple[float, float] | None
    n: int
    """Lists that count for Certainty."""
    with_consistent: int
    """Those of them that have a consistent response, and count for Variety."""
    excluded: int
    """Lists that were left out."""
    reasons: Mapping[str, int]
    """Why they were left out."""
    shorter: int
    """Lists that count and have fewer responses than ``size``."""


@dataclass(frozen=True, slots=True)
class NBestDocument:
    """What ``dialeval nbest measure`` found."""

    results: tuple[NBestResult, ...]
    curves: tuple[NBestResult, ...]
    """The same at several list sizes."""
    reader: str
    """The signature of what judged the responses."""
    confidence: float
    sources: Mapping[str, str]
    """Each file that was read, with its sha256."""
    notes: tuple[str, ...] = ()
    """What a reader should know before comparing the results."""


@dataclass(frozen=True, slots=True)
class NBestInfo:
    """What ``summary.json`` says of a measure over n-best lists beside its score."""

    measure: str
    stimuli: int
    status: str
    """Who has checked the stimuli."""
    reader: str
    results: tuple[NBestResult, ...]
    curves: tuple[NBestResult, ...]
