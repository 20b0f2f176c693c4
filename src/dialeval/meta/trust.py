"""Trust in measures, from people's ratings and the measures' values of the same answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np

from dialeval.core import Floats, Integers, Resampling
from dialeval.judge.beside import beside_people
from dialeval.judge.document import BesidePeople
from dialeval.judge.trust import PairOfSystems, Trust, judge_trust
from dialeval.meta.document import Ceiling, Document, Row
from dialeval.ratings.joined import Joined
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.jackknife import jackknife_error, leave_out, t_quantile

FEW_UNITS: Final = 5
"""Below this many items or dialogues there is no interval."""


def standing(
    findings: Document,
    joined: Joined,
    name: str,
    resampling: Resampling,
    *,
    limits: tuple[float, float] | None,
    scale: tuple[float, float] | None = None,
) -> BesidePeople:
    """All about one measure beside people; ``limits`` of its scale and people's ``scale`` are None if unknown."""
    measure = joined.measure_named(name)
    beside = beside_people(
        measure.values, joined.human.values, joined.items, limits=limits, scale=scale, resampling=resampling
    )
    sign = -1.0 if name in findings.settings.lower_is_better else 1.0
    rows = [_upright(row, sign) for row in findings.rows if row.measure == name]
    within = _row(rows)
    pooled = next((row.estimate for row in rows if row.level == "item" and row.value is not None), None)
    ceiling = next((c for c in findings.ceiling if within is not None and c.level == within.level), None)
    return replace(
        beside,
        within=None if within is None else within.estimate,
        pooled=pooled,
        ceiling=None if ceiling is None else ceiling.mean,
        trust=trust_in(joined, sign * measure.values, rows, findings.ceiling, resampling),
    )


def _upright(row: Row, sign: float) -> Row:
    return row if sign > 0 else replace(row, estimate=-row.estimate)


def trust_in(
    joined: Joined,
    values: Floats,
    rows: Sequence[Row],
    ceilings: Sequence[Ceiling],
    resampling: Resampling,
) -> Trust:
    """Return what a measure may be trusted with.

    Of its ``values`` higher ones are better; ``rows`` are its correlations, ``ceilings`` people's.
    """
    within = _row(rows)
    pairs = tuple(_pairs(joined, values, resampling))
    level = within.level if within is not None else "item_within_system"
    ceiling = next((each for each in ceilings if each.level == level), None)
    both = np.isfinite(joined.human.values) & np.isfinite(values)
    correlation = Estimate.undefined("no correlation within systems") if within is None else within.estimate
    return judge_trust(pairs, correlation, bound_of(ceiling), int(both.sum()))


def _row(rows: Sequence[Row]) -> Row | None:
    """The correlation within systems; over all answers if that is all there is, as of one system."""
    levels = {row.level: row for row in rows if row.value is not None}
    several = any(row.systems > 1 for row in levels.values())
    return levels.get("item_within_system") or (None if several else levels.get("item"))


def bound_of(ceiling: Ceiling | None) -> Estimate:
    """Return what a perfect measure would reach: the root of people's agreement, stepped up to all raters."""
    if ceiling is None or ceiling.bound is None or ceiling.mean.value is None:
        reason = "no answer has more than one rating" if ceiling is None else ceiling.mean.reason
        return Estimate.undefined(
            reason or (ceiling and ceiling.uncorrected) or "people's agreement is not known"
        )
    low, high = ceiling.mean.bounds or (math.nan, math.nan)
    return Estimate.of(ceiling.bound, _stepped_up(low), _stepped_up(high), ceiling.mean.n)


def _stepped_up(half: float) -> float:
    """Of the agreement of halves (Spearman-Brown); NaN stays, and what is negative is 0."""
    if math.isnan(half):
        return half
    half = min(1.0, max(0.0, half))
    return math.sqrt(2 * half / (1 + half))


def _pairs(joined: Joined, values: Floats, resampling: Resampling) -> list[PairOfSystems]:
    """Differences of systems' means, by people and by the measure, with intervals that hold for all pairs at once."""
    human = joined.human.values
    both = np.isfinite(human).any(axis=1) & np.isfinite(values).any(axis=1)
    known = np.flatnonzero(both).tolist()
    pairs = list(combinations(known, 2))
    confidence = 1 - resampling.alpha / max(1, len(pairs))
    codes = resampling.clusters(joined.items)
    units = np.arange(len(joined.items)) if codes is None else codes
    return [
        PairOfSystems(
            joined.systems[a],
            joined.systems[b],
            _difference(human[[a, b]], units, confidence),
            _difference(values[[a, b]], units, confidence),
        )
        for a, b in pairs
    ]


def _difference(values: Floats, units: Integers, confidence: float) -> Estimate:
    """The mean of the first row minus that of the second, by leaving out units."""
    there = np.isfinite(values)
    used = there.any(axis=0)
    values, there = np.where(there, values, 0.0)[:, used], there[:, used]
    codes = np.unique(units[used], return_inverse=True)[1]
    rows = np.column_stack([values[0], there[0], values[1], there[1]]).astype(np.float64)
    found = leave_out(rows, _difference_of_means, codes)
    n = int(there.sum())
    reach = t_quantile(len(found.without) - 1, confidence) * jackknife_error(found.without)
    if len(found.without) < FEW_UNITS or not math.isfinite(reach):
        return Estimate.of(found.score, math.nan, math.nan, n, "too few items")
    return Estimate.of(found.score, found.score - reach, found.score + reach, n)


def _difference_of_means(totals: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = totals[..., 0] / totals[..., 1] - totals[..., 2] / totals[..., 3]
    return found
