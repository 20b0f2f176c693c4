"""How often a claim is made that is not true: ranks, families of tests, equivalence, second looks, preferences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from bench.calibration.populations import as_rows, mean_of
from dialeval.stats import (
    Measured,
    Preferences,
    adjust_families,
    bradley_terry,
    combined_p,
    equivalence_p,
    holm,
    looks,
    rank_systems,
    spread_of_difference,
)
from dialeval.stats.resampling.bootstrap import Floats, Integers
from dialeval.stats.resampling.jackknife import jackknife_p, leave_out

STUDIES: Final = 1000
HEADING: Final = f"{'claim where none is due, alpha .05':<58} {'before':>7} {'after':>7}"


class Row(NamedTuple):
    """Shares of studies with a false claim."""

    what: str
    before: float
    after: float

    def line(self) -> str:
        """The row under the heading, in per cent."""
        return f"{self.what:<58} {100 * self.before:>7.1f} {100 * self.after:>7.1f}"


def report() -> None:
    print("\nFalse claims: shares of studies, in per cent")
    print(HEADING)
    for rows in (_ranks(), _families(), _equivalences(), _second_looks(), _preferences()):
        for row in rows:
            print(row.line(), flush=True)


def _ranks() -> Iterator[Row]:
    """Five equal systems: one is ranked below the first place; before, by percentiles of resampled ranks."""
    for items in (10, 30, 100):
        rng = np.random.default_rng(items)
        before = after = 0
        for seed in range(STUDIES // 2):
            values = rng.normal(size=(1, items)) + rng.normal(size=(5, items))
            drawn = values[:, rng.integers(items, size=(300, items))].mean(axis=-1)
            resampled = 1 + (drawn[:, None] < drawn[None]).sum(axis=1)
            before += bool((np.quantile(resampled, 0.025, axis=1) > 1).any())
            rows = np.stack([values, np.ones_like(values)], axis=-1)
            table = rank_systems([Measured(rows, mean_of, True)], resamples=300, seed=seed)
            after += bool((table.overall.low > 1).any())
        yield Row(
            f"rank below 1 of 5 equal systems, {items} items", before / (STUDIES // 2), after / (STUDIES // 2)
        )


def _families() -> Iterator[Row]:
    """Six equal systems under measures that correlate by one half; before, Holm within each measure."""
    from scipy.special import ndtr

    first, second = np.triu_indices(6, 1)
    for measures in (8, 17):
        rng = np.random.default_rng(measures)
        before = after = 0
        for _ in range(STUDIES):
            scores = math.sqrt(0.5) * (rng.normal(size=(1, 6)) + rng.normal(size=(measures, 6)))
            p = 2 * ndtr(-np.abs(scores[:, first] - scores[:, second]) / math.sqrt(2))
            before += any(holm(row).min() < 0.05 for row in p)
            by_measure = {str(place): row.tolist() for place, row in enumerate(p)}
            after += any(one.p_values.min() < 0.05 for one in adjust_families(by_measure).values())
        yield Row(
            f"any difference of 6 equal systems, {measures} measures", before / STUDIES, after / STUDIES
        )


def _equivalences() -> Iterator[Row]:
    """Systems that differ by the margin, .3 sd; before, ≈ wherever p > .05."""
    for items in (30, 72, 200):
        rng = np.random.default_rng(items)
        before = after = 0
        for _ in range(STUDIES):
            a = rng.normal(size=items)
            b = a + 0.3 + rng.normal(size=items)
            before += jackknife_p(*leave_out(as_rows(a - b), mean_of)) >= 0.05
            spread = spread_of_difference(as_rows(a), as_rows(b), mean_of)
            after += equivalence_p(spread, 0.3) < 0.05
        yield Row(f"≈ of systems that differ by .3 sd, {items} items", before / STUDIES, after / STUDIES)


def _second_looks() -> Iterator[Row]:
    """Equal systems; as many more items as the first result asks for, at most 40 times as many."""
    rng = np.random.default_rng(1)
    limits, before, after = looks(), 0, 0
    for _ in range(2 * STUDIES):
        first = rng.normal(size=50)
        p = jackknife_p(*leave_out(as_rows(first), mean_of))
        size = abs(first.mean()) / first.std(ddof=1)
        new = rng.normal(size=int(min(2000, max(20, (2.8 / size) ** 2 - 50))))
        every, later = (
            jackknife_p(*leave_out(as_rows(values), mean_of))
            for values in (np.concatenate([first, new]), new)
        )
        before += p < 0.05 or every < 0.05
        both = combined_p((float(first.mean()), p), (float(new.mean()), later))
        after += p < limits.first or both < limits.second
    yield Row(
        "difference of equal systems, at one of two looks", before / (2 * STUDIES), after / (2 * STUDIES)
    )


def _preferences() -> Iterator[Row]:
    """Strengths outside their intervals; before, judgements of an item taken as independent."""
    rng = np.random.default_rng(2)
    truth = bradley_terry(_judged(rng, 30_000)[0], 4).strength
    missed = np.zeros(2)
    for _ in range(STUDIES // 2):
        judged, items = _judged(rng, 40)
        for place, clusters in enumerate((None, items)):
            found = bradley_terry(judged, 4, clusters=clusters)
            missed[place] += np.mean((truth < found.low) | (truth > found.high))
    yield Row("Bradley-Terry strength outside its interval, 40 items", *(missed / (STUDIES // 2)).tolist())


def _judged(rng: np.random.Generator, items: int) -> tuple[Preferences, Integers]:
    """All six pairs of four systems on each item, whose taste the judgements share; a fifth are ties."""
    first, second = np.triu_indices(4, 1)
    item, a, b = np.repeat(np.arange(items), 6), np.tile(first, items), np.tile(second, items)
    strength: Floats = np.array([0.8, 0.2, -0.3, -0.7]) + rng.normal(size=(items, 4))
    ahead = np.exp((strength[item, a] - strength[item, b]) / 2)
    whole, drawn = ahead + 0.6 + 1 / ahead, rng.random(len(item))
    outcome = np.where(drawn < ahead / whole, 1.0, np.where(drawn < (ahead + 0.6) / whole, 0.5, 0.0))
    return Preferences(a, b, outcome), item
