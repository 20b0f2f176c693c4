"""The bootstrap over items, computed from sums of their rows (Efron & Tibshirani, 1993, chapters 6 and 13).

A score is a function of summed rows, so a resample never copies rows: it is a vector of how often each item
was drawn, and a batch of resamples is one matrix product. If few columns vary, as those of a mean, their values are
looked up instead, which takes less than counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.uint8]
"""Which units are swapped in each resample, shape (resamples, units)."""
Aggregate: TypeAlias = Callable[[Floats], Floats]
"""From summed rows, shape (..., k), to scores, shape (...)."""
Bounds: TypeAlias = tuple[float, float]
"""Lower and upper end of an interval; both NaN if it is undefined."""

CELLS = 1 << 20
"""Weights held at once. Enough that the product is fast, few enough to stay in a few megabytes."""


_CLOSE = 1 << 16
"""Numbers drawn at once, which a processor keeps close until they are used."""
_FEW_COLUMNS = 3
"""Columns of numbers that are looked up as fast as their units are counted."""


def bootstrap(
    rows: Floats,
    aggregate: Aggregate,
    *,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Integers | None = None,
) -> Floats:
    """Scores of ``resamples`` resamples of the items, shape (resamples,); all NaN if there are no items.

    Each resample draws as many items as there are, with replacement. ``clusters`` gives each row's cluster:
    then whole clusters are drawn, which is right where the items of one document resemble each other.
    """
    units = pool(rows, clusters)
    if not len(units):
        return np.full(resamples, np.nan)
    varying = np.flatnonzero(np.ptp(units, axis=0))
    if len(varying) <= _FEW_COLUMNS:
        return aggregate(_looked_up(units, varying, resamples, seed))
    totals = [weights @ units for weights in draws(len(units), resamples=resamples, seed=seed)]
    return aggregate(np.concatenate(totals))


def _looked_up(units: Floats, varying: Integers, resamples: int, seed: int) -> Floats:
    """Sums over each resample, shape (resamples, k), given the columns that are not the same for all units."""
    sums = np.tile(len(units) * units[0], (resamples, 1))
    columns = [(column, np.ascontiguousarray(units[:, column])) for column in varying.tolist()]
    rng, start = np.random.default_rng(seed), 0
    for few in blocks(len(units), resamples, _CLOSE):
        drawn = _draw(rng, few, len(units))
        for column, values in columns:
            sums[start : start + few, column] = values[drawn].sum(axis=1)
        start += few
    return sums


def percentile_interval(scores: Floats, confidence: float = 0.95) -> Bounds:
    """The central ``confidence`` of resampled scores (Efron & Tibshirani, 1993, section 13.3).

    NaN scores (resamples without a defined score) are left out. A bound is NaN if no score is left,
    or where it falls among infinite ones.
    """
    check_confidence(confidence)
    defined = scores[~np.isnan(scores)]
    if not defined.size:
        return (np.nan, np.nan)
    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(defined, [tail, 1 - tail])
    return (float(low), float(high))


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
    """Yield how often each of ``n`` units occurs in each resample: multinomial counts, in blocks of (some, n).

    One stream of random numbers serves all blocks, so the counts do not depend on ``cells``, and fewer resamples
    give the first of more.
    """
    rng = np.random.default_rng(seed)
    for size in blocks(n, resamples, cells):
        counts = np.empty((size, n))
        start = 0
        for few in blocks(n, size, _CLOSE):
            drawn = _draw(rng, few, n)
            drawn += n * np.arange(few)[:, None]  # so that one count serves all of them
            counts[start : start + few] = np.bincount(drawn.ravel(), minlength=few * n).reshape(few, n)
            start += few
        yield counts


def _draw(rng: np.random.Generator, resamples: int, n: int) -> Integers:
    """The units of each resample, shape (resamples, n)."""
    return rng.integers(n, size=(resamples, n)) if n else np.empty((resamples, 0), np.int64)


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


def sum_rows(rows: Floats) -> Floats:
    """The sum of all rows, shape (k,): every bit of ``rows.sum(axis=0)``, at a quarter of its time."""
    if rows.shape[1] > 1 and rows.flags.c_contiguous:
        return np.asarray(np.einsum("ij->j", rows))
    return np.asarray(rows.sum(axis=0))


_ROWS_AT_ONCE = 1 << 16


def in_blocks(aggregate: Aggregate, rows: Floats) -> Floats:
    """Apply the function to each row, shape (n,), of some rows at a time, since it may copy them several times."""
    if len(rows) <= _ROWS_AT_ONCE:
        return np.asarray(aggregate(rows), dtype=np.float64)
    found = np.empty(len(rows))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        found[start : start + _ROWS_AT_ONCE] = aggregate(rows[start : start + _ROWS_AT_ONCE])
    return found
