"""Cost of the runner: a trivial metric over a million examples, against a bare loop; and BLEU and ROUGE-L by every way.

The latter are BLEU-1 to 4 and ROUGE-L, nlg-eval's profile, of the pairs of `bench.overlap`, from example objects to
results with digest and every item's value, against pycocoevalcap's Bleu and Rouge from the same strings. CPU seconds,
the best of several, each on new objects; compiled loops are loaded before.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple, cast

import numpy as np

from bench import overlap
from bench.fresh import fresh
from bench.result import BenchResult
from dialeval.catalogue import build
from dialeval.core import Floats, Metric, Resampling, System
from dialeval.data.types import Example, Response, Turn
from dialeval.engine import Workshop
from dialeval.evaluation.measure import Respondent
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.overlap.words import score_strings
from dialeval.study.document import Failure
from dialeval.study.file import Study
from dialeval.study.measures import build_measure
from dialeval.study.scores import score_all

ITEMS = 1_000_000
REPEATS = 3
_PEER = "pycocoevalcap"


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

    yield from against_pycocoevalcap()


def against_pycocoevalcap() -> Iterator[BenchResult]:
    """Five metrics through ``evaluate`` one by one and together, and a study's scoring, without and with intervals."""
    if not overlap.available("runner"):
        return
    data = overlap.pairs()
    score_strings(*data)
    least: dict[str, float] = {}
    for _ in range(REPEATS):
        for name, work in _ways(data).items():
            least[name] = min(least.get(name, float("inf")), _cpu_seconds(work))
    peer = least.pop(_PEER)
    for name, ours in least.items():
        yield BenchResult(name, ours, peer, f"{_PEER}; {len(data[0]):,} examples")


def _ways(data: overlap.Pairs) -> dict[str, Callable[[], object]]:
    """What is timed, each on examples of its own, because evaluate knows the last ones again."""
    ways: dict[str, Callable[[], object]] = {
        _PEER: partial(overlap.pycocoevalcap, *data),
        "score_strings": partial(score_strings, *data),
    }
    for resamples, told in ((0, "no intervals"), (1000, "intervals")):
        resampling = Resampling(resamples=resamples)
        ways |= {
            f"evaluate x5, {told}": partial(_five_evaluations, overlap.examples_of(data), resampling),
            f"evaluate together, {told}": partial(_together, overlap.examples_of(data), resampling),
            f"a study's scoring, {told}": partial(_study, overlap.examples_of(data), resampling),
        }
    return ways


def _cpu_seconds(work: Callable[[], object]) -> float:
    gc.collect()  # what making the examples left to do is not counted
    start = time.process_time()
    work()
    return time.process_time() - start


def _five_evaluations(examples: list[Example], resampling: Resampling) -> None:
    for name in overlap.ALL:
        evaluate(build(name), examples, Plan(resampling=resampling))


def _together(examples: list[Example], resampling: Resampling) -> None:
    evaluate({name: build(name) for name in overlap.ALL}, examples, Plan(resampling=resampling))


class Recorded(NamedTuple):
    """A system whose answers are known."""

    name: str

    def generate(self) -> None:
        """Never asked."""


def _study(examples: list[Example], resampling: Resampling) -> None:
    measures = tuple(build_measure(name) for name in overlap.ALL)
    study = Study(
        name="bench",
        path=Path(),
        digest="",
        text="",
        data=Path(),
        systems=(),
        kinds=(),
        measures=measures,
        resampling=resampling,
    )
    failures: list[Failure] = []
    respondent = Respondent(cast(System, Recorded("s")), examples)
    results = list(score_all(study, [respondent], Workshop(), failures, []))
    if failures or len(results) != len(measures):
        raise RuntimeError(f"the study failed: {failures}")


@dataclass(frozen=True, slots=True)
class Characters(Metric[Example]):
    """Mean number of characters: as little work as a metric can do."""

    name: ClassVar[str] = "characters"
    higher_is_better: ClassVar[None] = None

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of (characters, 1)."""
        rows = np.ones((len(examples), 2))
        rows[:, 0] = [len(example.response.text) for example in examples]
        return rows

    def aggregate(self, totals: Floats) -> Floats:
        """Characters per response."""
        return np.asarray(totals[..., 0] / totals[..., 1])


def score() -> None:
    evaluate(Characters(), examples(), Plan(resampling=Resampling(resamples=0)))


def score_with_interval() -> None:
    evaluate(Characters(), examples(), Plan(resampling=Resampling(resamples=1000)))


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
