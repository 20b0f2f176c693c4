"""How often a claim is made that is not true: ranks, families of tests, equivalence, second looks, preferences."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from bench.calibration.populations import as_rows, mean_of
from bench.calibration.public import FEW, Kind, compared, evaluated
from bench.calibration.table import Table, percent
from dialeval import Comparison, compare_all
from dialeval.evaluation.compare import add_first_look, decide_families
from dialeval.stats import Measured, Preferences, bradley_terry, looks, rank_systems
from dialeval.stats.resampling.bootstrap import Floats, Integers

STUDIES: Final = 1000
MEAN: Final = Kind(mean_of)


class Row(NamedTuple):
    """Shares of studies with a false claim."""

    what: str
    before: float
    after: float

    def cells(self) -> tuple[str, ...]:
        """The cells under the columns, in per cent."""
        return self.what, percent(self.before), percent(self.after)


def tables() -> Iterator[Table]:
    """One table of all claims."""
    rows = chain(_ranks(), _families(), _equivalences(), _second_looks(), _preferences())
    columns = ("claim where none is due, alpha .05", "before", "after")
    yield Table("False claims: shares of studies, in per cent", columns, (row.cells() for row in rows))


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
            after += bool((table.overall.best > 1).any())
        yield Row(
            f"rank below 1 of 5 equal systems, {items} items", before / (STUDIES // 2), after / (STUDIES // 2)
        )


def _families() -> Iterator[Row]:
    """Five equal systems on 30 items under measures that correlate by one half; before, Holm within each measure."""
    for measures, studies in ((8, 200),):
        rng = np.random.default_rng(measures)
        before = after = 0
        for _ in range(studies):
            common = rng.normal(size=(5, 30))
            found: list[Comparison] = []
            for measure in range(measures):
                values = math.sqrt(0.5) * (common + rng.normal(size=(5, 30)))
                results = [
                    evaluated(as_rows(side), MEAN, system=str(place)) for place, side in enumerate(values)
                ]
                pairs = compare_all(results, FEW, tests=10 * measures)
                found += [dataclasses.replace(pair, measure=str(measure)) for pair in pairs]
            before += any(pair.significant for pair in found)
            after += any(pair.significant for pair in decide_families(found))
        yield Row(
            f"any difference of 5 equal systems, {measures} measures", before / studies, after / studies
        )


def _equivalences() -> Iterator[Row]:
    """Systems that differ by the margin, .3 sd; before, ≈ wherever p > .05."""
    for items in (30, 72, 200):
        rng = np.random.default_rng(items)
        before = after = 0
        for _ in range(STUDIES):
            a = rng.normal(size=items)
            b = a + 0.3 + rng.normal(size=items)
            found = compared(as_rows(a), as_rows(b), MEAN, margin=0.3)
            before += not found.significant
            after += found.verdict == "equivalent"
        yield Row(f"≈ of systems that differ by .3 sd, {items} items", before / STUDIES, after / STUDIES)


def _second_looks() -> Iterator[Row]:
    """Equal systems; as many more items as the first result asks for, at most 40 times as many."""
    rng = np.random.default_rng(1)
    limits, before, after = looks(), 0, 0
    for _ in range(STUDIES):
        first = rng.normal(size=50)
        looked = _against_zero(first)
        new = rng.normal(size=min(2000, max(20, looked.more_items or 20)))
        later = _against_zero(new)
        before += looked.significant or _against_zero(np.concatenate([first, new])).significant
        (both,) = add_first_look([later], [looked])
        after += _p(looked) < limits.first or _p(both) < limits.second
    yield Row("difference of equal systems, at one of two looks", before / STUDIES, after / STUDIES)


def _against_zero(values: Floats) -> Comparison:
    return compared(
        as_rows(values), as_rows(0 * values), MEAN, resampling=dataclasses.replace(FEW, resamples=999)
    )


def _p(comparison: Comparison) -> float:
    return math.nan if comparison.p_value is None else comparison.p_value


def _preferences() -> Iterator[Row]:
    """Strengths outside their intervals; before, judgements of an item taken as independent."""
    rng = np.random.default_rng(2)
    truth = bradley_terry(_judged(rng, 30_000)[0], 4).strength
    missed = np.zeros(2)
    for _ in range(STUDIES // 2):
        judged, items = _judged(rng, 40)
        for place, clusters in enumerate((None, items)):
            found = bradley_terry(judged, 4, clusters=clusters)
            missed[place] += np.mean(np.abs(truth - found.strength) > found.reach)
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
