"""How many items, systems or raters tell two measures apart, and how closely they pin down a correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling
from dialeval.display.notes import Note
from dialeval.errors import Unsuitable
from dialeval.files.documents import finite
from dialeval.meta.document import Coefficient, Level, PowerCurve, WidthCurve, WidthPoint
from dialeval.meta.planning.correlation_draws import CELLS, packed, sample, told_apart
from dialeval.meta.planning.curves import power_point, sizes_to_try
from dialeval.ratings.joined import Joined
from dialeval.stats.correlation.coefficients import correlations
from dialeval.stats.resampling.bootstrap import blocks, percentile_interval

FEWER: Final = Resampling(resamples=200)
"""Draws of ratings are slow, and their spread is seen soon."""


def power_between_measures(
    joined: Joined,
    first: str,
    second: str,
    sizes: Sequence[int] | None = None,
    *,
    level: Literal["item", "system"] = "item",
    over: Literal["items", "systems"] = "items",
    coefficient: Coefficient = "spearman",
    resampling: Resampling = DEFAULT_RESAMPLING,
    target: float = 0.8,
) -> PowerCurve:
    """The power to find which of two measures agrees better with people, against the number of items or systems.

    Each trial draws items (or systems) with replacement, correlates both measures with people over all drawn answers
    (``item``) or over the systems' means (``system``), and tests the difference by Williams (1959), two-sided. Only a
    difference in the direction of the data at hand counts as found; trials without a correlation count as not found.
    """
    drawn_from = sample(joined, (first, second), level, over)
    tried = sizes_to_try(sizes, drawn_from.units, fewest=2)
    correlate = drawn_from.correlator(coefficient, resampling.resamples)
    observed = correlate(np.ones((1, drawn_from.units), dtype=np.int64)).r
    effect = float(observed[0, 0] - observed[1, 0])
    if not effect or np.isnan(effect):
        found_at_all = "no correlation" if np.isnan(effect) else "the same correlation"
        raise Unsuitable(
            f"{first!r} and {second!r} have {found_at_all} here, so there is no difference to find."
        )
    detected = np.zeros(len(tried), dtype=np.int64)
    for counts, index in drawn_from.draws(tried, resampling.resamples, resampling.seed):
        drawn = correlate(counts)
        agrees = np.sign(drawn.r[0] - drawn.r[1]) == np.sign(effect)
        detected[index] += int(np.count_nonzero(told_apart(drawn, resampling.alpha) & agrees))
    better, worse = (first, second) if effect > 0 else (second, first)
    return PowerCurve(
        question=f"to find that {better} agrees better with people than {worse}",
        over=over,
        points=tuple(
            power_point(size, count, resampling.resamples)
            for size, count in zip(tried, detected.tolist(), strict=True)
        ),
        effect=effect,
        design=f"Williams' test of {coefficient} correlations, level {level}; {over} drawn with replacement",
        target=target,
        alpha=resampling.alpha,
        trials=resampling.resamples,
        seed=resampling.seed,
        notes=drawn_from.notes,
        at_hand=drawn_from.units,
    )


def width_of_correlation(
    joined: Joined,
    measure: str,
    sizes: Sequence[int] | None = None,
    *,
    level: Level = "item",
    over: Literal["items", "systems"] = "items",
    coefficient: Coefficient = "spearman",
    resampling: Resampling = DEFAULT_RESAMPLING,
    target: float = 0.2,
) -> WidthCurve:
    """Where a measure's correlation with people lies, against the number of items or systems drawn with replacement."""
    drawn_from = sample(joined, (measure,), level, over)
    tried = sizes_to_try(sizes, drawn_from.units, fewest=2)
    correlate = drawn_from.correlator(coefficient, resampling.resamples)
    drawn: list[list[Floats]] = [[] for _ in tried]
    for counts, index in drawn_from.draws(tried, resampling.resamples, resampling.seed):
        drawn[index].append(correlate(counts).r[0])
    return WidthCurve(
        question=f"to pin down the correlation of {measure} with people",
        over=over,
        points=tuple(
            _width(size, np.concatenate(parts), resampling.confidence)
            for size, parts in zip(tried, drawn, strict=True)
        ),
        design=f"{coefficient}, level {level}; {over} drawn with replacement",
        target=target,
        level=resampling.confidence,
        trials=resampling.resamples,
        seed=resampling.seed,
        notes=drawn_from.notes,
        at_hand=drawn_from.units,
    )


def correlation_by_raters(
    joined: Joined,
    measure: str,
    sizes: Sequence[int] | None = None,
    *,
    coefficient: Coefficient = "spearman",
    resampling: Resampling = FEWER,
    target: float = 0.1,
) -> WidthCurve:
    """Where a measure's correlation with people lies, level ``item``, against the number of ratings of each answer.

    Each trial draws that many ratings of every answer without replacement and correlates their means; items stay as
    they are, so the interval holds the luck of who rated and nothing else. Draws from few ratings resemble each other,
    which the finite population correction makes up for (Cochran, 1977, section 2.6); so answers need more ratings than
    the largest size, and those that have no more are left out. Few ratings are noisy: the correlation rises with them.
    """
    drawn_from = sample(joined, (measure,), "item", "items")
    ratings = packed(joined)[drawn_from.cells]
    held = (~np.isnan(ratings)).sum(axis=1)
    tried = sizes_to_try(sizes or range(1, max(2, int(held.min()))), int(held.min()), fewest=1)
    kept = held > tried[-1]
    if kept.sum() < 3:
        raise Unsuitable(
            f"Found {int(kept.sum())} answers with more than {tried[-1]} ratings, needed 3. Take smaller sizes."
        )
    ratings, scores, held = ratings[kept], drawn_from.values[1][kept], held[kept]
    drawn: list[list[Floats]] = [[] for _ in tried]
    rng = np.random.default_rng(resampling.seed)
    for block in blocks(ratings.size, resampling.resamples, CELLS):
        keys = np.where(np.isnan(ratings), np.inf, rng.random((block, *ratings.shape)))
        picked = np.take_along_axis(np.broadcast_to(ratings, keys.shape), np.argsort(keys, axis=-1), axis=-1)
        sums = np.cumsum(picked, axis=-1)
        for index, size in enumerate(tried):
            drawn[index].append(correlations(sums[..., size - 1] / size, scores, coefficient))
    points = [
        _stretched(size, np.concatenate(parts), float(np.mean(1 - size / held)), resampling.confidence)
        for size, parts in zip(tried, drawn, strict=True)
    ]
    left_out = int((~kept).sum())
    return WidthCurve(
        question=f"to free the correlation of {measure} with people from who rated",
        over="raters",
        points=tuple(points),
        design=f"{coefficient}, level item; ratings drawn without replacement",
        target=target,
        level=resampling.confidence,
        trials=resampling.resamples,
        seed=resampling.seed,
        notes=(_left_out(left_out, tried[-1]),) if left_out else (),
        at_hand=int(held.min()),
    )


def _width(size: int, drawn: Floats, confidence: float) -> WidthPoint:
    low, high = percentile_interval(drawn, confidence)
    return _point(size, low, high, drawn)


def _stretched(size: int, drawn: Floats, free: float, confidence: float) -> WidthPoint:
    """The interval as wide as draws of new raters would make it, ``free`` being the share that was not drawn."""
    centre, stretch = float(np.nanmean(drawn)), 1 / math.sqrt(free)
    bounds = percentile_interval(drawn, confidence)
    low, high = (max(-1.0, min(1.0, centre + (end - centre) * stretch)) for end in bounds)
    return _point(size, low, high, drawn)


def _point(size: int, low: float, high: float, drawn: Floats) -> WidthPoint:
    undefined = int(np.isnan(drawn).sum())
    return WidthPoint(size, finite(high - low), finite(low), finite(high), undefined)


def _left_out(answers: int, most: int) -> Note:
    return Note("answers_left_out", f"{answers} answers have no more than {most} ratings")
