"""The types of ``meta.json`` and of ``human`` in ``summary.json`` (docs/files.md), built by the computing code.

Undefined numbers are None here and null in the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from dialeval.core import Floats
from dialeval.display.notes import Note
from dialeval.files.documents import FINITE
from dialeval.meta.document.correlated import (
    Ceiling,
    LeftOut,
    Matrix,
    Mean,
    Pairs,
    Points,
    Rivalry,
    Row,
    Split,
    Stability,
    Test,
    TrueMeans,
)
from dialeval.meta.document.estimated import (
    Classical,
    Combined,
    DifferenceEstimate,
    Estimates,
    SystemEstimate,
)
from dialeval.meta.document.planned import (
    Over,
    Planned,
    PowerCurve,
    PowerPoint,
    Unplanned,
    WidthCurve,
    WidthPoint,
)
from dialeval.meta.document.single_answers import GroupTest, InstanceValidation, SystemTest
from dialeval.ratings.joined import Coverage, Unjoined
from dialeval.stats.correlation.bootstrap import Resample
from dialeval.stats.correlation.instability import Five
from dialeval.stats.correlation.levels import LEVELS, Level
from dialeval.stats.estimate import Coefficient

__all__ = [
    "LEVELS",
    "Ceiling",
    "Classical",
    "Coefficient",
    "Combined",
    "Coverage",
    "DifferenceEstimate",
    "Document",
    "Estimates",
    "Five",
    "Floats",
    "GroupTest",
    "Human",
    "InstanceValidation",
    "LeftOut",
    "Level",
    "Matrix",
    "Mean",
    "NotJoined",
    "Over",
    "Pairs",
    "Planned",
    "Points",
    "PowerCurve",
    "PowerPoint",
    "Resample",
    "Rivalry",
    "Row",
    "Settings",
    "Source",
    "Split",
    "Stability",
    "SystemEstimate",
    "SystemTest",
    "Test",
    "TrueMeans",
    "Unjoined",
    "Unplanned",
    "WidthCurve",
    "WidthPoint",
]


@dataclass(frozen=True, slots=True)
class Human:
    """People: how many of them rated what."""

    __pydantic_config__: ClassVar = FINITE

    criterion: str
    raters: int
    ratings: int
    could_not_say: int
    repeated: int
    cells: int
    """How many answers have a rating with a value."""
    items: int
    systems: int
    set_aside: Mapping[str, int]
    """People's judgements on other criteria: how many on each."""
    system_identity: float | None
    """Pearson's pooled correlation of a measure that gave every answer its system's mean rating."""
    system_identity_reason: str | None
    system_identity_by_chance: float | None = None
    """What it would be on average if systems did not differ."""
    system_identity_corrected: float | None = None
    """Without what chance adds."""


@dataclass(frozen=True, slots=True)
class NotJoined:
    """What did not join: counts, and the first answers of items and systems that one side does not know."""

    human: int
    """Answers that people rated and no measure scored."""
    measures: tuple[Coverage, ...]
    unknown: int
    """Answers of an item or a system that the other side does not know."""
    not_rated: int
    """Answers that some measure scored and nobody rated, of items and systems that people know."""
    not_scored: int
    first: tuple[Unjoined, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A file or run folder the judgements came from; a folder by the digest of its results."""

    path: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Settings:
    """All that can move a number here beside the judgements."""

    coefficient: Coefficient
    levels: tuple[Level, ...]
    resample: Resample
    cluster: Literal["dialogue", "none"] | None
    """Whether the turns of a dialogue were resampled together."""
    trials: int
    repeats: int
    seed: int
    level: float
    """The confidence of intervals."""
    lower_is_better: tuple[str, ...]
    """Measures that agree with people where they fall as ratings rise."""
    package: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that was found about measures and people."""

    format: Literal[1]
    rows: tuple[Row, ...]
    human: Human
    ceiling: tuple[Ceiling, ...]
    raters: tuple[LeftOut, ...]
    rivals: tuple[Rivalry, ...]
    correlations: tuple[Matrix, ...]
    instability: tuple[Stability, ...]
    means: tuple[Mean, ...]
    combined: tuple[Combined, ...]
    estimates: tuple[Estimates, ...]
    instances: tuple[InstanceValidation, ...]
    planning: tuple[Planned, ...]
    unjoined: NotJoined
    notes: tuple[Note, ...]
    settings: Settings

    def at(self, level: Level) -> tuple[Row, ...]:
        """The rows of one level, in the order of the measures."""
        return tuple(row for row in self.rows if row.level == level)

    @property
    def main_level(self) -> Level:
        """The level that is spoken of first: of those asked for, the first at which a measure has a correlation."""
        asked = next(level for level in LEVELS if level in self.settings.levels)
        return first_defined(self.rows) or asked


def first_defined(rows: Sequence[Row]) -> Level | None:
    """The first of the levels at which a measure has a correlation: within a system, where there is one."""
    defined = {row.level for row in rows if row.value is not None}
    return next((level for level in LEVELS if level in defined), None)
