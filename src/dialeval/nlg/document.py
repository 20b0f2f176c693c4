"""The types of the JSON of slot errors: what became of every slot, and what a study says of it (docs/files.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from dialeval.display.notes import Note
from dialeval.files.documents import FINITE

Outcome: TypeAlias = Literal["said", "missing", "wrong", "added", "repeated"]


class Span(NamedTuple):
    """Words of a sentence, from character ``start`` up to ``end``."""

    start: int
    end: int
    text: str


class Finding(NamedTuple):
    """What became of one slot."""

    slot: str
    value: str
    """What the act has; of an added slot, what was said."""
    outcome: Outcome
    spans: tuple[Span, ...] = ()
    """The words that show it: what was said rightly, wrongly, additionally or again."""


@dataclass(frozen=True, slots=True)
class ItemFindings:
    """What became of every slot of one response's act."""

    id: str
    system: str
    act: str
    """As it was written."""
    response: str
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many slots are not said as they should be."""
        return sum(finding.outcome != "said" for finding in self.findings)


@dataclass(frozen=True, slots=True)
class SlotCounts:
    """How often a system said a slot rightly, and how often not."""

    system: str
    slot: str
    needed: int
    """How often acts have the slot."""
    said: int
    missing: int
    wrong: int
    added: int
    repeated: int


@dataclass(frozen=True, slots=True)
class SlotsInfo:
    """What a study says of a measure of slot errors."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    status: str
    references: float | None
    """The references' own slot error rate; None where there are none."""
    notes: tuple[Note, ...]
    counts: tuple[SlotCounts, ...]
    """Of the profile dialeval; none under another, whose rate they would not add up to."""
    items: tuple[ItemFindings, ...]
    """The sentences that are shown: those with most errors of each system."""
