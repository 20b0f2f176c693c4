"""How often an interval holds the truth, beside the percentile bootstrap's, over many samples of a population."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np

from bench.calibration.table import percent
from dialeval import Comparison, Result
from dialeval.stats.resampling.bootstrap import (
    Aggregate,
    Bounds,
    Floats,
    Integers,
    draws,
    percentile_interval,
)

Sample: TypeAlias = tuple[Floats, Integers | None]
"""Rows, and the cluster of each where there are any."""
GiveResult: TypeAlias = Callable[[Floats, Integers | None], Result | Comparison]

COLUMNS: Final = ("measure", "units", "before", "items", "after", "low", "high", "none", "width")
"""Of the samples, in per cent: whose interval holds the truth by the percentile bootstrap over units, as dialeval was
before (a zero-width interval counts as any), and over items where these are clustered; of those that have an interval
now, whose interval holds it, lies below it, lies above it; that have none; median width over the bootstrap's."""

MOST_PLAIN: Final = 200
"""Samples whose items are resampled as if independent: their numbers differ, so each needs draws of its own."""


def coverage(
    name: str, truth: float, samples: Sequence[Sample], aggregate: Aggregate, result: GiveResult
) -> tuple[str, ...]:
    """Over the samples, each rows and the clusters of these: the cells of a row."""
    old: list[Bounds] = []
    plain: list[Bounds] = []
    new: list[Bounds | None] = []
    units = 0
    for rows, clusters in samples:
        pooled = rows if clusters is None else _pooled(rows, clusters)
        old.append(_percentile(pooled, aggregate))
        if clusters is not None and len(plain) < MOST_PLAIN:
            plain.append(_percentile(rows, aggregate))
        found = result(rows, clusters)
        units = units or found.units
        new.append((found.estimate if isinstance(found, Result) else found.difference).bounds)
    known = [bounds for bounds in new if bounds is not None]
    below = float(np.mean([high < truth for _, high in known]))
    above = float(np.mean([low > truth for low, _ in known]))
    widths = [(b[1] - b[0]) / (a[1] - a[0]) for a, b in zip(old, new, strict=True) if b and a[1] > a[0]]
    return (
        name,
        str(units),
        percent(_share(old, truth)),
        percent(_share(plain, truth) if plain else None),
        percent(1 - below - above),
        percent(below),
        percent(above),
        percent(1 - len(known) / len(new)),
        f"{float(np.median(widths)):.2f}" if widths else "",
    )


def _share(intervals: Sequence[Bounds], truth: float) -> float:
    return float(np.mean([low <= truth <= high for low, high in intervals]))


_WEIGHTS: dict[int, Floats] = {}


def _percentile(rows: Floats, aggregate: Aggregate) -> Bounds:
    """As ``bootstrap`` and ``percentile_interval`` give it, but for one set of draws for all samples of a size."""
    n = len(rows)
    if n not in _WEIGHTS:
        if len(_WEIGHTS) > 50:
            _WEIGHTS.clear()
        _WEIGHTS[n] = np.concatenate(list(draws(n, resamples=500, seed=0)))
    return percentile_interval(aggregate(_WEIGHTS[n] @ rows))


def _pooled(rows: Floats, clusters: Integers) -> Floats:
    sums = np.zeros((int(clusters.max()) + 1, rows.shape[1]))
    np.add.at(sums, clusters, rows)
    return sums
