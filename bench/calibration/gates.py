"""Pull requests at a gate: how often it turns red if nothing changed, if one answer got worse, and if many did."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from bench.calibration.populations import e2e_outputs
from bench.calibration.table import Table, percent
from bench.real_text import DATA
from dialeval import Comparison, Resampling, RougeL, compare, evaluate
from dialeval.data.types import Example, Response
from dialeval.evaluation.runner import Plan
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
    changes = {
        "no answer changed": Change(0.0),
        "wrong words changed in all answers, same scores": Change(0.0, reworded=True),
        "one answer loses its last three words": Change(-1.0, instead=None),
        "one answer lost": Change(-1.0),
        "8 % of answers lost, a loss of .05": Change(0.08),
    }
    for name, change in changes.items():
        rng = np.random.default_rng([ITEMS, int(100 * abs(change.share))])
        found = [_compared(population, rng, ITEMS, change) for _ in range(REQUESTS)]
        red = [_share_red(gate, found) for gate in GATES]
        ends = [pair.difference.low for pair in found if pair.difference.low is not None]
        yield name, str(ITEMS), *map(percent, red), f"{float(np.median(ends)):.3f}"


class Change(NamedTuple):
    """What a pull request does to answers."""

    share: float
    """Of answers that change; -1 means exactly one."""
    instead: str | None = "sorry"
    """What is said instead; None if the last three words are left out."""
    reworded: bool = False
    """Whether words that are in no reference become others, in all answers."""

    def response(self, example: Example, *, changed: bool) -> Response:
        """The answer of the pull request."""
        words = example.response.text.split(" ")
        if changed:
            words = words[:-3] if self.instead is None else [self.instead]
        if self.reworded:
            right = {word for reference in example.references for word in reference.split(" ")}
            words = [word if word in right else f"{word}x" for word in words]
        return Response(" ".join(words))


def _compared(population: list[Example], rng: np.random.Generator, size: int, change: Change) -> Comparison:
    """One pull request: its answers beside those of main to the same items."""
    drawn = [population[place] for place in rng.integers(len(population), size=size).tolist()]
    one = change.share < 0
    lost = np.arange(size) == rng.integers(size) if one else rng.random(size) < change.share
    pairs = list(enumerate(zip(drawn, lost.tolist(), strict=True)))
    main = [Example(str(n), "main", (), e.response, e.references) for n, (e, _) in pairs]
    pr = [Example(str(n), "pr", (), change.response(e, changed=gone), e.references) for n, (e, gone) in pairs]
    a, b = (evaluate(RougeL(), examples, Plan(resampling=NONE)) for examples in (pr, main))
    return compare(a, b, FEW, margin=0.02)


def _share_red(gate: str, found: list[Comparison]) -> float:
    parsed = parse_gate(gate, ["pr", "main"])
    outcomes = [next(check_gates([parsed], [], [_named(pair)])) for pair in found]
    return sum(not outcome.passed for outcome in outcomes) / len(outcomes)


def _named(pair: Comparison) -> Comparison:
    return replace(pair, measure="rouge_l")
