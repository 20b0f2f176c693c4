"""Intervals of scores: choice of method, and reasons for none.

The method for each case is the one that covered best in simulations on real text (``python -m bench calibration``,
docs/trust.md): exact ones for yes/no measures, and for all others the jackknife's t interval with Hall's correction for
skewness. Where units are few and their values have limits, Gaffke's bound says how far its ends can reach, and how far
they should (`bounded`). The percentile bootstrap fell short of them at every size, down to 14 % for sparse n-gram
counts of ten items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.resampling.bootstrap import Aggregate, Bounds, Floats, Integers, in_blocks, sum_rows
from dialeval.stats.resampling.bounded import BoundedMean, bounded_difference, bounded_score
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
unit differs from another; or the score hangs on something that these units do not have, as BLEU does where no 4-gram
matches."""

UNSEEN: Final = 0.1
"""One count where there is none must not move the score by more than this share of it."""


@dataclass(frozen=True, slots=True)
class UnitInterval:
    """An interval over units, or the reason why there is none."""

    low: float
    """NaN, as ``high``, exactly where ``absence`` is not None."""
    high: float
    method: Method
    units: int
    """Items, or clusters of items, whose spread it rests on."""
    absence: Absence | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """How far a score, or a difference of scores, would move with other units: intervals of any confidence follow."""

    left_out: LeftOut
    """The score, and without each unit."""
    absence: Absence | None = None
    """Why no interval is honest."""
    limits: tuple[float, float] = (-math.inf, math.inf)
    """No score lies outside, so neither do the ends."""
    exact: Exact | None = None
    """How intervals of yes/no measures follow from the items themselves; None for other measures."""
    sources: tuple[Source, ...] = ()
    """What else would move the score, such as other runs of a system; not for exact intervals."""
    bounded: BoundedMean | None = None
    """The units of a mean whose values have limits, if these are few; None for other scores."""
    skewed: SkewedT = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "skewed", skewed_t(*self.left_out).widened(self.sources))

    @property
    def units(self) -> int:
        """Items, or clusters of them."""
        return len(self.left_out.without)

    @property
    def error(self) -> float:
        """The standard error with other units, by the jackknife; NaN where undefined."""
        return jackknife_error(self.left_out.without)

    def interval(self, confidence: float = 0.95) -> UnitInterval:
        """Where the score of all items that these were drawn from plausibly lies."""
        if self.exact is not None:
            return UnitInterval(*self.exact.bounds(confidence), self.exact.method, self.units)
        if self.absence is not None:
            return UnitInterval(math.nan, math.nan, "jackknife-t", self.units, self.absence)
        if self.bounded is not None and _is_constant(self.left_out):
            return UnitInterval(*self.bounded.ends(confidence), "gaffke", self.units)
        if self.bounded is not None:
            low, high = self.bounded.drawn(self.skewed, confidence)
        else:
            low, high = self.skewed.interval(confidence)
        low, high = max(low, self.limits[0]), min(high, self.limits[1])
        if not low < high:  # a spread too small for floating point
            return UnitInterval(math.nan, math.nan, "jackknife-t", self.units, "constant")
        return UnitInterval(low, high, "jackknife-t", self.units)

    @property
    def needs_bounds(self) -> bool:
        """Whether units are so few, or so much alike, that limits of their values would move the ends."""
        if self.sources or self.absence not in (None, "constant"):
            return False
        return self.absence == "constant" or self.skewed.few

    def with_bounds(self, bounded: BoundedMean | None) -> Spread:
        """The spread with the limits of the values; equal values then have an interval, if there are two limits."""
        if bounded is None or (self.absence and not math.isfinite(bounded.high - bounded.low)):
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
    values_a, values_b = in_blocks(aggregate, rows_a), in_blocks(aggregate, rows_b)
    known = limits or (-math.inf, math.inf)
    return spread.with_bounds(bounded_difference(values_a, values_b, left_out, known, together))


def spread_of_identical(units: int) -> Spread:
    """The spread of the difference between the same answers: none, whatever would be drawn of these items.

    A system that says the same to all items is the same system as far as they show. How often the two would differ on
    other items is another question: the rule of three bounds it by 3 in ``units``.
    """
    return Spread(
        LeftOut(0.0, np.zeros(units)), exact=Exact("identical", lambda _confidence: Bounds(0.0, 0.0))
    )


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
    """How far apart two scores can be that have these limits, in either direction."""
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
    """Where the score of all items that these were drawn from plausibly lies.

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
    """Where a's score minus b's plausibly lies; row i of both belongs to the same item. Options as `interval_of`."""
    spread = spread_of_difference(rows_a, rows_b, aggregate, clusters=clusters, yes_no=yes_no, limits=limits)
    return spread.interval(confidence)


def unseen(rows: Floats, aggregate: Aggregate) -> bool:
    """Whether the score hangs on a count that is 0 in every row: one more would move it by a tenth or more.

    So it is where no 4-gram matches and BLEU is 0, or a constant that stands for 0: how often a 4-gram would match in
    other items is then unknown, and the spread of these items says nothing of it.
    """
    totals = sum_rows(rows)
    score = float(aggregate(totals))
    for column in np.flatnonzero(totals == 0).tolist():
        if rows[:, column].any():
            continue
        once = totals.copy()
        once[column] = 1
        moved = abs(float(aggregate(once)) - score)
        if moved > UNSEEN * abs(score):
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
