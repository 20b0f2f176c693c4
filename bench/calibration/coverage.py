"""How often an interval holds the truth, beside the percentile bootstrap's, over many samples of a population."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from dialeval.stats.resampling.bootstrap import (
    Aggregate,
    Bounds,
    Floats,
    Integers,
    draws,
    percentile_interval,
)
from dialeval.stats.resampling.intervals import UnitInterval

Sample: TypeAlias = tuple[Floats, Integers | None]
"""Rows, and the cluster of each where there are any."""
GiveInterval: TypeAlias = Callable[[Floats, Integers | None], UnitInterval]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of so many samples, the share without an interval and of the others the share that holds the truth."""

    name: str
    units: int
    before: float
    """By the percentile bootstrap over units, as in release 0.1; a zero-width interval counts as any."""
    before_unclustered: float | None
    """By the percentile bootstrap over items, where these are clustered."""
    after: float
    below: float
    """Share of intervals that lie below the truth."""
    above: float
    none: float
    """Share of samples for which no interval is given."""
    width: float
    """Median width over the bootstrap's."""


MOST_PLAIN = 200
"""Samples whose items are resampled as if independent: their numbers differ, so each needs draws of its own."""

HEADING = (
    f"{'measure':<34} {'units':>6} {'before':>7} {'items':>7} {'after':>7} {'low':>6} {'high':>6} "
    f"{'none':>6} {'width':>6}"
)


def line(found: Coverage) -> str:
    """The row under the heading; all but the width in per cent."""
    items = "" if found.before_unclustered is None else f"{100 * found.before_unclustered:.1f}"
    return (
        f"{found.name:<34} {found.units:>6} {100 * found.before:>7.1f} {items:>7} {100 * found.after:>7.1f} "
        f"{100 * found.below:>6.1f} {100 * found.above:>6.1f} {100 * found.none:>6.1f} {found.width:>6.2f}"
    )


def coverage(
    name: str,
    truth: float,
    samples: Sequence[Sample],
    aggregate: Aggregate,
    interval: GiveInterval,
) -> Coverage:
    """Over the samples, each rows and the clusters of these."""
    old: list[Bounds] = []
    plain: list[Bounds] = []
    new: list[UnitInterval] = []
    for rows, clusters in samples:
        pooled = rows if clusters is None else _pooled(rows, clusters)
        old.append(_percentile(pooled, aggregate))
        if clusters is not None and len(plain) < MOST_PLAIN:
            plain.append(_percentile(rows, aggregate))
        new.append(interval(rows, clusters))
    given = [one for one in new if one.absence is None]
    widths = [(b.high - b.low) / (a.high - a.low) for a, b in zip(old, new, strict=True) if a.high > a.low]
    below, above = (
        float(np.mean([one.high < truth for one in given])),
        float(np.mean([one.low > truth for one in given])),
    )
    return Coverage(
        name,
        new[0].units,
        _share(old, truth),
        _share(plain, truth) if plain else None,
        1 - below - above,
        below,
        above,
        1 - len(given) / len(new),
        float(np.nanmedian(widths)) if widths else float("nan"),
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
