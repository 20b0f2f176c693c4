"""Intraclass correlation: how much of the spread of ratings is the units', for raters who all rated all units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.stats.agreement._pairable import check_ratings
from dialeval.stats.estimate import Statistic
from dialeval.stats.resampling.bootstrap import Bounds, Floats, check_confidence

Form: TypeAlias = Literal["2,1", "2,k"]
"""Raters drawn at random who rate all units (case 2): of one rater's values, or of the mean of all k."""

FLAT: Final = 1e-12
"""A sum of squares below this share of the total is rounding error."""


@dataclass(frozen=True, slots=True)
class IntraclassCorrelation(Statistic):
    """An intraclass correlation; ``p`` is that of the F test that units do not differ."""

    left_out: int = 0
    """Number of units that lack a rating of one of the raters."""


def icc(ratings: Floats, form: Form = "2,1") -> IntraclassCorrelation:
    """ICC of absolute agreement, two-way random effects (Shrout & Fleiss, 1979), of (units, raters), NaN if missing.

    With the mean squares of units (BMS), raters (JMS) and the rest (EMS) of n units by k raters:
    ICC(2,1) = (BMS - EMS) / (BMS + (k - 1) EMS + k (JMS - EMS) / n), ICC(2,k) = (BMS - EMS) / (BMS + (JMS - EMS) / n).
    Only complete units enter; ``n`` counts them. The test is F = BMS / EMS with n - 1 and (n - 1)(k - 1) degrees.
    """
    rows = icc_rows(ratings)
    n, raters = len(rows), rows.shape[1] - 3
    left_out = len(ratings) - n
    reason = _too_few(n, raters)
    if reason is not None:
        return IntraclassCorrelation(math.nan, n, reason=reason, left_out=left_out)
    units, between, rest = _mean_squares(rows.sum(axis=0))
    value = float(icc_score(rows.sum(axis=0), form))
    if math.isnan(value):
        reason = "units differ too little, compared with raters, for the ratio to mean anything"
        reason = "all ratings are equal" if not units + between + rest else reason
        return IntraclassCorrelation(math.nan, n, reason=reason, left_out=left_out)
    return IntraclassCorrelation(value, n, p=_p(float(units), float(rest), n, raters), left_out=left_out)


def icc_limits(ratings: Floats, form: Form = "2,1", *, confidence: float = 0.95) -> Bounds:
    """Interval of the ICC for other units and other raters like these, by F distributions; NaN if it is undefined.

    Shrout and Fleiss (1979), in the form of McGraw and Wong (1996, Table 7): with F = JMS / EMS, r the ICC(2,1) and
    c = n (1 + (k - 1) r) - k r, the degrees of freedom v = (k - 1)(n - 1)(k r F + c)^2 / ((n - 1) k^2 r^2 F^2 + c^2).
    Those of the mean of k raters follow by Spearman and Brown's formula.
    """
    check_confidence(confidence)
    rows = icc_rows(ratings)
    n, k = len(rows), rows.shape[1] - 3
    single = icc(ratings)
    if not single.defined:
        return (math.nan, math.nan)
    units, raters, rest = (float(part) for part in _mean_squares(rows.sum(axis=0)))
    if not rest:
        return (math.nan, math.nan)
    part = n * (1 + (k - 1) * single.value) - k * single.value
    tilt = k * single.value * raters / rest
    degrees = (k - 1) * (n - 1) * (tilt + part) ** 2 / ((n - 1) * tilt**2 + part**2)
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import fdtri

    tail = (1 + confidence) / 2
    below, above = float(fdtri(n - 1, degrees, tail)), float(fdtri(degrees, n - 1, tail))
    over = k * raters + (k * n - k - n) * rest
    low = n * (units - below * rest) / (below * over + n * units)
    high = n * (above * units - rest) / (over + n * above * units)
    if form == "2,k":
        low, high = (k * end / (1 + (k - 1) * end) for end in (low, high))
    return (low, high)


def icc_rows(ratings: Floats) -> Floats:
    """Rows of complete units: each has its k ratings, their squares, the square of their sum over k, and 1."""
    checked = check_ratings(ratings)
    whole = checked[~np.isnan(checked).any(axis=1)]
    # From the mean of all, so that no digits are lost to a distant zero; nothing else depends on it.
    whole = whole - whole.mean() if whole.size else whole
    squares, sums = (whole**2).sum(axis=1), whole.sum(axis=1)
    return np.column_stack([whole, squares, sums**2 / max(1, whole.shape[1]), np.ones(len(whole))])


def icc_score(totals: Floats, form: Form = "2,1") -> Floats:
    """ICCs of summed rows, shape (..., k + 3) to (...); NaN if the denominator is not above 0."""
    n, k = totals[..., -1], totals.shape[-1] - 3
    units, raters, rest = _mean_squares(totals)
    base = units if form == "2,k" else units + (k - 1) * rest
    over = base + (raters - rest) * (1 if form == "2,k" else k) / n
    return np.divide(units - rest, over, out=np.full(over.shape, np.nan), where=over > FLAT * (base + raters))


def _mean_squares(totals: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean squares of units, of raters, and of the rest."""
    k, n = totals.shape[-1] - 3, totals[..., -1]
    columns, power, by_unit = totals[..., :k], totals[..., k], totals[..., k + 1]
    mean = columns.sum(axis=-1) ** 2 / (n * k)
    units, raters = by_unit - mean, (columns**2).sum(axis=-1) / n - mean
    rest = power - mean - units - raters
    units, raters, rest = (np.where(part > FLAT * power, part, 0.0) for part in (units, raters, rest))
    degrees = np.maximum(n - 1, 1)
    return units / degrees, raters / max(1, k - 1), rest / (degrees * max(1, k - 1))


def _too_few(n: int, raters: int) -> str | None:
    if raters < 2:
        return f"{raters} rater{'' if raters == 1 else 's'}, where two are needed"
    if not n:
        return f"no unit was rated by all {raters} raters"
    return "only one unit was rated by all raters" if n == 1 else None


def _p(units: float, rest: float, n: int, raters: int) -> float:
    if not rest:
        return 0.0 if units else math.nan
    # Special functions alone: scipy.stats takes a second to import.
    from scipy.special import fdtrc

    return float(fdtrc(n - 1, (n - 1) * (raters - 1), units / rest))
