"""What ``meta.json`` and the ``human`` part of ``summary.json`` say, as frozen values (see ``docs/files.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from dialeval.stats.correlation_bootstrap import Resample
from dialeval.stats.estimate import Coefficient as Coefficient
from dialeval.stats.levels import Level as Level

Five: TypeAlias = tuple[float, float, float, float, float]
"""Least value, first quartile, median, third quartile, greatest value."""

FINITE: Final = {"allow_inf_nan": False}
"""For pydantic, which reads these values: no number is written null, never NaN."""


@dataclass(frozen=True, slots=True)
class Row:
    """How one measure agrees with people at one level."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rater: str
    criterion: str
    level: Level
    pearson: float | None
    spearman: float | None
    kendall: float | None
    p: dict[Coefficient, float | None]
    low: float | None
    high: float | None
    coefficient: Coefficient
    n: int
    systems: int
    items: int
    groups: int | None
    undefined: int
    cluster: int | None
    warnings: tuple[str, ...]
    pairwise_accuracy: float | None = None
    """At level ``system``: how often two systems' means are in people's order."""
    soft_pairwise_accuracy: float | None = None
    acc_eq: float | None = None
    """At level ``system_within_item``: how often two answers are in people's order, or tied as theirs are."""
    tie_epsilon: float | None = None
    """The difference up to which the measure's values count as tied there."""


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
class Ceiling:
    """How well one half of the people agrees with the other at one level, over random halves."""

    __pydantic_config__: ClassVar = FINITE

    level: Level
    coefficient: Coefficient
    mean: float | None
    low: float | None
    high: float | None
    corrected: float | None
    """What two groups as large as all raters would reach, by the formula of Spearman and Brown."""
    repeats: int
    raters: int
    split: Literal["raters", "ratings"]
    """What fell into halves: the raters, or the ratings of each cell."""
    reason: str | None
    five: Five | None = None
    n: int = 0
    """Points correlated in the middling repeat."""
    bound: float | None = None
    """What a perfect measure would reach against the mean of all raters, the root of ``corrected``."""
    uncorrected: str | None = None
    """Why there is a mean and nothing corrected."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How well one rater agrees with the mean of all others."""

    __pydantic_config__: ClassVar = FINITE

    rater: str
    level: Level
    coefficient: Coefficient
    value: float | None
    n: int
    reason: str | None


@dataclass(frozen=True, slots=True)
class Rival:
    """Two measures at one level: whose correlation with people is higher, and how surely."""

    __pydantic_config__: ClassVar = FINITE

    level: Level
    a: str
    b: str
    coefficient: Coefficient
    value_a: float | None
    value_b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_williams: float | None
    p_permutation: float | None
    p_adjusted: float | None
    significant: bool
    n: int
    p_error: float | None = None
    """The standard error of ``p_permutation`` for want of more permutations."""
    cells: int = 0
    """Cells that people and both measures have."""
    only_a: int = 0
    """Cells that people and a have and b has not."""
    only_b: int = 0


@dataclass(frozen=True, slots=True)
class Matrix:
    """Correlations of people and all measures with each other at one level."""

    __pydantic_config__: ClassVar = FINITE

    level: Level
    coefficient: Coefficient
    names: tuple[str, ...]
    """``human`` first."""
    values: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Stability:
    """A measure's system-level correlation over many small test sets drawn from the items."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    coefficient: Coefficient
    size: int | None
    """Items in each test set."""
    trials: int
    undefined: int
    """Test sets without a correlation, because a side was constant on them."""
    five: Five | None
    whole: float | None
    """On all items."""


@dataclass(frozen=True, slots=True)
class Mean:
    """One system's mean human rating and mean value under a measure, over the cells both have."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    system: str
    human: float | None
    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Classical:
    """The mean of the ratings alone."""

    __pydantic_config__: ClassVar = FINITE

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    n: int | None = None
    """How many ratings there are, those of answers without a score among them."""


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """A system's mean human rating over all items, from a rated part and a measure's values for the rest."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    value: float | None
    low: float | None
    high: float | None
    error: float | None
    tuning: float | None
    n: int
    n_unrated: int
    effective_n: float | None
    """How many ratings would have given this error without the measure."""
    classical: Classical
    p_shift: float | None
    warnings: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """The difference between two systems' mean human ratings, estimated in the same way."""

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    value: float | None
    low: float | None
    high: float | None
    error: float | None
    tuning: float | None
    n: int
    n_unrated: int
    effective_n: float | None
    classical: Classical
    paired: bool
    p: float | None
    p_adjusted: float | None
    higher: str | None
    warnings: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Estimates:
    """Mean ratings of all systems, with one measure to stand in for ratings."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rater: str
    criterion: str
    level: float
    note: str
    systems: tuple[SystemEstimate, ...]
    differences: tuple[DifferenceEstimate, ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """A measure made of the others, whose rows stand among theirs."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    fitted: bool
    """Whether ratings were used; then every value is a prediction for an item that was held out."""
    weights: dict[str, float]
    held_out: str | None = None
    """What no fit had seen of the answers it predicts: their items, or their items and systems."""


@dataclass(frozen=True, slots=True)
class InstanceTest:
    """One system's answers that a measure calls right, against those it calls wrong."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    right: int
    wrong: int
    left_out: int
    mean_right: float | None
    mean_wrong: float | None
    statistic: float | None
    df: float | None
    p: float | None
    p_adjusted: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Instances:
    """For how many systems people rate the answers higher that a measure calls right."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rule: str
    criterion: str
    test: Literal["welch", "student", "fisher"]
    alternative: Literal["greater", "less"]
    alpha: float
    systems: tuple[InstanceTest, ...]
    tested: int
    significant: int
    significant_adjusted: int


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

    def at(self, level: Level) -> tuple[Row, ...]:
        """The rows of one level, in the order of the measures."""
        return tuple(row for row in self.rows if row.level == level)
