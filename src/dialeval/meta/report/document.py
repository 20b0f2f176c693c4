"""What ``meta.json`` and the ``human`` part of ``summary.json`` say, as frozen values (see ``docs/files.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dialeval.meta.report.correlated import Ceiling, LeftOut, Matrix, Mean, Rival, Row, Stability
from dialeval.meta.report.estimated import Combined, Estimates
from dialeval.meta.report.fields import FINITE
from dialeval.meta.report.planned import Planned
from dialeval.meta.report.single_answers import Instances
from dialeval.stats.correlation.bootstrap import Resample
from dialeval.stats.correlation.levels import Level
from dialeval.stats.estimate import Coefficient


@dataclass(frozen=True, slots=True)
class Human:
    """The human side: who rated what."""

    __pydantic_config__: ClassVar = FINITE

    criterion: str
    raters: int
    ratings: int
    could_not_say: int
    repeated: int
    cells: int
    """How many (item, system) pairs have a rating with a value."""
    items: int
    systems: int
    set_aside: dict[str, int]
    """People's judgements on other criteria: how many on each."""
    system_identity: float | None = None
    """The pooled correlation of a measure that knew nothing but which system answered."""
    system_identity_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of an item or a system that the other side does not know."""

    side: str
    """``human``, or the first measure that scored it."""
    item: str
    system: str


@dataclass(frozen=True, slots=True)
class Joint:
    """How far a measure and people speak of the same cells."""

    measure: str
    both: int
    only_human: int
    only_measure: int


@dataclass(frozen=True, slots=True)
class Unjoined:
    """What did not join: counts, and the first of the cells of items and systems that one side does not know."""

    human: int
    """Cells that people rated and no measure scored."""
    measures: tuple[Joint, ...]
    first: tuple[Cell, ...]
    unknown: int | None = None
    """Cells of an item or a system that the other side does not know; documents of earlier versions do not say."""
    not_rated: int | None = None
    """Cells that some measure scored and nobody rated, of items and systems that people know."""
    not_scored: int | None = None


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
    trials: int
    repeats: int
    seed: int
    level: float
    package: str
    sources: tuple[Source, ...]
    lower_is_better: tuple[str, ...] = ()
    """Measures that agree with people where they fall as ratings rise."""
    cluster: Literal["dialogue"] | None = None
    """Whether the turns of a dialogue were resampled together."""


@dataclass(frozen=True, slots=True)
class Document:
    """Everything that was found about measures and people."""

    format: Literal[1]
    rows: tuple[Row, ...]
    human: Human
    ceiling: tuple[Ceiling, ...]
    raters: tuple[LeftOut, ...]
    rivals: tuple[Rival, ...]
    correlations: tuple[Matrix, ...]
    instability: tuple[Stability, ...]
    means: tuple[Mean, ...]
    combined: tuple[Combined, ...]
    estimates: tuple[Estimates, ...]
    unjoined: Unjoined
    notes: tuple[str, ...]
    settings: Settings
    instances: tuple[Instances, ...] = ()
    planning: tuple[Planned, ...] = ()

    def at(self, level: Level) -> tuple[Row, ...]:
        """The rows of one level, in the order of the measures."""
        return tuple(row for row in self.rows if row.level == level)
