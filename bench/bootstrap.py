"""Our bootstrap against scipy's: 1,000 resamples of the same rows from the same seed, in processor time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import scipy.stats

from bench.fresh import fresh
from bench.real_text import timed
from bench.result import BenchResult
from dialeval.core import Floats
from dialeval.stats import bootstrap

TRIALS, COLUMNS, REPEATS = 1000, 10, 5


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
    ours, scores = timed(partial(bootstrap, rows, _pooled, resamples=TRIALS, seed=0), repeats=REPEATS)
    peer, error = timed(partial(scipy_error, rows), repeats=REPEATS)
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
