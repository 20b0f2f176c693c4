"""The bootstrap over items, computed from sums of their rows (Efron & Tibshirani, 1993, chapters 6 and 13).

A score is a function of summed rows, so a resample never copies rows: it is a vector of how often each item
was drawn, and a batch of resamples is one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.uint8]
"""Which units are swapped in each resample, shape (resamples, units)."""
Aggregate: TypeAlias = Callable[[Floats], Floats]
"""From summed rows, shape (..., k), to scores, shape (...)."""

CELLS = 1 << 20
"""Weights held at once. Enough that the product is fast, few enough to stay in a few megabytes."""


class Bounds(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


def bootstrap(
    rows: Floats,
    aggregate: Aggregate,
    *,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Integers | None = None,
) -> Floats:
    """Scores of ``resamples`` resamples of the items, shape (resamples,); all NaN where there are no items.

    Each resample draws as many items as there are, with replacement. ``clusters`` gives each row's cluster:
    then whole clusters are drawn, which is right where the items of one document resemble each other.
    """
    units = pool(rows, clusters)
    totals = [weights @ units for weights in draws(len(units), resamples=resamples, seed=seed)]
    return aggregate(np.concatenate(totals)) if len(units) else np.full(resamples, np.nan)


def percentile_interval(scores: Floats, confidence: float = 0.95) -> Bounds:
    """The central ``confidence`` of resampled scores (Efron & Tibshirani, 1993, section 13.3).

    NaN scores (resamples without a defined score) are left out. A bound is NaN where no score is left,
    or where it falls among infinite ones.
    """
    check_confidence(confidence)
    defined = scores[~np.isnan(scores)]
    if not defined.size:
        return Bounds(np.nan, np.nan)
    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(defined, [tail, 1 - tail])
    return Bounds(float(low), float(high))


def check_confidence(confidence: float) -> None:
    """Refuse what is not a probability strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")


def pool(rows: Floats, clusters: Integers | None) -> Floats:
    """The rows that are resampled: as given, or summed within each cluster in order of its label."""
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ValueError(
            f"rows must be finite and of shape (n, k), not {rows.shape}; leave unscored items out"
        )
    if clusters is None:
        return rows
    if clusters.shape != (len(rows),):
        raise ValueError(f"{len(rows)} rows need as many cluster labels, not {clusters.shape}")
    labels, inverse = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(labels), rows.shape[1]))
    np.add.at(sums, inverse, rows)
    return sums


def draws(n: int, *, resamples: int, seed: int, cells: int = CELLS) -> Iterator[Floats]:
    """How often each of ``n`` units occurs in each resample: multinomial counts, in blocks of (some, n).

    One stream of random numbers serves all blocks, so the counts do not depend on ``cells``, and fewer resamples
    give the first of more.
    """
    rng = np.random.default_rng(seed)
    for size in blocks(n, resamples, cells):
        drawn = rng.integers(n, size=(size, n)) if n else np.empty((size, 0), np.int64)
        drawn += n * np.arange(size)[:, None]  # so that one count serves all of them
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)


def random_swaps(n: int, *, resamples: int, seed: int, cells: int = CELLS) -> Iterator[Bits]:
    """Fair bits for ``n`` units, some resamples at a time."""
    rng = np.random.default_rng(seed)
    for size in blocks(n, resamples, cells):
        # Whole 64-bit words per resample, so that the bits do not depend on the size of the block.
        words = rng.integers(2**64 - 1, size=(size, -(-n // 64)), dtype=np.uint64, endpoint=True)
        yield np.unpackbits(words.astype("<u8").view(np.uint8), axis=1, count=n)


def every_swap(n: int) -> Bits:
    """All 2^n ways to swap ``n`` units."""
    return (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(np.uint8)


def blocks(n: int, resamples: int, cells: int = CELLS) -> Iterator[int]:
    """Sizes that add up to ``resamples``, each block having about ``cells`` cells of ``n`` columns at most."""
    if resamples < 1:
        raise ValueError(f"resampling needs at least one resample, not {resamples}")
    most = max(1, cells // max(1, n))
    for start in range(0, resamples, most):
        yield min(most, resamples - start)


_ROWS_AT_ONCE = 1 << 16


def in_blocks(aggregate: Aggregate, rows: Floats) -> Floats:
    """What the function makes of each row, shape (n,), of some rows at a time, since it may copy them several times."""
    if len(rows) <= _ROWS_AT_ONCE:
        return np.asarray(aggregate(rows), dtype=np.float64)
    found = np.empty(len(rows))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        found[start : start + _ROWS_AT_ONCE] = aggregate(rows[start : start + _ROWS_AT_ONCE])
    return found
