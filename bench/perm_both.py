"""PERM-BOTH against a loop over scipy's coefficients: 15 systems, 1,000 items, 1,000 swaps of two measures.

Processor time of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Literal

import numpy as np
import scipy.stats

from bench.fresh import fresh
from bench.real_text import timed
from bench.result import BenchResult
from dialeval.core import Floats
from dialeval.stats.correlation.dependent import perm_both
from dialeval.stats.estimate import LEVELS, Coefficient, Level
from dialeval.stats.resampling.bootstrap import random_swaps

SYSTEMS, ITEMS, TRIALS, REPEATS = 15, 1000, 1000, 4
SCIPY: Mapping[Coefficient, Callable[[Floats, Floats], float]] = {
    "pearson": lambda x, y: float(scipy.stats.pearsonr(x, y).statistic),
    "spearman": lambda x, y: float(scipy.stats.spearmanr(x, y).statistic),
    "kendall": lambda x, y: float(scipy.stats.kendalltau(x, y).statistic),
}
KINDS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
# The loop would take a quarter of an hour by item: it does a few trials, and its time is scaled up.
PEER_TRIALS: dict[Level, int] = {
    "system": 200,
    "item": 50,
    "item_within_system": 30,
    "system_within_item": 2,
}


def run() -> Iterator[BenchResult]:
    """Every level with every coefficient; then Kendall's again, which ties in the measures' values suit least."""
    for kind in KINDS:
        for level in LEVELS:
            yield _against(_tables(), kind, level, "")
    for level in LEVELS:
        yield _against(tuple(table.round(1) for table in _tables()), "kendall", level, ", ties")


def _against(
    tables: tuple[Floats, ...], kind: Coefficient, level: Level, which: Literal["", ", ties"]
) -> BenchResult:
    few = PEER_TRIALS[level]
    human, a, b = tables
    work = partial(perm_both, human, a, b, kind=kind, level=level, resamples=TRIALS)
    ours, _ = timed(work, repeats=REPEATS)
    peer, p = timed(lambda: _loop(human, a, b, kind, level, few), repeats=1)
    same = p == perm_both(human, a, b, kind=kind, level=level, resamples=few)
    note = f"a loop over scipy, {few} trials scaled up; p {'equal' if same else 'NOT EQUAL'} on these"
    largest = (kind, level, which) == ("kendall", "item", ", ties")
    peak = fresh("bench.perm_both", "largest").peak_mb if largest else None
    return BenchResult(f"PERM-BOTH {kind} {level}{which}", ours, peer * TRIALS / few, note, peak)


def largest() -> None:
    human, a, b = (table.round(1) for table in _tables())
    perm_both(human, a, b, kind="kendall", level="item", resamples=TRIALS)


def _loop(human: Floats, a: Floats, b: Floats, kind: Coefficient, level: Level, trials: int) -> float:
    """The definition, one correlation after another."""
    a, b = ((m - m.mean()) / m.std() for m in (a, b))
    observed = abs(_correlate(human, a, kind, level) - _correlate(human, b, kind, level))
    count = 0
    for bits in random_swaps(human.size, resamples=trials, seed=0, cells=human.size):
        swap = bits.reshape(human.shape).astype(bool)
        of_a = _correlate(human, np.where(swap, b, a), kind, level)
        of_b = _correlate(human, np.where(swap, a, b), kind, level)
        count += abs(of_a - of_b) >= observed - 1e-12
    return (1 + count) / (1 + trials)


def _correlate(human: Floats, scores: Floats, kind: Coefficient, level: Level) -> float:
    coefficient = SCIPY[kind]
    if level == "system":
        return coefficient(human.mean(axis=1), scores.mean(axis=1))
    if level == "item":
        return coefficient(human.ravel(), scores.ravel())
    if level == "system_within_item":
        human, scores = human.T, scores.T
    return float(np.mean([coefficient(x, y) for x, y in zip(human, scores, strict=True)]))


def _tables() -> tuple[Floats, Floats, Floats]:
    """Two measures that follow people about equally well."""
    human, noise, other = np.random.default_rng(0).normal(size=(3, SYSTEMS, ITEMS))
    return human, human + 2 * noise, human + 2.02 * other
