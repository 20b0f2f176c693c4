"""Is a measure right about single items? People's ratings where it says right against those where it says wrong.

A measure may rank systems well and yet know nothing about which of a system's answers are good. So each system is
looked at alone: are its answers rated higher on the items the measure calls right (Sato, 2024, section 3.5)?
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.errors import DialevalError, Unsuitable
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.tests.contingency import fisher_exact
from dialeval.stats.tests.multiple import holm
from dialeval.stats.tests.t_tests import student_t, welch_t

GroupTest: TypeAlias = Literal["welch", "student", "fisher"]
Threshold: TypeAlias = float | Literal["median"]


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """What a measure says of each answer."""

    rule: str
    """What counts as right, in words: ``rouge_l >= 0.21``."""
    right: Floats
    """Shape (systems, items): 1 where right, 0 where wrong, NaN where the measure has no value."""


@dataclass(frozen=True, slots=True)
class SystemTest:
    """One system: ratings of its answers to the items a measure calls right, against those it calls wrong."""

    system: str
    right: int
    """Rated answers that the measure calls right."""
    wrong: int
    left_out: int
    """Rated answers without a verdict, verdicts without a rating, and raters who were evenly split."""
    mean_right: float
    """Mean rating, or share of yes; NaN where there is none."""
    mean_wrong: float
    statistic: float
    """t, or the odds ratio of Fisher's test; NaN where it could not be tested."""
    df: float
    """Degrees of freedom of t; NaN for Fisher's test."""
    p: float
    """One-tailed; NaN where it could not be tested."""
    p_adjusted: float
    """After Holm's correction over the systems that were tested."""
    reason: str | None
    """Why this system could not be tested."""

    @property
    def difference(self) -> float:
        """Mean where right minus mean where wrong."""
        return self.mean_right - self.mean_wrong


@dataclass(frozen=True, slots=True)
class InstanceValidation:
    """For how many systems a measure tells well-rated answers from badly rated ones."""

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
        """How many systems could be tested."""
        return sum(system.reason is None for system in self.systems)

    @property
    def significant(self) -> int:
        """How many systems reach alpha, each taken alone, as Sato (2024) counts them."""
        return sum(system.p < self.alpha for system in self.systems)

    @property
    def significant_adjusted(self) -> int:
        """How many reach alpha after Holm's correction."""
        return sum(system.p_adjusted < self.alpha for system in self.systems)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence."""
        untested = len(self.systems) - self.tested
        rest = f"; {untested} could not be tested" if untested else ""
        way = "higher" if self.alternative == "greater" else "lower"
        return (
            f"{self.criterion} is significantly {way} where {self.rule} for {self.significant} of {self.tested} "
            f"systems at {self.alpha:g} ({self.significant_adjusted} after Holm's correction){rest}."
        )


def verdicts_of(
    measure: MeasureGrid, *, threshold: Threshold | None = None, lower_is_right: bool = False
) -> Verdicts:
    """What a measure says of each answer: as it stands if it says 0 or 1, else by a threshold.

    Right is at or above the threshold, with ``lower_is_right`` at or below it. ``"median"`` is that of all the
    measure's values, over all systems.
    """
    values = measure.values
    defined = values[~np.isnan(values)]
    if threshold is None:
        if not np.isin(defined, (0, 1)).all():
            odd = defined[~np.isin(defined, (0, 1))][0]
            raise DialevalError(
                f"{measure.name} does not say right or wrong: found the value {odd:g}, needed 0 or 1. "
                "Give a threshold from which a value counts as right, such as 'median'."
            )
        threshold = 0 if lower_is_right else 1
        rule = f"{measure.name} = {threshold}"
    else:
        if threshold == "median":
            threshold = float(np.median(defined)) if defined.size else math.nan
        rule = f"{measure.name} {'<=' if lower_is_right else '>='} {threshold:.4g}"
    right = values <= threshold if lower_is_right else values >= threshold
    return Verdicts(rule, np.where(np.isnan(values), np.nan, right))


def validate_instances(
    joined: Joined,
    measure: str,
    *,
    threshold: Threshold | None = None,
    lower_is_right: bool = False,
    test: GroupTest | None = None,
    alternative: Literal["greater", "less"] = "greater",
    alpha: float = 0.05,
) -> InstanceValidation:
    """Each system's answers that the measure calls right and wrong, and whether people rate the former higher.

    Ratings are compared by a one-tailed t test (Welch's, or Student's), yes/no labels by Fisher's exact test, each
    system alone (Sato, 2024, section 3.5, who writes "one-tailed t-test" without naming which). Without ``test``,
    labels are tested by Fisher's where every rater said 0 or 1, and ratings by Welch's elsewhere. A label is what most
    raters of the answer said. ``alternative="less"`` is for criteria on which lower is better.
    """
    scored = joined.measure_named(measure)
    split = verdicts_of(scored, threshold=threshold, lower_is_right=lower_is_right)
    labelled = bool(np.isin(joined.people.value, (0, 1)).all())
    if test == "fisher" and not labelled:
        raise Unsuitable(
            f"Fisher's test compares yes/no labels, and {joined.criterion!r} holds other values than 0 and 1. "
            "Use test='welch'."
        )
    chosen: GroupTest = test or ("fisher" if labelled else "welch")
    human = _majority(joined.human.values) if chosen == "fisher" else joined.human.values
    tests = [
        _tested(system, human[at], split.right[at], chosen, alternative)
        for at, system in enumerate(joined.systems)
    ]
    adjusted = holm([one.p for one in tests]).tolist()
    return InstanceValidation(
        measure=scored.name,
        rule=split.rule,
        criterion=joined.criterion,
        test=chosen,
        alternative=alternative,
        alpha=alpha,
        systems=tuple(replace(one, p_adjusted=p) for one, p in zip(tests, adjusted, strict=True)),
    )


def _majority(means: Floats) -> Floats:
    """What most raters said, from the share who said yes; NaN where they were evenly split."""
    return np.where(np.isnan(means) | (means == 0.5), np.nan, means > 0.5)


def _tested(
    system: str, human: Floats, right: Floats, test: GroupTest, alternative: Literal["greater", "less"]
) -> SystemTest:
    both = ~np.isnan(human) & ~np.isnan(right)
    either = ~np.isnan(human) | ~np.isnan(right)
    high, low = human[both & (right == 1)], human[both & (right == 0)]
    reason = _untestable(high, low, test)
    statistic = df = p = math.nan
    if reason is None and test == "fisher":
        table = [[int(high.sum()), int((1 - high).sum())], [int(low.sum()), int((1 - low).sum())]]
        statistic, p = fisher_exact(np.array(table), alternative)
    elif reason is None:
        found = (welch_t if test == "welch" else student_t)(high, low, alternative=alternative)
        statistic, df, p, reason = found.t, found.df, found.p, found.reason
    return SystemTest(
        system=system,
        right=len(high),
        wrong=len(low),
        left_out=int((either & ~both).sum()),
        mean_right=_mean(high),
        mean_wrong=_mean(low),
        statistic=statistic,
        df=df,
        p=p,
        p_adjusted=math.nan,
        reason=reason,
    )


def _untestable(high: Floats, low: Floats, test: GroupTest) -> str | None:
    if not len(high) and not len(low):
        return "no answer has both a rating and a verdict"
    if not len(high) or not len(low):
        only, count = ("right", len(high)) if len(high) else ("wrong", len(low))
        return f"the measure calls every rated answer {only} ({count})"
    if test == "fisher":
        together = np.concatenate([high, low])
        same = together.min() == together.max()
        return f"all {len(together)} labels are {together[0]:g}" if same else None
    return None


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan
