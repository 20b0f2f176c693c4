"""Our bootstrap against scipy's: 1,000 resamples of the same rows from the same seed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

import numpy as np
import scipy.stats

from bench.fresh import fresh
from bench.result import BenchResult
from dialeval.core import Floats
from dialeval.stats import bootstrap

TRIALS, COLUMNS, REPEATS = 1000, 10, 3
T = TypeVar("T")


def run() -> Iterator[BenchResult]:
    """A plain mean, scipy's best case, and a score pooled from ten columns of counts, as BLEU is."""
    for n in (10_000, 100_000):
        rows = _rows(n)
        peak = fresh("bench.bootstrap", "largest").peak_mb if n == 100_000 else None
        yield _against(f"bootstrap mean, {n:,} items", rows[:, [0, -1]], _scipy_mean, None)
        yield _against(f"bootstrap {COLUMNS} columns, {n:,} items", rows, _scipy_pooled, peak)


def largest() -> None:
    bootstrap(_rows(100_000), _pooled, resamples=TRIALS)


def _against(
    name: str, rows: Floats, scipy_error: Callable[[Floats], float], peak: float | None
) -> BenchResult:
    ours, scores = _timed(partial(bootstrap, rows, _pooled, resamples=TRIALS, seed=0))
    peer, error = _timed(partial(scipy_error, rows))
    apart = abs(error / scores.std(ddof=1) - 1)
    return BenchResult(name, ours, peer, f"scipy.stats.bootstrap; standard errors {apart:.0e} apart", peak)


def _scipy_mean(rows: Floats) -> float:
    return _scipy_error((rows[:, 0],), np.mean)


def _scipy_pooled(rows: Floats) -> float:
    def score(*columns: Floats, axis: int) -> Floats:
        return _pooled(np.stack([column.sum(axis=axis) for column in columns], axis=-1))

    return _scipy_error(tuple(rows.T), score)


def _scipy_error(data: tuple[Floats, ...], statistic: Callable[..., Floats]) -> float:
    # Batches of ten suit scipy best at both sizes; its default holds all resamples at once, 8 GB a column.
    done = scipy.stats.bootstrap(
        data,
        statistic,
        paired=len(data) > 1,
        n_resamples=TRIALS,
        batch=10,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return float(done.standard_error)


def _rows(n: int) -> Floats:
    """Nine columns that vary from item to item, and a last one that counts items."""
    rows = np.random.default_rng(0).random((n, COLUMNS))
    rows[:, -1] = 1
    return rows


def _pooled(totals: Floats) -> Floats:
    return np.asarray(totals[..., :-1].sum(axis=-1) / totals[..., -1])


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """The best time of several, which other work on the machine disturbs least, and what came of it."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        done = work()
        times.append(time.perf_counter() - start)
    return min(times), done
