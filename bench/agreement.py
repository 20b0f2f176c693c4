"""Agreement on a million ratings: ours against statsmodels, the krippendorff package and scikit-learn, same numbers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bench.fresh import fresh
from bench.result import BenchResult
from dialeval.core import Floats
from dialeval.stats.agreement.alpha import DISAGREEMENTS, Scale, krippendorff_alpha
from dialeval.stats.agreement.coefficients import AGREEMENTS
from dialeval.stats.agreement.kappa import counts_of, fleiss_kappa, pairwise_cohen

UNITS, RATERS, REPEATS = 200_000, 5, 3
TRIALS, PEER_TRIALS = 1000, 10


def run() -> Iterator[BenchResult]:
    """Fleiss and all alphas of 200,000 units x 5 raters, all pairs of 40 raters, and an interval."""
    ratings = _ratings(UNITS, RATERS)
    yield _against(
        "Fleiss' kappa, 1M ratings",
        lambda: fleiss_kappa(counts_of(ratings)).value,
        partial(_statsmodels, ratings),
        "statsmodels, from ratings",
        peak=fresh("bench.agreement", "fleiss").peak_mb,
    )
    scale: Scale
    for scale in DISAGREEMENTS:
        yield _against(
            f"alpha {scale}, 1M ratings",
            partial(_alpha, ratings, scale),
            partial(_krippendorff, ratings, scale),
            "krippendorff 0.9",
            peak=fresh("bench.agreement", scale).peak_mb,
        )
    few = _ratings(2_000, 40)
    yield _against(
        "Cohen's kappa, 780 pairs, 2,000 units",
        partial(_mean_kappa, few),
        partial(_scikit_learn, few),
        "scikit-learn, a loop",
    )
    yield _interval(_ratings(10_000, RATERS))


def fleiss() -> None:
    fleiss_kappa(counts_of(_ratings(UNITS, RATERS)))


def nominal() -> None:
    _alpha(_ratings(UNITS, RATERS), "nominal")


def ordinal() -> None:
    _alpha(_ratings(UNITS, RATERS), "ordinal")


def interval() -> None:
    _alpha(_ratings(UNITS, RATERS), "interval")


def ratio() -> None:
    _alpha(_ratings(UNITS, RATERS), "ratio")


def _against(
    name: str, ours: Callable[[], float], peer: Callable[[], float], what: str, peak: float | None = None
) -> BenchResult:
    seconds, value = _timed(ours)
    peer_seconds, peer_value = _timed(peer)
    return BenchResult(name, seconds, peer_seconds, f"{what}; {abs(value - peer_value):.0e} apart", peak)


def _interval(ratings: Floats) -> BenchResult:
    ours, _ = _timed(lambda: float(AGREEMENTS["alpha_ordinal"].resample(ratings, resamples=TRIALS).std()))
    rng = np.random.default_rng(0)

    def one_by_one() -> float:
        drawn = (ratings[rng.integers(len(ratings), size=len(ratings))] for _ in range(PEER_TRIALS))
        return math.fsum(_krippendorff(rows, "ordinal") for rows in drawn)

    peer, _ = _timed(one_by_one)
    note = f"a loop over krippendorff 0.9, timed on {PEER_TRIALS} of the {TRIALS:,} resamples"
    return BenchResult("alpha ordinal interval, 10,000 units", ours, peer * TRIALS / PEER_TRIALS, note)


def _alpha(ratings: Floats, scale: Scale) -> float:
    return krippendorff_alpha(ratings, scale).value


def _mean_kappa(ratings: Floats) -> float:
    return float(np.nanmean(pairwise_cohen(ratings.T).kappa))


# Peers are imported where they work: they would weigh more than our own peak of memory.


def _statsmodels(ratings: Floats) -> float:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    return float(fleiss_kappa(aggregate_raters(ratings.astype(np.int64))[0]))


def _krippendorff(ratings: Floats, scale: Scale) -> float:
    import krippendorff

    return float(krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=scale))


def _scikit_learn(ratings: Floats) -> float:
    from sklearn.metrics import cohen_kappa_score

    raters = range(ratings.shape[1])
    pairs = [cohen_kappa_score(ratings[:, i], ratings[:, j]) for i in raters for j in raters if i < j]
    return float(np.mean(pairs))


def _ratings(units: int, raters: int) -> Floats:
    """Six categories, raters one step from each other; none missing, since statsmodels takes no gaps."""
    rng = np.random.default_rng(0)
    steps = rng.integers(6, size=(units, 1)) + rng.integers(-1, 2, size=(units, raters))
    return np.asarray(np.clip(steps, 0, 5), dtype=np.float64)


def _timed(work: Callable[[], float]) -> tuple[float, float]:
    """The best time of several, which other work on the machine disturbs least, and what came of it."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        done = float(work())
        times.append(time.perf_counter() - start)
    return min(times), done
