"""Uncertainty of ranks: an interval of each system's rank, and the probability of being the best.

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
    """Ranks of systems; arrays are of shape (systems,) in the order given."""

    rank: Floats
    """1 is best; systems with equal scores share the mean of their ranks. NaN if a score is undefined."""
    best: Integers
    """The best rank that the system may have."""
    worst: Integers
    p_best: Floats
    """Share of the resamples in which no system scores higher; shared by those that tie.

    Resamples of few units vary too little, so that they are spread as Student's t is beside the normal distribution.
    """
    better: NDArray[np.bool_]
    """Whether the system of the row is shown to be better than that of the column, shape (systems, systems)."""


class RankTable(NamedTuple):
    """Ranks under each measure, and over all of them."""

    measures: tuple[Ranks, ...]
    overall: Ranks
    """By the weighted mean over measures of the score in units of its standard error."""


class Jackknifed(NamedTuple):
    """Several systems under one measure, each with its score and what it would be without each unit."""

    scores: Floats
    """Shape (systems,)."""
    without: Floats
    """Shape (units, systems)."""
    higher_is_better: bool
    units: tuple[str, ...] | None = None
    """Names of the units, which may be those of other measures too; None if all measures have the same units."""
    weight: float = 1.0
    """Weight of the measure beside others when they are taken together."""


def rank_systems(
    measures: Sequence[Measured],
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    clusters: Integers | None = None,
) -> RankTable:
    """Ranks of systems on their shared items, with intervals that hold for all systems of a measure at once."""
    shapes = {measured.rows.shape[:2] for measured in measures}
    if len(shapes) != 1:
        raise ValueError(f"all measures need the same systems and items, not {sorted(shapes)}")
    left_out = [_jackknifed(measured, clusters) for measured in measures]
    return rank_jackknifed(left_out, resamples=resamples, seed=seed, confidence=confidence)


def rank_jackknifed(
    measures: Sequence[Jackknifed], *, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> RankTable:
    """Rank systems by scores without each unit; units of one name are one, measures may have different ones."""
    check_confidence(confidence)
    scored = [_scored(measure) for measure in measures]
    parts = [*scored, _combined(scored)]
    ranks: list[Ranks | None] = [None] * len(parts)
    # Parts with the same units share their resamples, which take most of the time.
    for units in dict.fromkeys(part.units for part in parts):
        places = [place for place, part in enumerate(parts) if part.units == units]
        together = [parts[place] for place in places]
        for place, part, drawn in zip(places, together, _resampled(together, resamples, seed), strict=True):
            ranks[place] = _ranks(part, drawn, _spread(len(units), resamples, seed), confidence)
    *each, overall = (found for found in ranks if found is not None)
    return RankTable(tuple(each), overall)


class _Scored(NamedTuple):
    scores: Floats
    """Higher is better, shape (systems,)."""
    pseudo: Floats
    """The jackknife's pseudo-values, whose means stand for the scores of resamples; shape (units, systems)."""
    units: tuple[str, ...]
    weight: float = 1.0

    @property
    def centred(self) -> Floats:
        """Influence of each unit on the scores."""
        return np.asarray(self.pseudo - self.pseudo.mean(axis=0))

    @property
    def pairs(self) -> Floats:
        """Influence of each unit on the difference of each pair of systems, shape (units, pairs)."""
        first, second = np.triu_indices(len(self.scores), 1)
        return self.centred[:, first] - self.centred[:, second]


class _Drawn(NamedTuple):
    """Scores of a part on resamples."""

    moved: Floats
    """Change of each score, shape (resamples, systems)."""
    squares: Floats
    """Mean squares of what units add to the differences, shape (resamples, pairs)."""


def _jackknifed(measured: Measured, clusters: Integers | None) -> Jackknifed:
    left_out = [leave_out(rows, measured.aggregate, clusters) for rows in measured.rows]
    scores = np.array([system.score for system in left_out])
    return Jackknifed(
        scores, np.stack([system.without for system in left_out], axis=1), measured.higher_is_better
    )


def _scored(measure: Jackknifed) -> _Scored:
    sign = 1.0 if measure.higher_is_better else -1.0
    scores, without, n = sign * measure.scores, sign * measure.without, len(measure.without)
    names = measure.units if measure.units is not None else tuple(map(str, range(n)))
    return _Scored(scores, n * scores - (n - 1) * without, names, measure.weight)


def _combined(parts: Sequence[_Scored]) -> _Scored:
    """All measures together: weighted means of scores in units of their standard errors.

    A unit that a measure does not have adds nothing to its score.
    """
    scales = [_typical_error(part.pseudo) for part in parts]
    usable = [(part, scale) for part, scale in zip(parts, scales, strict=True) if scale > 0]
    if not usable:
        return parts[0]
    names = usable[0][0].units
    alike = all(part.units == names for part, _ in usable)
    if not alike:
        names = tuple(dict.fromkeys(unit for part, _ in usable for unit in part.units))
    places = {} if alike else {name: place for place, name in enumerate(names)}
    added = np.zeros((len(names), len(parts[0].scores)))
    for part, scale in usable:
        where = slice(None) if alike else [places[unit] for unit in part.units]
        added[where] += part.weight * part.centred / len(part.units) / scale
    total = sum(part.weight for part, _ in usable)
    scores = np.sum([part.weight * part.scores / scale for part, scale in usable], axis=0) / total
    return _Scored(scores, scores + len(names) * added / total, names)


def _resampled(parts: Sequence[_Scored], resamples: int, seed: int) -> list[_Drawn]:
    """Scores, on the same resamples, of several parts that have the same units."""
    n = len(parts[0].units)
    columns = [table for part in parts for table in (part.centred, part.pairs**2)]
    edges = np.cumsum([table.shape[1] for table in columns])[:-1]
    table = np.hstack(columns)
    sums = [weights @ table for weights in draws(n, resamples=resamples, seed=seed)]
    tables = np.split(np.concatenate(sums) / max(1, n), edges, axis=1)
    return [_Drawn(*pair) for pair in zip(tables[::2], tables[1::2], strict=True)]


def _spread(units: int, resamples: int, seed: int) -> Floats:
    """Stretch of each resample: n - 1 for n in the variance, and Student's t for a normal distribution."""
    if units < 2:
        return np.ones((resamples, 1))
    squares = np.random.default_rng([seed, units]).chisquare(units - 1, size=(resamples, 1))
    return np.asarray(np.sqrt(units / np.maximum(squares, np.finfo(float).tiny)))


def _ranks(part: _Scored, drawn: _Drawn, spread: Floats, confidence: float) -> Ranks:
    better = _shown_better(part, drawn, confidence)
    best = 1 + better.sum(axis=0)
    worst = int((~np.isnan(part.scores)).sum()) - better.sum(axis=1)
    return Ranks(
        _midranks(part.scores), best, worst, _chance_of_best(part.scores + spread * drawn.moved), better
    )


def _shown_better(part: _Scored, drawn: _Drawn, confidence: float) -> NDArray[np.bool_]:
    """Which differences are above 0 when all are tested at once, one after another (Romano & Wolf, 2005).

    Each t is compared with the largest that chance makes of any pair not yet decided, by the bootstrap: the difference
    of a resample from the one observed, over the resample's own standard error.
    """
    systems, n = len(part.scores), len(part.units)
    first, second = np.triu_indices(systems, 1)
    difference = difference_of(part.scores[first], part.scores[second])
    moved = drawn.moved[:, first] - drawn.moved[:, second]
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt((part.pairs**2).sum(axis=0) / n / max(1, n - 1))
        errors = np.sqrt(np.maximum(drawn.squares - moved**2, 0) / max(1, n - 1))
        sizes, chance = np.abs(difference) / error, np.nan_to_num(np.abs(moved) / errors, posinf=np.inf)
    # A difference that is the same on every unit has no error: decided where so many signs alone would be significant.
    still = error <= ROUNDING * (np.abs(part.scores[first]) + np.abs(part.scores[second]))
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
