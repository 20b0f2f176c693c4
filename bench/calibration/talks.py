"""Talks with simulated users: coverage of success, pass^k, and success corrected by real talks, with known truth."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from bench.calibration.table import Table, percent
from dialeval import Resampling, evaluate
from dialeval.data.types import Dialogue, Turn
from dialeval.evaluation.runner import Plan
from dialeval.talks.correction import correct_success
from dialeval.talks.metrics import PassK, Success

TRIALS: Final = 1000
REPEATS: Final = 4
SIZES: Final = (20, 50, 100)
NONE: Final = Resampling(resamples=1)
COLUMNS: Final = ("design", "scenarios", "success", "pass_k(k=2)", "pass_k(k=4)")
REAL: Final = ("simulator", "scenarios", "with real talks", "success covered", "difference covered", "worth")


def tables() -> Iterator[Table]:
    """One table of intervals over scenarios, with repeats nested in them, and one of corrected success."""
    yield Table(f"Talks: coverage of 95 % intervals, {REPEATS} repeats, per cent", COLUMNS, _rows())
    yield Table("Success corrected by real talks: coverage of 95 % intervals, per cent", REAL, _corrected())


def _rows() -> Iterator[tuple[str, ...]]:
    designs = {"chances from 0 to 1": (1.0, 1.0), "easy or hopeless": (0.3, 0.3), "mostly easy": (8.0, 2.0)}
    for name, (a, b) in designs.items():
        truth = {k: _moment(a, b, k) for k in (1, 2, 4)}
        for size in SIZES:
            rng = np.random.default_rng([size, int(10 * a), int(10 * b)])
            covered = np.zeros(3)
            for _ in range(TRIALS):
                talks = list(_talks("s", rng.beta(a, b, size), rng))
                for place, (k, metric) in enumerate(((1, Success()), (2, PassK(k=2)), (4, PassK(k=4)))):
                    found = evaluate(metric, talks, Plan(resampling=NONE)).estimate
                    low, high = found.bounds or (found.number, found.number)
                    covered[place] += low <= truth[k] <= high
            yield name, str(size), *(percent(share) for share in covered / TRIALS)


def _moment(a: float, b: float, k: int) -> float:
    """The mean of the k-th power of a chance that has this beta distribution: true pass^k."""
    return float(np.prod([(a + n) / (a + b + n) for n in range(k)]))


def _talks(
    system: str, chances: np.ndarray, rng: np.random.Generator, repeats: int = REPEATS
) -> Iterator[Dialogue]:
    for scenario, chance in enumerate(chances.tolist()):
        for repeat in range(repeats):
            success = bool(rng.random() < chance)
            turns = (Turn("user", f"{rng.random()}"), Turn("assistant", "Yes."))
            yield Dialogue(f"{scenario}/{repeat}", turns, system, {"success": success})


def _corrected() -> Iterator[tuple[str, ...]]:
    """Two systems; the simulated user is right, too kind by .2, or unrelated to real users."""
    simulators = {"right": (0.0, 1.0), "too kind": (0.2, 1.0), "unrelated": (0.0, 0.0)}
    for name, (bias, weight) in simulators.items():
        for size, rated in ((100, 20), (200, 40)):
            rng = np.random.default_rng([size, int(100 * bias), int(weight)])
            covered, worth = np.zeros(2), []
            for _ in range(TRIALS):
                single, pair, gained = _one(rng, size, rated, bias, weight)
                covered += single, pair
                worth.append(gained)
            shares = [percent(share) for share in covered / TRIALS]
            yield name, str(size), str(rated), *shares, f"{float(np.median(worth)):.0f}"


def _one(
    rng: np.random.Generator, size: int, rated: int, bias: float, weight: float
) -> tuple[bool, bool, float]:
    simulated: list[Dialogue] = []
    real: list[Dialogue] = []
    chosen = rng.permutation(size)[:rated]
    truth = {"a": 0.6, "b": 0.45}
    shared = rng.normal(0, 0.2, size)
    for system, level in truth.items():
        chances = np.clip(level + shared + rng.normal(0, 0.1, size), 0, 1)
        truth[system] = _mean_of_clipped(level)
        other = rng.random(size)
        shown = np.clip(weight * chances + (1 - weight) * other + bias, 0, 1)
        simulated += _talks(system, shown, rng)
        real += [
            Dialogue(f"{n}/1", (), system, {"success": bool(rng.random() < chances[n])})
            for n in chosen.tolist()
        ]
    found = {(each.system, each.other): each for each in correct_success(simulated, real)}
    (a, b) = next(combinations(truth, 2))
    single, pair = found[a, None], found[a, b]
    return (
        _holds(single.corrected.bounds, truth[a]),
        _holds(pair.corrected.bounds, truth[a] - truth[b]),
        single.worth or 0.0,
    )


def _mean_of_clipped(level: float) -> float:
    """The mean chance, by a grid of the normal distribution of sd √(.2² + .1²), clipped to 0 and 1."""
    from scipy.special import ndtri

    quantiles = (np.arange(20_000) + 0.5) / 20_000
    return float(np.clip(level + np.hypot(0.2, 0.1) * ndtri(quantiles), 0, 1).mean())


def _holds(bounds: tuple[float, float] | None, truth: float) -> bool:
    return bounds is not None and bounds[0] <= truth <= bounds[1]
