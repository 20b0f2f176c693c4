"""Systems with several runs: coverage of their scores, and differences claimed between equal systems."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from bench.calibration.populations import as_rows, mean_of
from bench.calibration.public import FEW, Drawn, KnownRows
from bench.calibration.table import Table, percent
from dialeval import Result, compare, evaluate
from dialeval.evaluation.runs import MeanOverRuns, Repetition
from dialeval.stats.resampling.bootstrap import Floats

STUDIES: Final = 400


def tables() -> Iterator[Table]:
    """One table: runs that differ by .1 and .3 of an item's standard deviation."""
    columns = ("runs that differ by sd", "items", "covered before", "after", "claimed before", "after")
    rows = (
        _row(runs, spread, items) for runs in (2, 3, 5) for spread in (0.0, 0.1, 0.3) for items in (30, 100)
    )
    yield Table("Mean over runs, shares in per cent", columns, rows)


def _row(runs: int, spread: float, items: int) -> tuple[str, ...]:
    rng = np.random.default_rng([runs, items, int(10 * spread)])
    counts = np.zeros(4)
    for _ in range(STUDIES):
        common = rng.normal(size=(items, 1))
        a, b = (
            common + spread * rng.normal(size=(1, runs)) + rng.normal(size=(items, runs)) for _ in range(2)
        )
        counts += _outcome(a, b)
    return f"{runs} runs, {spread}", str(items), *map(percent, (counts / STUDIES).tolist())


def _outcome(a: Floats, b: Floats) -> tuple[bool, bool, bool, bool]:
    """Covered and claimed, before (runs of an item averaged, and nothing else) and now."""
    alone = [
        evaluate(KnownRows(as_rows(v.mean(axis=1)), mean_of), _drawn(v, s)) for v, s in ((a, "a"), (b, "b"))
    ]
    now = [evaluated_runs(a, "a"), evaluated_runs(b, "b")]
    bounds = [each.estimate.bounds for each in (alone[0], now[0])]
    covered = [each is not None and each[0] <= 0 <= each[1] for each in bounds]
    claimed = [compare(pair[0], pair[1], FEW).significant for pair in (alone, now)]
    return covered[0], covered[1], claimed[0], claimed[1]


def evaluated_runs(values: Floats, system: str) -> Result:
    """The result of a system with these values of items, shape (items, runs)."""
    items, runs = values.shape
    metric = KnownRows(as_rows(values.ravel()), mean_of)
    subjects = [
        Repetition(str(i), system, tuple(Drawn(str(i), system, i * runs + run) for run in range(runs)))
        for i in range(items)
    ]
    return evaluate(MeanOverRuns(metric, runs), subjects)


def _drawn(values: Floats, system: str) -> list[Drawn]:
    return [Drawn(str(item), system, item) for item in range(len(values))]
