"""A judge beside people on one scale: how much more it gives than they do, and how closely it gives the same."""

from __future__ import annotations

from typing import Final

import numpy as np

from dialeval.core import Floats, Integers, Resampling
from dialeval.judge.document import BesidePeople
from dialeval.metrics.rows import mean_of_rows
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Aggregate
from dialeval.stats.resampling.jackknife import jackknife_interval, leave_out

_FEW: Final = 2
"""Fewest answers that can be compared."""


def beside_people(
    judge: Floats,
    people: Floats,
    items: tuple[str, ...],
    *,
    limits: tuple[float, float] | None,
    scale: tuple[float, float] | None,
    resampling: Resampling,
) -> BesidePeople:
    """Difference and agreement over the answers that both rated.

    ``judge`` and ``people`` (means over raters) are of shape (systems, items), NaN if there is none; ``limits`` are the
    judge's, ``scale`` is people's, each None if nobody says. Intervals are for other items, by the jackknife: all
    answers to an item, or to the turns of a dialogue, are left out together.
    """
    both = np.isfinite(judge) & np.isfinite(people)
    x, y = judge[both], people[both]
    reason = _why_not(y, limits, scale)
    if reason is not None:
        return BesidePeople(Estimate.undefined(reason, len(x)), Estimate.undefined(reason, len(x)))
    codes = resampling.clusters(items)
    units = np.arange(len(items)) if codes is None else codes
    clusters = np.unique(np.broadcast_to(units, both.shape)[both], return_inverse=True)[1]
    difference = np.column_stack([x - y, np.ones(len(x))])
    sums = np.column_stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    return BesidePeople(
        _estimate(difference, mean_of_rows, clusters, resampling.confidence),
        _estimate(sums, weighted_kappa, clusters, resampling.confidence),
        _estimate(sums, spread_ratio, clusters, resampling.confidence),
    )


def weighted_kappa(totals: Floats) -> Floats:
    """Cohen's kappa with squared distances (1968), of sums of 1, x, y, x², y² and xy; shape (..., 6) to (...).

    1 - mean (x - y)² / (var x + var y + (mean x - mean y)²), which is Lin's concordance (1989) and takes means of
    several raters, too. NaN if nothing varies.
    """
    n, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = (xx - 2 * xy + yy) / n
        expected = (xx + yy) / n - 2 * x * y / n**2
        kappa = 1 - observed / expected
    return np.where(expected > 1e-12, kappa, np.nan)


def spread_ratio(totals: Floats) -> Floats:
    """The standard deviation of x over that of y, of the same sums; NaN if y does not vary."""
    n, x, y, xx, yy, _ = np.moveaxis(totals, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_x, of_y = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2
        ratio = np.sqrt(np.maximum(of_x, 0.0) / of_y)
    return np.where(of_y > 1e-12, ratio, np.nan)


def _why_not(
    people: Floats, limits: tuple[float, float] | None, scale: tuple[float, float] | None
) -> str | None:
    if len(people) < _FEW:
        return f"only {len(people)} answers have both a verdict and a rating"
    if limits is None:
        return "the judge's scale is not known"
    shown = f"{limits[0]:g} to {limits[1]:g}"
    if scale is not None and scale != limits:
        return f"people rated from {scale[0]:g} to {scale[1]:g}, the judge from {shown}"
    if people.min() < limits[0] or people.max() > limits[1]:
        return f"people's ratings leave the judge's scale ({shown})"
    return None


def _estimate(rows: Floats, aggregate: Aggregate, clusters: Integers, confidence: float) -> Estimate:
    found = leave_out(rows, aggregate, clusters)
    if not np.isfinite(found.score):
        return Estimate.undefined("neither the judge nor people tell answers apart", len(rows))
    low, high = jackknife_interval(found.score, found.without, confidence)
    reason = None
    if not np.isfinite(low):
        one = len(np.unique(clusters)) == 1
        reason = (
            "all answers are to one item" if one else "without one of the items, nothing tells answers apart"
        )
    return Estimate.of(found.score, low, high, len(rows), reason)
