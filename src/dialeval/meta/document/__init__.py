"""Types of ``meta.json`` and of ``human`` in ``summary.json`` (docs/files.md), built by the computing code."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from dialeval.core import Floats as Floats
from dialeval.display.notes import Note
from dialeval.files.documents import FINITE
from dialeval.judge.document import BesidePeople
from dialeval.meta.document.few_ratings import (
    Combined as Combined,
    DifferenceEstimate as DifferenceEstimate,
    Estimates as Estimates,
    Over as Over,
    Planned as Planned,
    PowerCurve as PowerCurve,
    PowerPoint as PowerPoint,
    SystemEstimate as SystemEstimate,
    Unplanned as Unplanned,
    WidthCurve as WidthCurve,
    WidthPoint as WidthPoint,
)
from dialeval.ratings.joined import Coverage, Unjoined
from dialeval.stats.estimate import (
    LEVELS as LEVELS,
    Coefficient as Coefficient,
    Estimate,
    Five as Five,
    Level as Level,
    Resample as Resample,
)

Split: TypeAlias = Literal["raters", "ratings"]
"""Unit that is split into halves: the raters, or the ratings of each answer, by whatever rater."""

_LEVEL_OF: Final[Mapping[str, Level]] = {
    "pairwise_accuracy": "system",
    "soft_pairwise_accuracy": "system",
    "acc_eq": "system_within_item",
    "tie_epsilon": "system_within_item",
    "true_means": "system",
    "items_measure": "system",
}
"""Fields that only the rows of one level have."""


Test: TypeAlias = Literal["swapped_items", "swapped_systems", "jackknife"]
"""Test of two measures: swapping them item by item or system by system (PERM-INPUTS, PERM-SYSTEMS), or
Student's t with the jackknife's error over items and systems, as what is resampled asks for."""


@dataclass(frozen=True, slots=True)
class TrueMeans:
    """Pearson's correlation of these systems' true means, freed from the noise of few items."""

    __pydantic_config__: ClassVar = FINITE

    pearson: Estimate
    """Over systems, with an interval for other items and these very systems."""
    reliability_human: float | None
    """Share of the spread of people's means that is not noise; None, as the next, if the correlation is undefined."""
    reliability_measure: float | None
    items: int
    """Items that people rated of every system."""
    items_measure: int | None = None
    """Items that the measure scored of every system; 1 is one score per system, taken as given."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure at one level: coefficients, an interval, and notes on them."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rater: str
    criterion: str
    level: Level
    pearson: float | None
    """None if undefined, with the reason among the warnings."""
    spearman: float | None
    kendall: float | None
    """Tau-b."""
    p: Mapping[Coefficient, float | None]
    """Two-sided p-values; none for means over groups.

    At level ``item`` they take several systems' answers to one item to be independent, and are too small if they are
    not: ``p_test``, as the interval, does not.
    """
    coefficient: Coefficient
    """The one that ``estimate`` and ``cluster`` are about."""
    estimate: Estimate
    """Over the points correlated: systems at level ``system``, answers elsewhere.

    It has no interval at level ``system`` if items are resampled: ``true_means`` has it.
    """
    systems: int
    items: int
    """Items that both sides have; at level ``system`` those that people rated."""
    groups: int | None
    """Number of systems or items that have a coefficient of their own or should have; None if they have none."""
    undefined: int
    """Number of these that are left out of the mean because theirs is undefined."""
    cluster: int | None = None
    """The rank group: 1 for the best measures at this level; equal if they do not differ significantly."""
    warnings: tuple[Note, ...] = ()
    pairwise_accuracy: float | None = None
    """At level ``system``: how often two systems' means are in people's order."""
    soft_pairwise_accuracy: float | None = None
    acc_eq: float | None = None
    """At level ``system_within_item``: how often two answers are in people's order, or tied as theirs are."""
    tie_epsilon: float | None = None
    """The difference up to which the measure's values count as tied there."""
    design_effect: float | None = None
    """If whole dialogues are left out: the variance that way over the variance item by item."""
    true_means: TrueMeans | None = None
    """At level ``system``, if items are resampled."""
    items_measure: int | None = None
    """At level ``system``: items that the measure scored."""
    p_test: float | None = None
    """Two-sided p-value of ``estimate``, which is below alpha where the interval excludes 0.

    It is by Student's t test with the jackknife's error on Fisher's scale, or the coefficient's own of ``p`` where
    there is no interval: over systems if items are resampled.
    """
    p_adjusted: float | None = None
    """``p_test`` after Holm's correction over the measures at this level."""

    @property
    def value(self) -> float | None:
        """The coefficient that was asked for."""
        return self.estimate.value

    def of(self, coefficient: Coefficient) -> float | None:
        """That coefficient."""
        return {"pearson": self.pearson, "spearman": self.spearman, "kendall": self.kendall}[coefficient]

    def json_value(self) -> Mapping[str, object]:
        """The fields that rows of this level have."""
        names = [field.name for field in dataclasses.fields(self)]
        return {name: getattr(self, name) for name in names if _LEVEL_OF.get(name, self.level) == self.level}


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Agreement of one half of the people with the other at one level, over random halves."""

    __pydantic_config__: ClassVar = FINITE

    level: Level
    coefficient: Coefficient
    mean: Estimate
    """Over the repeats, with an interval for other items, or dialogues; none over systems and if there are too few.

    Its ``n`` is the number of points correlated in the median repeat: systems at level ``system``, answers that both
    halves rated elsewhere.
    """
    corrected: float | None
    """Agreement that two groups as large as all raters would reach; for equal halves 2r / (1 + r)."""
    repeats: int
    raters: int
    split: Split
    five: Five | None = None
    """The repeats as a box plot shows them."""
    bound: float | None = None
    """Correlation that a perfect measure would reach against the mean of all raters, the root of ``corrected``."""
    uncorrected: str | None = None
    """Why there is neither ``corrected`` nor ``bound``, though there is a mean."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Agreement of one rater with the mean of all others, over the answers of that rater."""

    __pydantic_config__: ClassVar = FINITE

    rater: str
    level: Level
    coefficient: Coefficient
    value: float | None
    n: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Rivalry:
    """Two measures' correlations with people at one level, over the answers that all three have.

    At level ``system`` people's means are over all answers that they rated, and both measures' over the answers that
    both scored.
    """

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    level: Level
    coefficient: Coefficient
    value_a: float | None
    value_b: float | None
    difference: Estimate
    """a's coefficient minus b's, over the points correlated: systems at level ``system``, answers elsewhere.

    It has no interval at level ``system`` if items are resampled.
    """
    p_williams: float | None = None
    """Williams' test of two correlations that share the human ratings; none if a level averages many, nor of tau."""
    p_permutation: float | None = None
    """Scores swapped between the measures, whole items or systems at a time (Deutsch, Dror and Roth, 2021)."""
    p_adjusted: float | None = None
    """That of the test that decides, after Holm's correction over all pairs at this level."""
    significant: bool = False
    p_error: float | None = None
    """The standard error of ``p_permutation``, which more permutations would lower; 0 if all were tried."""
    cells: int = 0
    """Answers that people and both measures have, at level ``system`` that both measures have: these are compared."""
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
        """The measure that agrees significantly better with people; None if none does."""
        if not self.significant or not self.difference.value:
            return None
        return self.a if self.difference.value > 0 else self.b


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
    """One system's mean human rating over all its rated answers, and mean value over all that a measure scored."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    system: str
    human: float | None
    value: float | None
    n: int
    """Answers that people rated."""
    scored: int | None = None
    """Answers that the measure scored."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """One system's answers under one measure: people's mean ratings, and the measure's values beside them."""

    human: Floats
    value: Floats


Points: TypeAlias = Mapping[tuple[str, str], Pairs]
"""Points of scatter plots and of ``points.parquet``: answers by measure and system."""


GroupTest: TypeAlias = Literal["welch", "student", "fisher"]


@dataclass(frozen=True, slots=True)
class SystemTest:
    """One system: ratings of its answers to the items a measure calls right, against those it calls wrong."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    right: int
    """Rated answers that the measure calls right."""
    wrong: int
    left_out: int
    """Rated answers without a verdict, verdicts without a rating, and raters who were evenly split."""
    mean_right: float | None
    """Mean rating, or share of yes; None if there is none."""
    mean_wrong: float | None
    statistic: float | None
    """t, or the odds ratio of Fisher's test, which may be infinite; None if it could not be tested."""
    df: float | None
    """Degrees of freedom of t; None for Fisher's test."""
    p: float | None
    """One-tailed; None if it could not be tested."""
    p_adjusted: float | None
    """After Holm's correction over the systems that were tested."""
    reason: str | None
    """Why this system could not be tested."""

    @property
    def difference(self) -> float | None:
        """Mean where right minus mean where wrong."""
        if self.mean_right is None or self.mean_wrong is None:
            return None
        return self.mean_right - self.mean_wrong


@dataclass(frozen=True, slots=True)
class InstanceValidation:
    """For how many systems a measure tells well-rated answers from badly rated ones."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rule: str
    criterion: str
    test: GroupTest
    alternative: Literal["greater", "less"]
    """Which way the ratings should lie where the measure says right."""
    alpha: float
    systems: tuple[SystemTest, ...]

    @property
    def tested(self) -> int:
        """Number of systems that could be tested."""
        return sum(system.reason is None for system in self.systems)

    @property
    def significant(self) -> int:
        """Number of systems that reach alpha, each taken alone, as Sato (2024) counts them."""
        return sum(system.p is not None and system.p < self.alpha for system in self.systems)

    @property
    def significant_adjusted(self) -> int:
        """Number of systems that reach alpha after Holm's correction."""
        adjusted = (system.p_adjusted for system in self.systems)
        return sum(p is not None and p < self.alpha for p in adjusted)

    @property
    def verdict(self) -> str:
        """Finding in a sentence."""
        untested = len(self.systems) - self.tested
        rest = f"; {untested} could not be tested" if untested else ""
        way = "higher" if self.alternative == "greater" else "lower"
        return (
            f"{self.criterion} is significantly {way} where {self.rule} for {self.significant} of {self.tested} "
            f"systems at {self.alpha:g} ({self.significant_adjusted} after Holm's correction){rest}."
        )

    def json_value(self) -> Mapping[str, object]:
        """The fields, and the counts."""
        counts = ("tested", "significant", "significant_adjusted")
        names = [field.name for field in dataclasses.fields(self)]
        return {name: getattr(self, name) for name in (*names, *counts)}


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
    """Number of answers that have a rating with a value."""
    items: int
    systems: int
    set_aside: Mapping[str, int]
    """People's judgements on other criteria: how many on each."""
    system_identity: float | None
    """Pearson's pooled correlation of a measure that gave every answer its system's mean rating."""
    system_identity_reason: str | None
    system_identity_by_chance: float | None = None
    """Its mean if systems did not differ."""
    system_identity_corrected: float | None = None
    """Without what chance adds."""


@dataclass(frozen=True, slots=True)
class NotJoined:
    """Answers that did not join: counts, and the first answers of items and systems that one side does not know."""

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
    """Measures that agree with people if they fall as ratings rise."""
    package: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """One measure beside people."""

    measure: str
    people: BesidePeople


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
    trust: tuple[Standing, ...] = ()
    """What judges, or all measures if asked for, may be trusted with; no key of the file if there are none."""

    def json_value(self) -> Mapping[str, object]:
        """The fields that the file holds."""
        names = [field.name for field in dataclasses.fields(self)]
        return {name: getattr(self, name) for name in names if name != "trust" or self.trust}

    def at(self, level: Level) -> tuple[Row, ...]:
        """The rows of one level, in the order of the measures."""
        return tuple(row for row in self.rows if row.level == level)

    @property
    def main_level(self) -> Level:
        """The level that is spoken of first: of those asked for, the first at which a measure has a correlation."""
        asked = next(level for level in LEVELS if level in self.settings.levels)
        return first_defined(self.rows) or asked


def first_defined(rows: Sequence[Row]) -> Level | None:
    """The first of the levels at which a measure has a correlation: within a system, if there is one."""
    defined = {row.level for row in rows if row.value is not None}
    return next((level for level in LEVELS if level in defined), None)
