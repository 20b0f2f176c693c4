"""The contradiction detector over a long dialogue, and FQness, each against the straightforward way, in turns.

Seconds are of the processor, so that other work on the machine disturbs them least; of one thread, if OMP_NUM_THREADS
says so.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

import numpy as np

from bench.result import BenchResult
from dialeval.consistency.detecting.detector import PairDetector
from dialeval.consistency.detecting.dialogues import (
    REACH,
    Case,
    Reading,
    cost_of,
    find_contradictions,
    passages,
)
from dialeval.consistency.probing.followups import FollowUp, log_fqness, mine
from dialeval.core import Floats
from dialeval.data.types import Dialogue, alternating
from dialeval.errors import ResourceUnavailable

T = TypeVar("T")
TURNS: Final = 40
LONGER: Final = (40, 80)
"""Turns of dialogues whose seconds show that the cost is linear in pairs."""
_STATEMENTS: Final = (
    "I have lived in a small town by the sea for {} years.",
    "My brother works {} days a week in a bakery.",
    "We went to the mountains {} times last summer.",
    "I read about {} books every month.",
    "My dog is {} years old and sleeps all day.",
)


def run() -> Iterator[BenchResult]:
    """All pairs of a dialogue of 40 turns; then probes of a dialogue of 12; then the price of longer dialogues."""
    try:
        yield _pairs()
        yield from map(_whole, LONGER)
    except ResourceUnavailable as error:
        print(f"detector: skipped, {error}", file=sys.stderr)
    try:
        yield _probes()
    except (ResourceUnavailable, ImportError) as error:
        print(f"FQness: skipped, {error}", file=sys.stderr)


def _pairs() -> BenchResult:
    talk = alternating([_STATEMENTS[place % 5].format(place + 2) for place in range(TURNS)])
    pairs = [quoted.pair for quoted in passages(talk)]
    detector = PairDetector()
    detector.probabilities(pairs[:2])
    together, ours = _timed(lambda: detector.probabilities(pairs))
    apart, peer = _timed(lambda: np.array([detector.probabilities([pair])[0] for pair in pairs]))
    gap = float(np.abs(together - apart).max())
    speeds = f"{len(pairs) / ours:.0f} pairs/s against {len(pairs) / peer:.0f}"
    note = f"one by one; {len(pairs)} pairs, {speeds}; at most {gap:.0e} apart"
    return BenchResult(f"detector, {TURNS} turns", ours, peer, note)


def _whole(turns: int) -> BenchResult:
    """A dialogue of so many turns as the command reads it, with no peer: the price of a pair must not grow."""
    talk = alternating([_STATEMENTS[place % 5].format(place + 2) for place in range(turns)])
    reading = Reading(reach=REACH)
    cost = cost_of(talk, reading)
    _, seconds = _timed(lambda: find_contradictions([Case(talk, reading)], PairDetector()))
    note = f"{cost.passages} pairs, {cost.passages / seconds:.0f} pairs/s; {cost.beyond} beyond reach {REACH}"
    return BenchResult(f"detector, {turns} turns, in all", seconds, float("nan"), note)


def _probes() -> BenchResult:
    from dialeval.systems.huggingface import HuggingFace

    texts = [
        f"{_STATEMENTS[place % 5].format(place + 2)} {'And what about you?' if place % 2 else ''}".strip()
        for place in range(12)
    ]
    found = mine([Dialogue("long", alternating(texts))]).found
    model = HuggingFace("small", device="cpu")
    log_fqness(found[:1], model)
    together, ours = _timed(lambda: log_fqness(found, model))
    apart, peer = _timed(lambda: _one_by_one(found, model))
    gap = float(np.abs(together - apart).max())
    speeds = f"{len(found) / ours:.2f} probes/s against {len(found) / peer:.2f}"
    note = f"no shared beginnings; {len(found)} probes, {speeds}; at most {gap:.0e} apart"
    return BenchResult("FQness", ours, peer, note)


def _one_by_one(found: tuple[FollowUp, ...], model: Any) -> Floats:
    class Alone:
        """The model, asked about one context at a time."""

        def logprob(self, contexts: Any, responses: Any) -> Floats:
            pairs = zip(contexts, responses, strict=True)
            return np.array([model.logprob([context], [text])[0] for context, text in pairs])

    return log_fqness(found, Alone())  # type: ignore[arg-type]


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.process_time()
    result = work()
    return result, time.process_time() - start
