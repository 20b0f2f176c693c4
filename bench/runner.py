"""Cost of the runner per item: a trivial metric over a million examples, against a bare loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bench.fresh import fresh
from bench.result import BenchResult
from dialeval.core import Floats, Resampling, Signature
from dialeval.data.types import Example, Response, Turn
from dialeval.evaluation.runner import evaluate

ITEMS = 1_000_000


def run() -> Iterator[BenchResult]:
    """Without an interval, the runner's own cost; then with one of 1,000 resamples."""
    peer = fresh("bench.runner", "bare_loop")
    for name, function in (
        ("runner, no interval", "score"),
        ("runner, 1,000 resamples", "score_with_interval"),
    ):
        ours = fresh("bench.runner", function)
        extra = 1e6 * (ours.seconds - peer.seconds) / ITEMS
        note = f"bare loop, {peer.peak_mb:.0f} MB; {extra:.1f} µs more per item"
        yield BenchResult(f"{name}, {ITEMS:,} items", ours.seconds, peer.seconds, note, ours.peak_mb)


@dataclass(frozen=True, slots=True)
class Characters:
    """Mean number of characters: as little work as a metric can do."""

    higher_is_better: ClassVar[bool | None] = None

    @property
    def signature(self) -> Signature:
        """Its name is all there is to it."""
        return Signature("characters")

    def unscorable(self, example: Example) -> str | None:
        """Nothing is."""
        return None

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of (characters, 1)."""
        rows = np.ones((len(examples), 2))
        rows[:, 0] = [len(example.response.text) for example in examples]
        return rows

    def aggregate(self, totals: Floats) -> Floats:
        """Characters per response."""
        return np.asarray(totals[..., 0] / totals[..., 1])


def score() -> None:
    evaluate(Characters(), examples(), resampling=Resampling(resamples=0))


def score_with_interval() -> None:
    evaluate(Characters(), examples(), resampling=Resampling(resamples=1000))


def bare_loop() -> None:
    total = count = 0
    for example in examples():
        total += len(example.response.text)
        count += 1
    print(end="" if total / count else "no text")


def examples() -> Iterator[Example]:
    """A stream that never holds more than one of them."""
    context = (Turn("user", "where can I park?"),)
    for at in range(ITEMS):
        yield Example(
            f"item-{at}", "system", context, Response("behind the house " * (at % 5)), ("behind the house",)
        )
