"""Uncertainty of a system's score: its interval or why there is none, what was resampled, and the design effect."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dialeval.core import (
    Floats,
    Integers,
    Metric,
    Resampling,
    Result,
)
from dialeval.evaluation.runs import scores_of_rows, sources_of
from dialeval.files.custom_code import is_place
from dialeval.stats import ABSENCES, Absence, Estimate, Spread, design_effect, spread_of


class Uncertainty(NamedTuple):
    """The fields of a result that say how far its score can be trusted."""

    bounds: tuple[float, float] | None = None
    """Ends of the interval."""
    absence: Absence | None = None
    units: int = 0
    design_effect: float | None = None

    def estimate(self, score: float, n: int) -> Estimate:
        """Return the score of ``n`` items, NaN if undefined, with its interval or why it has none."""
        low, high = self.bounds or (math.nan, math.nan)
        return Estimate.of(score, low, high, n, self.absence and ABSENCES[self.absence])


def uncertainty(
    metric: Metric[Any],
    rows: Floats,
    clusters: Integers | None,
    resampling: Resampling,
    values: Floats | None = None,
) -> Uncertainty:
    """That of a metric's score over items with these rows; no interval where 0 resamples are asked for.

    ``values`` are those of single items, where they are known.
    """
    if not len(rows):
        return Uncertainty(absence="undefined")
    units = len(rows) if clusters is None else int(clusters.max()) + 1
    if resampling.resamples == 0:
        return Uncertainty(units=units)
    spread = spread_of(
        rows,
        metric.aggregate,
        clusters=clusters,
        yes_no=metric.yes_no,
        limits=metric.limits,
        sources=sources_of(scores_of_rows(metric, rows)),
        values=values,
    )
    effect = None if clusters is None else design_effect(rows, metric.aggregate, clusters).value
    return uncertainty_of(spread, resampling.confidence, effect)


def uncertainty_of(spread: Spread, confidence: float, effect: float | None) -> Uncertainty:
    """That of a score with this spread."""
    interval = spread.interval(confidence)
    known = effect if effect is not None and math.isfinite(effect) else None
    return Uncertainty(interval.estimate.bounds, interval.absence, spread.units, known)


def undeclared_limits(results: Sequence[Result]) -> str | None:
    """A note that values of custom code all lie within [0, 1] and that its limits are not declared; None otherwise.

    That no other value was seen does not show that none is possible, so intervals keep to limits that are declared.
    """
    own = [r for r in results if r.per_item and is_place(r.signature.name) and r.scored]
    if not own or any(math.isfinite(limit) for limit in own[0].metric.limits):
        return None
    values = np.concatenate([result.values for result in own])
    values = values[np.isfinite(values)]
    if own[0].metric.yes_no or not ((values >= 0) & (values <= 1)).all() or np.isin(values, (0, 1)).all():
        return None
    name = own[0].signature.name
    return (
        f"{name}: all values lie within [0, 1]; if no others are possible, declare it "
        f"({name.rpartition(':')[2]}.limits = (0, 1)), and intervals keep to it"
    )
