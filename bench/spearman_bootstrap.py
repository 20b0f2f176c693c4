"""Our bootstrap of rank correlations against scipy's: 10,000 resamples of 10,000 pairs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import scipy.stats

from bench.fresh import fresh
from bench.result import BenchResult
from dialeval.core import Floats
from dialeval.stats.correlation.bootstrap import bootstrap_correlation
from dialeval.stats.estimate import Coefficient

PAIRS, TRIALS, REPEATS = 10_000, 10_000, 2
# scipy would take minutes: it does these, and its time is scaled up.
PEER_TRIALS = 200


def run() -> Iterator[BenchResult]:
    """Real numbers, and ratings from 1 to 5 against real numbers, as people and measures give them."""
    x, y = _pairs()
    rated = np.clip(np.rint(x + 3), 1, 5)
    yield _against("bootstrap spearman, 10,000 pairs", x, y, "spearman", fresh(__name__, "largest").peak_mb)
    yield _against("bootstrap spearman, ratings", rated, y, "spearman")
    yield _against("bootstrap pearson, 10,000 pairs", x, y, "pearson")


def largest() -> None:
    bootstrap_correlation(*_pairs(), "spearman", resamples=TRIALS)


def _against(name: str, x: Floats, y: Floats, kind: Coefficient, peak: float | None = None) -> BenchResult:
    # The first call of an installation compiles.
    bootstrap_correlation(x, y, kind, resamples=1000)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        scores = bootstrap_correlation(x, y, kind, resamples=TRIALS)
        times.append(time.perf_counter() - start)
    start = time.perf_counter()
    error = _scipy_error(x, y, kind)
    peer = (time.perf_counter() - start) * TRIALS / PEER_TRIALS
    apart = abs(error / scores.std(ddof=1) - 1)
    note = f"scipy.stats.bootstrap, {PEER_TRIALS} trials scaled up; standard errors {apart:.0e} apart"
    return BenchResult(name, min(times), peer, note, peak)


def _scipy_error(x: Floats, y: Floats, kind: Coefficient) -> float:
    def coefficient(a: Floats, b: Floats) -> float:
        if kind == "pearson":
            return float(scipy.stats.pearsonr(a, b).statistic)
        return float(scipy.stats.spearmanr(a, b).statistic)

    done = scipy.stats.bootstrap(
        [x, y],
        coefficient,
        paired=True,
        vectorized=False,
        n_resamples=PEER_TRIALS,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    return float(done.standard_error)


def _pairs() -> tuple[Floats, Floats]:
    x, noise = np.random.default_rng(0).normal(size=(2, PAIRS))
    return x, x + noise
