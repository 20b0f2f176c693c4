"""Agreement of measures with people, and of people with people."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from dialeval.core import Floats
from dialeval.display.notes import Note
from dialeval.files.documents import FINITE
from dialeval.stats.correlation.instability import Five
from dialeval.stats.correlation.levels import Level
from dialeval.stats.estimate import Coefficient

Split: TypeAlias = Literal["raters", "ratings"]
"""What is split into halves: the raters, or the ratings of each answer, by whatever rater."""

_LEVEL_OF: Final[Mapping[str, Level]] = {
    "pairwise_accuracy": "system",
    "soft_pairwise_accuracy": "system",
    "acc_eq": "system_within_item",
    "tie_epsilon": "system_within_item",
    "true_means": "system",
}
"""Fields that only the rows of one level have."""


Test: TypeAlias = Literal["swapped_items", "swapped_systems", "jackknife"]
"""What decides between two measures: swapping them item by item or system by system (PERM-INPUTS, PERM-SYSTEMS), or
Student's t with the jackknife's error over items and systems, as what is resampled asks for."""


@dataclass(frozen=True, slots=True)
class TrueMeans:
    """Pearson's correlation of these systems' true means, freed from the noise of few items."""

    __pydantic_config__: ClassVar = FINITE

    pearson: float | None
    """None, as all but ``items``, where there is a reason."""
    low: float | None
    """Bounds for other items and these very systems."""
    high: float | None
    reliability_human: float | None
    """Share of the spread of people's means that is not noise."""
    reliability_measure: float | None
    items: int
    """Those that all systems have."""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One measure at one level: coefficients, an interval, and notes on them."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rater: str
    criterion: str
    level: Level
    pearson: float | None
    """None where undefined, with the reason among the warnings."""
    spearman: float | None
    kendall: float | None
    """Tau-b."""
    p: Mapping[Coefficient, float | None]
    """Two-sided p-values; none for means over groups.

    At level ``item`` they take several systems' answers to one item to be independent, and are too small where they are
    not: the interval, which resamples whole items, does not.
    """
    coefficient: Coefficient
    """The one that ``low``, ``high`` and ``cluster`` are about."""
    low: float | None
    """None at level ``system`` where items are resampled: ``true_means`` has the interval."""
    high: float | None
    n: int
    """Points correlated: systems at level ``system``, answers elsewhere."""
    systems: int
    items: int
    groups: int | None
    """How many systems or items have a coefficient of their own or should have; None where they have none."""
    undefined: int
    """How many of these are left out of the mean because theirs is undefined."""
    cluster: int | None = None
    """The rank group: 1 for the best measures at this level; equal where they do not differ significantly."""
    warnings: tuple[Note, ...] = ()
    pairwise_accuracy: float | None = None
    """At level ``system``: how often two systems' means are in people's order."""
    soft_pairwise_accuracy: float | None = None
    acc_eq: float | None = None
    """At level ``system_within_item``: how often two answers are in people's order, or tied as theirs are."""
    tie_epsilon: float | None = None
    """The difference up to which the measure's values count as tied there."""
    design_effect: float | None = None
    """Where whole dialogues are left out: the variance that way over the variance item by item."""
    true_means: TrueMeans | None = None
    """At level ``system``, where items are resampled."""

    @property
    def value(self) -> float | None:
        """The coefficient that was asked for."""
        return self.of(self.coefficient)

    def of(self, coefficient: Coefficient) -> float | None:
        """That coefficient."""
        return {"pearson": self.pearson, "spearman": self.spearman, "kendall": self.kendall}[coefficient]

    def json_value(self) -> Mapping[str, object]:
        """The fields that rows of this level have."""
        names = [field.name for field in dataclasses.fields(self)]
        return {name: getattr(self, name) for name in names if _LEVEL_OF.get(name, self.level) == self.level}


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How well one half of the people agrees with the other at one level, over random halves."""

    __pydantic_config__: ClassVar = FINITE

    level: Level
    coefficient: Coefficient
    mean: float | None
    """Over the repeats; None where there is a reason."""
    low: float | None
    """Bounds of the mean for other items, or dialogues; None over systems and where there are too few."""
    high: float | None
    corrected: float | None
    """What two groups as large as all raters would reach; for equal halves 2r / (1 + r)."""
    repeats: int
    raters: int
    split: Split
    reason: str | None = None
    five: Five | None = None
    """The repeats as a box plot shows them."""
    n: int = 0
    """Points correlated in the median repeat: systems at level ``system``, answers that both halves rated elsewhere."""
    bound: float | None = None
    """What a perfect measure would reach against the mean of all raters, the root of ``corrected``."""
    uncorrected: str | None = None
    """Why there is neither ``corrected`` nor ``bound``, though there is a mean."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How well one rater agrees with the mean of all others, over the answers of that rater."""

    __pydantic_config__: ClassVar = FINITE

    rater: str
    level: Level
    coefficient: Coefficient
    value: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Rivalry:
    """Two measures' correlations with people at one level, over the answers that all three have."""

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    level: Level
    coefficient: Coefficient
    value_a: float | None
    value_b: float | None
    n: int
    """Points correlated: systems at level ``system``, answers elsewhere."""
    difference: float | None = None
    """a's coefficient minus b's; None where one of them is undefined."""
    low: float | None = None
    """Bounds of the difference; none at level ``system`` where items are resampled."""
    high: float | None = None
    p_williams: float | None = None
    """Williams' test of two correlations that share the human ratings; none where a level averages many, nor of tau."""
    p_permutation: float | None = None
    """Scores swapped between the measures, whole items or systems at a time (Deutsch, Dror and Roth, 2021)."""
    p_adjusted: float | None = None
    """That of the test that decides, after Holm's correction over all pairs at this level."""
    significant: bool = False
    p_error: float | None = None
    """The standard error of ``p_permutation``, which more permutations would lower; 0 where all were tried."""
    cells: int = 0
    """Answers that people and both measures have; at every level, these alone are compared."""
    only_a: int = 0
    """Answers that people and a have and b has not: they count in a's row and not here."""
    only_b: int = 0
    on_edge: bool = False
    """Whether the verdict is borderline: two standard errors of the p-values, up or down, would change it."""
    p_jackknife: float | None = None
    """Student's t test with the jackknife's error over what is resampled."""
    test: Test = "swapped_items"
    """The one that decides."""

    @property
    def better(self) -> str | None:
        """The measure that agrees significantly better with people; None where none does."""
        if not self.significant or not self.difference:
            return None
        return self.a if self.difference > 0 else self.b


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
    """One system's mean human rating and mean value under a measure, over the answers both have."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    system: str
    human: float | None
    value: float | None
    n: int


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """One system's answers under one measure: people's mean ratings, and the measure's values beside them."""

    human: Floats
    value: Floats


Points: TypeAlias = Mapping[tuple[str, str], Pairs]
"""What scatter plots show, and ``points.parquet`` holds: answers by measure and system."""
