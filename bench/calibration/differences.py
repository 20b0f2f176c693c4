"""Coverage of the intervals of the difference between two systems, where it is 0 and where it is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from bench.calibration.coverage import HEADING, Coverage, coverage, line
from bench.calibration.populations import as_rows, daily_dialogues, e2e_outputs, mean_of
from bench.real_text import DATA, SOURCE
from dialeval import Bleu, RougeL
from dialeval.core import Metric
from dialeval.data.types import Example, Response
from dialeval.stats.resampling.bootstrap import Aggregate, Floats, Integers
from dialeval.stats.resampling.intervals import UnitInterval, difference_interval

SIZES: Final = (10, 30, 100)
SAMPLES: Final = 1000


class Pair(NamedTuple):
    """Rows of two systems on the same items."""

    name: str
    a: Floats
    b: Floats
    aggregate: Aggregate

    @property
    def truth(self) -> float:
        """The difference over all items."""
        return float(self.aggregate(self.a.sum(axis=0)) - self.aggregate(self.b.sum(axis=0)))


def report() -> None:
    print("\nIntervals of a difference: 95 % nominal, shares in per cent")
    print(HEADING)
    for found in chain(_of_text(), _of_accuracies()):
        print(line(found), flush=True)


def _of_text() -> Iterator[Coverage]:
    for pair in _pairs():
        for size in SIZES:
            rng = np.random.default_rng([size, len(pair.name)])
            places = [rng.integers(len(pair.a), size=size) for _ in range(SAMPLES)]
            samples = [(np.hstack([pair.a[place], pair.b[place]]), None) for place in places]
            yield _coverage(pair.name, pair.truth, samples, pair.aggregate, pair.a.shape[1])


def _of_accuracies() -> Iterator[Coverage]:
    for first, second, both in ((0.9, 0.9, 0.85), (0.9, 0.8, 0.77), (0.97, 0.94, 0.92)):
        for size in SIZES:
            rng = np.random.default_rng([size, int(100 * first), int(100 * second)])
            samples = []
            for _ in range(SAMPLES):
                kind = rng.choice(
                    4, size=size, p=[both, first - both, second - both, 1 - first - second + both]
                )
                a, b = np.isin(kind, (0, 1)).astype(np.float64), np.isin(kind, (0, 2)).astype(np.float64)
                samples.append((np.hstack([as_rows(a), as_rows(b)]), None))
            yield _coverage(f"accuracy {first:g} - {second:g}", first - second, samples, mean_of, 2, True)


def _coverage(
    name: str,
    truth: float,
    samples: Sequence[tuple[Floats, None]],
    aggregate: Aggregate,
    width: int,
    yes_no: bool | None = None,
) -> Coverage:
    def difference(totals: Floats) -> Floats:
        return aggregate(totals[..., :width]) - aggregate(totals[..., width:])

    def interval(rows: Floats, clusters: Integers | None) -> UnitInterval:
        a, b = rows[:, :width], rows[:, width:]
        return difference_interval(a, b, aggregate, clusters=clusters, yes_no=yes_no)

    return coverage(name, truth, samples, difference, interval)


def _pairs() -> Iterator[Pair]:
    """Two E2E systems; and people beside people, or beside answers to other turns, in DailyDialog."""
    if not SOURCE.is_file() or not (DATA / "e2e-nlg").is_dir():
        return
    for metric in (Bleu(4), RougeL()):
        name = "BLEU-4" if isinstance(metric, Bleu) else "ROUGE-L"
        yield _pair(f"E2E {name}, tgen - slug", metric, e2e_outputs("tgen"), e2e_outputs("slug"))
    people, _ = daily_dialogues(4)
    order = np.random.default_rng(0).permutation(len(people)).tolist()
    strangers = [
        Example(e.item, "b", (), Response(people[place].response.text), e.references)
        for e, place in zip(people, order, strict=True)
    ]
    for metric in (Bleu(2), RougeL()):
        name = "BLEU-2" if isinstance(metric, Bleu) else "ROUGE-L"
        yield _pair(f"DailyDialog {name}, people - random", metric, people, strangers)


def _pair(name: str, metric: Metric[Example], a: Sequence[Example], b: Sequence[Example]) -> Pair:
    return Pair(name, metric.statistics(a), metric.statistics(b), metric.aggregate)
