"""How sure the ranks of several systems are: an interval of each rank, and the chance of being the best.

All systems are scored on the same items, and every resample draws the same items (or clusters) for all of them and for
all measures. Ranks of the resamples themselves make poor intervals, since chance separates systems that tie in every
one of them. Intervals follow from the differences instead (Mogstad, Romano, Shaikh & Wilhelm, 2024; Klein, Wright &
Wieczorek, 2020): a system's rank is at least 1 + the number of systems shown to be better, and at most the number of
systems - those shown to be worse, all pairs being tested at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.stats.resampling.bootstrap import (
    Aggregate,
    Floats,
    Integers,
    check_confidence,
    draws,
)
from dialeval.stats.resampling.jackknife import leave_out
from dialeval.stats.tests.paired import ROUNDING, difference_of


class Measured(NamedTuple):
    """Several systems under one measure on the same items."""

    rows: Floats
    """Statistics, shape (systems, items, k)."""
    aggregate: Aggregate
    higher_is_better: bool


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Where each system stands; arrays are of shape (systems,) in the order given."""

    rank: Floats
    """1 is best; systems with equal scores share the mean of their ranks. NaN where a score is undefined."""
    low: Integers
    high: Integers
    best: Floats
    """Share of the resamples in which no system scores higher; shared by those that tie."""
    better: NDArray[np.bool_]
    """Whether the system of the row is shown to be better than that of the column, shape (systems, systems)."""


class RankTable(NamedTuple):
    """Ranks under each measure, and over all of them."""

    measures: tuple[Ranks, ...]
    overall: Ranks
    """By the mean over measures of the score in units of its standard error, each measure counting the same."""


def rank_systems(
    measures: Sequence[Measured],
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    clusters: Integers | None = None,
) -> RankTable:
    """Ranks of systems on their shared items, with intervals that hold for all systems of a measure at once."""
    check_confidence(confidence)
    shapes = {measured.rows.shape[:2] for measured in measures}
    if len(shapes) != 1:
        raise ValueError(f"all measures need the same systems and items, not {sorted(shapes)}")
    scored = [_scored(measured, clusters) for measured in measures]
    weights = np.concatenate(list(draws(len(scored[0].units), resamples=resamples, seed=seed)))
    each = tuple(_ranks(system, weights, confidence) for system in scored)
    scales = [_typical_error(system.units) for system in scored]
    usable = [(system, scale) for system, scale in zip(scored, scales, strict=True) if scale > 0]
    if not usable:
        return RankTable(each, each[0])
    scores, units = (
        np.mean([part / scale for part, scale in parts], axis=0)
        for parts in (
            [(system.scores, scale) for system, scale in usable],
            [(system.units, scale) for system, scale in usable],
        )
    )
    return RankTable(each, _ranks(_Scored(scores, units), weights, confidence))


class _Scored(NamedTuple):
    scores: Floats
    """Higher is better, shape (systems,)."""
    units: Floats
    """The jackknife's pseudo-values, whose means stand for the scores of resamples; shape (units, systems)."""


def _scored(measured: Measured, clusters: Integers | None) -> _Scored:
    sign = 1.0 if measured.higher_is_better else -1.0
    left_out = [leave_out(rows, measured.aggregate, clusters) for rows in measured.rows]
    scores = sign * np.array([system.score for system in left_out])
    without = sign * np.stack([system.without for system in left_out], axis=1)
    return _Scored(scores, len(without) * scores - (len(without) - 1) * without)


def _ranks(system: _Scored, weights: Floats, confidence: float) -> Ranks:
    better = _shown_better(system, weights, confidence)
    low = 1 + better.sum(axis=0)
    high = int((~np.isnan(system.scores)).sum()) - better.sum(axis=1)
    drawn = system.scores + weights @ (system.units - system.units.mean(axis=0)) / len(system.units)
    return Ranks(_midranks(system.scores), low, high, _chance_of_best(drawn), better)


def _shown_better(system: _Scored, weights: Floats, confidence: float) -> NDArray[np.bool_]:
    """Which differences are above 0 when all are tested at once, one after another (Romano & Wolf, 2005).

    Each t is compared with the largest that chance makes of any pair not yet decided, by the bootstrap: the difference
    of a resample from the one observed, over the resample's own standard error.
    """
    systems, n = len(system.scores), len(system.units)
    first, second = np.triu_indices(systems, 1)
    difference = difference_of(system.scores[first], system.scores[second])
    units = system.units[:, first] - system.units[:, second]
    units = units - units.mean(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((units**2).sum(axis=0) / n / max(1, n - 1))
        moved = weights @ units / n
        errors = np.sqrt(np.maximum(weights @ units**2 / n - moved**2, 0) / max(1, n - 1))
        sizes, chance = np.abs(difference) / error, np.nan_to_num(np.abs(moved) / errors, posinf=np.inf)
    # A difference that is the same on every unit has no error: decided where so many signs alone would be significant.
    still = error <= ROUNDING * (np.abs(system.scores[first]) + np.abs(system.scores[second]))
    shown = still & (sizes > 1) & (2.0 ** (1 - n) < 1 - confidence)
    undecided = np.isfinite(sizes) & ~still
    while undecided.any():
        largest = np.where(undecided, chance, 0.0).max(axis=1)
        decided = undecided & (sizes > float(np.quantile(largest, confidence, method="higher")))
        if not decided.any():
            break
        shown |= decided
        undecided &= ~decided
    better = np.zeros((systems, systems), dtype=bool)
    up = difference > 0
    better[np.where(up, first, second)[shown], np.where(up, second, first)[shown]] = True
    return better


def _typical_error(units: Floats) -> float:
    """The standard error of a difference between two systems, as the root of the mean square over pairs."""
    first, second = np.triu_indices(units.shape[1], 1)
    if len(units) < 2 or not len(first):
        return 0.0
    variances = (units[:, first] - units[:, second]).var(axis=0, ddof=1) / len(units)
    known = variances[np.isfinite(variances)]
    return float(np.sqrt(known.mean())) if known.size else 0.0


def _chance_of_best(drawn: Floats) -> Floats:
    defined = drawn[~np.isnan(drawn).all(axis=1)]
    if not len(defined):
        return np.full(drawn.shape[1], np.nan)
    most = np.nanmax(defined, axis=1, keepdims=True)
    top = defined >= most - ROUNDING * np.abs(most)
    return np.asarray((top / top.sum(axis=1, keepdims=True)).mean(axis=0))


def _midranks(scores: Floats) -> Floats:
    known = ~np.isnan(scores)
    ahead = difference_of(scores[known, None], scores[None, known])
    ranks = np.full(len(scores), np.nan)
    ranks[known] = (ahead < 0).sum(axis=1) + ((ahead == 0).sum(axis=1) + 1) / 2
    return ranks
