"""How measures agree with people, and people with people, as a document says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dialeval.meta.report.fields import FINITE, Five
from dialeval.stats.correlation.levels import Level
from dialeval.stats.estimate import Coefficient


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
    on_edge: bool = False
    """Whether two standard errors of the p-values, up or down, would turn the verdict."""


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
