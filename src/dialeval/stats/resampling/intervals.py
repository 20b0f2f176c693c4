"""Intervals of scores: choice of method, and reasons for none.

The method for each case is the one that covered best in simulations on real text (``python -m bench calibration``,
docs/trust.md): exact ones for yes/no measures, and for all others the jackknife's t interval with Hall's correction for
skewness. If units are few and their values have limits, Gaffke's bound says how far its ends can reach, and how far
they should (`bounded`). The percentile bootstrap fell short of them at every size, down to 14 % for sparse n-gram
counts of ten items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Aggregate, Bounds, Floats, Integers, in_blocks, sum_rows
from dialeval.stats.resampling.bounded import (
    BoundedMean,
    Ties,
    bounded_difference,
    bounded_score,
    narrowed,
    typical_difference,
)
from dialeval.stats.resampling.clusters import repeated
from dialeval.stats.resampling.jackknife import LeftOut, SkewedT, Source, jackknife_error, leave_out, skewed_t
from dialeval.stats.resampling.proportions import clopper_pearson, clustered_proportion, paired_proportions
from dialeval.stats.tests.paired import ROUNDING, difference_of

Method: TypeAlias = Literal[
    "clopper-pearson", "korn-graubard", "bonett-price", "identical", "gaffke", "jackknife-t"
]
"""Exact; exact of an effective sample size; adjusted Wald of paired yes/no; [0, 0] between the same answers; exact
bounds of equal values; jackknife with skewness correction."""

Absence: TypeAlias = Literal["undefined", "one-unit", "constant", "unseen"]
"""Why there is no interval: the score is undefined, for all units or without one of them; there is only one unit; no
unit differs from another; or the score hangs on something that these units do not have, as BLEU does if no 4-gram
matches."""

ABSENCES: Final[Mapping[Absence, str]] = {
    "undefined": "the score is undefined, or would be without one of the items",
    "one-unit": "a single item or dialogue shows no spread",
    "constant": "nothing varies from item to item",
    "unseen": "the score depends on matches that do not occur in any item, such as 4-grams for BLEU-4",
}
"""Why there is no interval, in words."""

UNSEEN: Final = 0.1
"""One count if there is none must not move the score by more than this share of it."""


@dataclass(frozen=True, slots=True)
class UnitInterval:
    """A score with its interval over units, or the reason why it has none."""

    estimate: Estimate
    """Its ``n`` is the number of units: items, or clusters of items, whose spread the interval rests on."""
    method: Method
    absence: Absence | None = None
    """Why there is no interval; None exactly if there is one."""


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Spread of a score, or of a difference of scores, over other units: intervals of any confidence follow."""

    left_out: LeftOut
    """The score, and without each unit."""
    absence: Absence | None = None
    """Why no interval is honest."""
    limits: tuple[float, float] = (-math.inf, math.inf)
    """No score lies outside, so neither do the ends."""
    exact: Exact | None = None
    """Intervals of yes/no measures from the items themselves; None for other measures."""
    sources: tuple[Source, ...] = ()
    """Other sources of variance, such as other runs of a system; not for exact intervals."""
    bounded: BoundedMean | None = None
    """The units of a mean whose values have limits, if these are few; None for other scores."""
    ties: Ties | None = None
    """Of a difference between scores that have limits; None for other scores."""
    skewed: SkewedT = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "skewed", skewed_t(*self.left_out).widened(self.sources))

    @property
    def units(self) -> int:
        """Items, or clusters of them."""
        return len(self.left_out.without)

    @property
    def error(self) -> float:
        """The standard error with other units, by the jackknife; NaN if undefined."""
        return jackknife_error(self.left_out.without)

    def interval(self, confidence: float = 0.95) -> UnitInterval:
        """Interval of the score of all items that these were drawn from."""
        if self.exact is not None:
            return self._between(self.exact.bounds(confidence), self.exact.method)
        farther = 0.0 if self.ties is None else self.ties.least_reach(confidence)
        if self.ties is not None and not self.ties.differing and self.absence in (None, "constant"):
            return self._between(self._held(-farther, farther), "gaffke")
        if self.absence is not None:
            return self._without(self.absence)
        method: Method = "jackknife-t"
        if self.bounded is None:
            low, high = self.skewed.interval(confidence)
        elif _is_constant(self.left_out):
            (low, high), method = self.bounded.ends(confidence), "gaffke"
        else:
            low, high = self.bounded.drawn(self.skewed, confidence)
        if farther:
            low, high = min(low, self.left_out.score - farther), max(high, self.left_out.score + farther)
        low, high = self._held(low, high)
        if not low < high:  # a spread too small for floating point
            return self._without("constant")
        return self._between((low, high), method)

    def _held(self, low: float, high: float) -> Bounds:
        return max(low, self.limits[0]), min(high, self.limits[1])

    def _between(self, bounds: Bounds, method: Method) -> UnitInterval:
        return UnitInterval(Estimate.of(self.left_out.score, *bounds, self.units), method)

    def _without(self, absence: Absence) -> UnitInterval:
        nothing = Estimate.of(self.left_out.score, math.nan, math.nan, self.units, ABSENCES[absence])
        return UnitInterval(nothing, "jackknife-t", absence)

    @property
    def needs_bounds(self) -> bool:
        """Whether units are so few, or so much alike, that limits of their values would move the ends."""
        if self.sources or self.absence not in (None, "constant"):
            return False
        return self.absence == "constant" or self.skewed.few

    def with_bounds(self, bounded: BoundedMean | None) -> Spread:
        """The spread with the limits of the values; equal values then have an interval, if there are two limits."""
        if bounded is None or (self.absence and not math.isfinite(bounded.greatest - bounded.least)):
            return self
        return replace(self, bounded=bounded, absence=None)


class Exact(NamedTuple):
    """An interval that does not rest on the jackknife."""

    method: Method
    bounds: Callable[[float], Bounds]
    """From a confidence to the ends."""


def spread_of(
    rows: Floats,
    aggregate: Aggregate,
    *,
    clusters: Integers | None = None,
    yes_no: bool | None = None,
    limits: tuple[float, float] | None = None,
    sources: Sequence[Source] = (),
    values: Floats | None = None,
) -> Spread:
    """The spread of a score; options as in `interval_of`, and other sources of variance than the units.

    ``values`` are the scores of single rows, for callers who know them.
    """
    together = clusters if clusters is not None and repeated(clusters) else None
    left_out = leave_out(rows, aggregate, together)
    if values is None:
        values = in_blocks(aggregate, rows)
    if len(rows) and (yes_no or (yes_no is None and is_yes_no(rows, aggregate, values))):
        return Spread(left_out, exact=_proportion(values, together))
    spread = spread_without(left_out, limits, hangs=unseen(rows, aggregate), sources=sources)
    if not spread.needs_bounds:
        return spread
    return spread.with_bounds(bounded_score(values, left_out, spread.limits, together))


def spread_of_difference(
    rows_a: Floats,
    rows_b: Floats,
    aggregate: Aggregate,
    *,
    clusters: Integers | None = None,
    yes_no: bool | None = None,
    limits: tuple[float, float] | None = None,
) -> Spread:
    """The spread of a's score minus b's; row i of both belongs to the same item. ``limits`` are those of a score."""
    if rows_a.shape != rows_b.shape:
        raise ValueError(f"paired rows must have one shape, not {rows_a.shape} and {rows_b.shape}")
    together = clusters if clusters is not None and repeated(clusters) else None
    left_out = leave_out(*joined_rows(rows_a, rows_b, aggregate), together)
    if together is None and len(rows_a):
        a, b = (np.asarray(aggregate(rows), dtype=np.float64) for rows in (rows_a, rows_b))
        both = np.concatenate([rows_a, rows_b])
        if yes_no or (yes_no is None and is_yes_no(both, aggregate, np.concatenate([a, b]))):
            return Spread(left_out, exact=Exact("bonett-price", partial(paired_proportions, a, b)))
    hangs = unseen(rows_a, aggregate) or unseen(rows_b, aggregate)
    spread = spread_without(left_out, limits_of_difference(limits), hangs=hangs)
    if not spread.needs_bounds:
        return spread
    first, second = (_Side(rows, in_blocks(aggregate, rows)) for rows in (rows_a, rows_b))
    known = narrowed(limits or (-math.inf, math.inf), np.concatenate([first.values, second.values]))
    spread = replace(spread, ties=_ties(first, second, aggregate, known, together))
    return spread.with_bounds(bounded_difference(first.values, second.values, left_out, known, together))


class _Side(NamedTuple):
    """One of two systems."""

    rows: Floats
    values: Floats
    """The scores of single rows."""


def _ties(
    a: _Side, b: _Side, aggregate: Aggregate, limits: tuple[float, float], clusters: Integers | None
) -> Ties | None:
    """Units whose rows differ, and the typical difference of the system that varies more; None without limits."""
    if not math.isfinite(limits[1] - limits[0]):
        return None
    differ = (a.rows != b.rows).any(axis=1)
    if clusters is not None:
        differ = np.bincount(np.unique(clusters, return_inverse=True)[1], differ) > 0
    typical = max(
        typical_difference(side.values, float(aggregate(sum_rows(side.rows))), limits) for side in (a, b)
    )
    return Ties(len(differ), int(differ.sum()), typical)


def spread_of_identical(units: int) -> Spread:
    """The spread of the difference between the same answers: none, whatever would be drawn of these items.

    A system that says the same to all items is the same system as far as they show. How often the two would differ on
    other items is another question: the rule of three bounds it by 3 in ``units``.
    """
    return Spread(LeftOut(0.0, np.zeros(units)), exact=Exact("identical", lambda _confidence: (0.0, 0.0)))


def spread_without(
    left_out: LeftOut,
    limits: tuple[float, float] | None = None,
    *,
    hangs: bool = False,
    sources: Sequence[Source] = (),
) -> Spread:
    """The spread that scores without each unit show; ``hangs`` says that units lack what the score hangs on."""
    absence = _absence(left_out)
    if absence == "constant" and any(source.variance > 0 for source in sources):
        absence = None
    absence = absence or ("unseen" if hangs else None)
    return Spread(left_out, absence, limits or (-math.inf, math.inf), sources=tuple(sources))


def limits_of_difference(limits: tuple[float, float] | None) -> tuple[float, float] | None:
    """Limits of the difference of two scores that have these limits."""
    return None if limits is None else (limits[0] - limits[1], limits[1] - limits[0])


def joined_rows(rows_a: Floats, rows_b: Floats, aggregate: Aggregate) -> tuple[Floats, Aggregate]:
    """Rows of both systems side by side, and the difference of their scores as a function of such rows."""
    width = rows_a.shape[1]

    def difference(totals: Floats) -> Floats:
        return difference_of(aggregate(totals[..., :width]), aggregate(totals[..., width:]))

    return np.hstack([rows_a, rows_b]), difference


def interval_of(
    rows: Floats,
    aggregate: Aggregate,
    *,
    confidence: float = 0.95,
    clusters: Integers | None = None,
    yes_no: bool | None = None,
    limits: tuple[float, float] | None = None,
) -> UnitInterval:
    """Interval of the score of all items that these were drawn from.

    ``clusters`` labels items that belong together, as turns of a dialogue do. ``yes_no`` says that items are right or
    wrong and the score is the share of right ones; where None, this is so if both 0 and 1 occur among the items' own
    scores and nothing else. No score lies outside ``limits``, so neither do the ends.
    """
    return spread_of(rows, aggregate, clusters=clusters, yes_no=yes_no, limits=limits).interval(confidence)


def difference_interval(
    rows_a: Floats,
    rows_b: Floats,
    aggregate: Aggregate,
    *,
    confidence: float = 0.95,
    clusters: Integers | None = None,
    yes_no: bool | None = None,
    limits: tuple[float, float] | None = None,
) -> UnitInterval:
    """Interval of a's score minus b's; row i of both belongs to the same item. Options as `interval_of`."""
    spread = spread_of_difference(rows_a, rows_b, aggregate, clusters=clusters, yes_no=yes_no, limits=limits)
    return spread.interval(confidence)


def unseen(rows: Floats, aggregate: Aggregate) -> bool:
    """Whether the score hangs on a count that is 0 in every row: one more would move it by a tenth or more.

    So it is if no 4-gram matches and BLEU is 0, or a constant that stands for 0: how often a 4-gram would match in
    other items is then unknown, and the spread of these items says nothing of it. If two more move it twice as far, it
    is a mean or a rate, as of errors per slot, and that the count is 0 in every row is something that was seen.
    """
    totals = sum_rows(rows)
    score = float(aggregate(totals))
    for column in np.flatnonzero(totals == 0).tolist():
        if rows[:, column].any():
            continue
        once, twice = totals.copy(), totals.copy()
        once[column], twice[column] = 1, 2
        moved, again = (float(aggregate(more)) - score for more in (once, twice))
        if abs(moved) > UNSEEN * abs(score) and not math.isclose(again, 2 * moved, rel_tol=1e-9):
            return True
    return False


def _proportion(values: Floats, clusters: Integers | None) -> Exact:
    if clusters is not None:
        return Exact("korn-graubard", partial(clustered_proportion, values, clusters))
    return Exact("clopper-pearson", partial(clopper_pearson, float(values.sum()), len(values)))


def _absence(left_out: LeftOut) -> Absence | None:
    score, without = left_out
    if len(without) == 1:
        return "one-unit"
    if not len(without) or not math.isfinite(score) or not np.isfinite(without).all():
        return "undefined"
    return "constant" if _is_constant(left_out) else None


def _is_constant(left_out: LeftOut) -> bool:
    return bool(np.ptp(left_out.without) <= ROUNDING * abs(left_out.score))


def is_yes_no(rows: Floats, aggregate: Aggregate, values: Floats) -> bool:
    """Whether items are right or wrong, some of either, and the score is the share of right ones."""
    share = float(values.mean())
    if not np.isin(values, (0.0, 1.0)).all() or not 0 < share < 1:
        return False
    return math.isclose(float(aggregate(sum_rows(rows))), share, abs_tol=1e-9)
