"""Pull requests at a gate: how often it turns red if nothing changed, if one answer got worse, and if many did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from bench.calibration.populations import e2e_outputs
from bench.calibration.table import Table, percent
from bench.real_text import DATA
from dialeval import Comparison, Resampling, RougeL, compare, evaluate
from dialeval.data.types import Example, Response
from dialeval.study.gates import check_gates, parse_gate

REQUESTS: Final = 1000
ITEMS: Final = 50
NONE: Final = Resampling(resamples=0)
FEW: Final = Resampling(resamples=99)
GATES: Final = ("pr - main: rouge_l >= -0.02", "pr - main: rouge_l >= -0.1", "pr = main: rouge_l")
COLUMNS: Final = ("pull request", "items", *GATES, "lower end")
"""Shares of pull requests that turn red, in per cent, and the median of the lower end of the difference."""


def tables() -> Iterator[Table]:
    """One table; the margin of equivalence is .02. None where the data are missing."""
    if (DATA / "e2e-nlg").is_dir():
        yield Table("Pull requests that turn red, shares in per cent", COLUMNS, _rows())


def _rows() -> Iterator[tuple[str, ...]]:
    population = e2e_outputs("tgen")
    kinds = (
        ("no answer changed", 0.0),
        ("one answer lost", -1.0),
        ("8 % of answers lost, a loss of .05", 0.08),
    )
    for name, share in kinds:
        rng = np.random.default_rng([ITEMS, int(100 * abs(share))])
        found = [_compared(population, rng, ITEMS, share) for _ in range(REQUESTS)]
        red = [_share_red(gate, found) for gate in GATES]
        ends = [pair.low for pair in found if pair.low is not None]
        yield name, str(ITEMS), *map(percent, red), f"{float(np.median(ends)):.3f}"


def _compared(population: list[Example], rng: np.random.Generator, size: int, share: float) -> Comparison:
    """One pull request: its answers beside those of main to the same items; a share of -1 means exactly one."""
    drawn = [population[place] for place in rng.integers(len(population), size=size).tolist()]
    lost = np.arange(size) == rng.integers(size) if share < 0 else rng.random(size) < share
    pairs = list(enumerate(zip(drawn, lost.tolist(), strict=True)))
    main = [Example(str(n), "main", (), e.response, e.references) for n, (e, _) in pairs]
    pr = [
        Example(str(n), "pr", (), Response("sorry") if gone else e.response, e.references)
        for n, (e, gone) in pairs
    ]
    a, b = (evaluate(RougeL(), examples, resampling=NONE) for examples in (pr, main))
    return compare(a, b, FEW, margin=0.02)


def _share_red(gate: str, found: list[Comparison]) -> float:
    parsed = parse_gate(gate, ["pr", "main"])
    outcomes = [next(check_gates([parsed], [], [_named(pair)])) for pair in found]
    return sum(not outcome.passed for outcome in outcomes) / len(outcomes)


def _named(pair: Comparison) -> Comparison:
    return replace(pair, measure="rouge_l")
