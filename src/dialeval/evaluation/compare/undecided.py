"""Consequences of the spread of a difference before any test decides."""

from __future__ import annotations

import math
from typing import NamedTuple

from dialeval.core import Resampling, Result
from dialeval.evaluation.compare.comparison import Basis, Comparison, MoreItems
from dialeval.evaluation.compare.pairs import system_of
from dialeval.files.documents import finite
from dialeval.stats import Estimate, Spread, d_z, equivalence_p, items_needed, required_items
from dialeval.stats.tests.power import reach


class Setting(NamedTuple):
    """Settings of a comparison."""

    resampling: Resampling
    margin: float | None = None
    """The smallest difference that matters; None where nobody said."""
    tests: int = 1
    """Number of tests that will be corrected together."""
    spent: float | None = None
    """Bound of p-values if a look spends only part of alpha; None if it spends all."""

    @property
    def alpha(self) -> float:
        """Bound of p-values."""
        return self.resampling.alpha if self.spent is None else self.spent


class Sides(NamedTuple):
    """Two results, and their scores over the items that are paired."""

    a: Result
    b: Result
    score_a: float
    score_b: float
    n: int
    """Items that are paired."""
    design_effect: float | None
    """None where items are independent."""


def undecided(sides: Sides, spread: Spread, setting: Setting) -> Comparison:
    """The comparison without its tests: difference, interval, effect size, and what it would take to settle it."""
    resampling, difference = setting.resampling, spread.left_out.score
    interval = spread.interval(resampling.confidence)
    estimate = interval.estimate
    p_equivalence = None if setting.margin is None else finite(equivalence_p(spread, setting.margin))
    return Comparison(
        a=system_of(sides.a),
        b=system_of(sides.b),
        difference=estimate._replace(n=sides.n),
        p_bootstrap=None,
        p_permutation=None,
        p_mcnemar=None,
        p_adjusted=None,
        significant=False,
        better=None,
        effect_size=finite(d_z(difference, _item_error(sides, spread), sides.n)),
        wins=None,
        ties=None,
        losses=None,
        unpaired=len(set(sides.a.items) | set(sides.b.items)) - sides.n,
        more_items=None,
        margin=setting.margin,
        largest=max(map(abs, estimate.bounds)) if estimate.bounds else None,
        units=spread.units,
        absence=interval.absence,
        design_effect=finite(sides.design_effect),
        basis=Basis(
            signature=str(sides.a.signature),
            score_a=sides.score_a,
            score_b=sides.score_b,
            confidence=resampling.confidence,
            alpha=setting.alpha,
            higher_is_better=sides.a.metric.higher_is_better,
            more=_more(spread, estimate, sides.n, setting.alpha / setting.tests),
            p_equivalence=p_equivalence,
        ),
    )


def _item_error(sides: Sides, spread: Spread) -> float:
    """The standard error as if items were independent, so that effect sizes do not depend on what is resampled."""
    effect = 1.0 if sides.design_effect is None else sides.design_effect
    return spread.error / math.sqrt(effect) if effect > 0 else math.nan


def _more(spread: Spread, estimate: Estimate, n: int, alpha: float) -> MoreItems:
    """Number of items beyond ``n`` that would settle it; units grow with the items that they hold."""
    error, units = spread.error, spread.units
    difference = _beyond_runs(spread.left_out.score, spread, alpha)
    needed = required_items(difference, error, units, alpha=alpha)
    if estimate.bounds is None:
        return MoreItems(_further(needed, units, n))
    low, high = (_beyond_runs(end, spread, alpha) for end in estimate.bounds)
    ends = items_needed(low, high, error, units, alpha=alpha)
    return MoreItems(*(_further(number, units, n) for number in (needed, ends.fewest, ends.most)))


def _beyond_runs(difference: float, spread: Spread, alpha: float) -> float:
    """The part of a difference that items can show: more of them do not make runs of a system more alike.

    0 where the runs differ so much that no number of items would show it.
    """
    if not spread.sources:
        return difference
    runs = sum(reach(alpha, degrees=source.degrees) ** 2 * source.variance for source in spread.sources)
    left = difference**2 - runs
    return math.copysign(math.sqrt(left), difference) if left > 0 else 0.0


def _further(needed: int | None, units: int, n: int) -> int | None:
    return None if needed is None else max(1, math.ceil(needed * n / units) - n)
