"""Coverage of the intervals of the difference between two systems, and how often equal systems are found to differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from bench.calibration.coverage import COLUMNS, Sample, coverage
from bench.calibration.populations import as_rows, daily_dialogues, e2e_outputs, kind_of, mean_of
from bench.calibration.public import FEW, Kind, compared
from bench.calibration.table import Table, percent
from bench.real_text import DATA, SOURCE
from dialeval import Bleu, Comparison, RougeL
from dialeval.core import Metric
from dialeval.data.types import Example, Response
from dialeval.stats.resampling.bootstrap import Floats, Integers

SIZES: Final = (10, 30, 100)
SAMPLES: Final = 400
RIGHT: Final = Kind(mean_of, yes_no=True)
MEAN: Final = Kind(mean_of)
INDEPENDENT: Final = dataclasses.replace(FEW, cluster="none")


class Pair(NamedTuple):
    """Rows of two systems on the same items."""

    name: str
    a: Floats
    b: Floats
    kind: Kind
    clusters: Integers | None = None

    @property
    def truth(self) -> float:
        """The difference over all items."""
        a, b = (self.kind.aggregate(rows.sum(axis=0)) for rows in (self.a, self.b))
        return float(a - b)


def tables() -> Iterator[Table]:
    """Intervals of differences, and false claims of a difference."""
    rows = chain(_of_text(), _of_few_changes(), _of_accuracies())
    yield Table("Intervals of a difference: 95 % nominal, shares in per cent", COLUMNS, rows)
    columns = ("systems that do not differ", "units", "items", "after")
    yield Table("Differences claimed at alpha .05, shares in per cent", columns, _false_claims())


def _of_text() -> Iterator[tuple[str, ...]]:
    for pair in _pairs():
        for size in SIZES:
            rng = np.random.default_rng([size, len(pair.name)])
            places = [rng.integers(len(pair.a), size=size) for _ in range(SAMPLES)]
            samples: list[Sample] = [(np.hstack([pair.a[place], pair.b[place]]), None) for place in places]
            yield _coverage(pair.name, pair.truth, samples, pair.kind)


def _of_few_changes() -> Iterator[tuple[str, ...]]:
    """One version of a system beside the next, of which a small share of answers changed: lost, or someone else's.

    Of those that are reworded, all others changed too, though not their scores.
    """
    if not (DATA / "e2e-nlg").is_dir():
        return
    kind = Kind(mean_of, limits=(0.0, 1.0))
    values = RougeL().statistics(e2e_outputs("tgen"))[:, 0]
    other = np.random.default_rng(0).permutation(values)
    for name, changed in (("lost", 0 * values), ("other", other), ("lost, others reworded", 0 * values)):
        for share in (0.02, 0.05, 0.1):
            for size in (30, 48, 100):
                rng = np.random.default_rng([size, int(1000 * share), len(name)])
                samples: list[Sample] = []
                for _ in range(SAMPLES):
                    place = rng.integers(len(values), size=size)
                    after = np.where(rng.random(size) < share, changed[place], values[place])
                    # The same answers are equivalent by construction.
                    if "reworded" in name or (after != values[place]).any():
                        samples.append((np.hstack([as_rows(after), as_rows(values[place])]), None))
                truth = share * float((changed - values).mean())
                yield _coverage(f"{100 * share:g} % of answers {name}", truth, samples, kind)


def _of_accuracies() -> Iterator[tuple[str, ...]]:
    for first, second, both in ((0.9, 0.9, 0.85), (0.9, 0.8, 0.77), (0.97, 0.94, 0.92)):
        for size in SIZES:
            rng = np.random.default_rng([size, int(100 * first), int(100 * second)])
            samples: list[Sample] = []
            for _ in range(SAMPLES):
                kind = rng.choice(
                    4, size=size, p=[both, first - both, second - both, 1 - first - second + both]
                )
                a, b = np.isin(kind, (0, 1)).astype(np.float64), np.isin(kind, (0, 2)).astype(np.float64)
                samples.append((np.hstack([as_rows(a), as_rows(b)]), None))
            yield _coverage(f"accuracy {first:g} - {second:g}", first - second, samples, RIGHT)


def _coverage(name: str, truth: float, samples: Sequence[Sample], kind: Kind) -> tuple[str, ...]:
    width = samples[0][0].shape[1] // 2

    def difference(totals: Floats) -> Floats:
        return kind.aggregate(totals[..., :width]) - kind.aggregate(totals[..., width:])

    def comparison(rows: Floats, clusters: Integers | None) -> Comparison:
        return compared(rows[:, :width], rows[:, width:], kind, clusters)

    return coverage(name, truth, samples, difference, comparison)


def _false_claims() -> Iterator[tuple[str, ...]]:
    """Each dialogue's two systems change places by chance, so that they cannot differ; ``items`` as if independent."""
    for pair in (*_made_pairs(), *_pairs()):
        for size in (10, 30):
            rng = np.random.default_rng([size, len(pair.name), 3])
            claims = np.zeros(2)
            for _ in range(SAMPLES):
                a, b, clusters = _swapped(pair, rng, size)
                for place, resampling in enumerate((FEW,) if clusters is None else (FEW, INDEPENDENT)):
                    found = compared(a, b, pair.kind, clusters, resampling=resampling)
                    claims[place] += found.verdict != "undecided"
            after, items = (claims / SAMPLES).tolist()
            yield pair.name, str(size), percent(None if clusters is None else items), percent(after)


def _swapped(pair: Pair, rng: np.random.Generator, units: int) -> tuple[Floats, Floats, Integers | None]:
    """Rows of both systems for so many items, or all items of so many dialogues."""
    if pair.clusters is None:
        places, clusters = rng.integers(len(pair.a), size=units), None
    else:
        drawn = rng.integers(int(pair.clusters.max()) + 1, size=units)
        members = [np.flatnonzero(pair.clusters == dialogue) for dialogue in drawn.tolist()]
        places = np.concatenate(members)
        clusters = np.repeat(np.arange(units), [len(each) for each in members])
    swap = rng.random(units) < 0.5
    swap = swap if clusters is None else swap[clusters]
    a, b = pair.a[places], pair.b[places]
    return np.where(swap[:, None], b, a), np.where(swap[:, None], a, b), clusters


def _made_pairs() -> Iterator[Pair]:
    """Values of ten turns of each of 500 dialogues."""
    for icc in (0.05, 0.2, 0.34):
        rng = np.random.default_rng(int(100 * icc))
        dialogue = np.repeat(rng.normal(scale=icc**0.5, size=500), 10)
        gain = dialogue + rng.normal(scale=(1 - icc) ** 0.5, size=5000)
        clusters = np.repeat(np.arange(500), 10)
        yield Pair(
            f"mean, 10 turns a dialogue, icc {icc:g}", as_rows(gain), as_rows(0 * gain), MEAN, clusters
        )


def _pairs() -> Iterator[Pair]:
    """Two E2E systems; and people beside people, or beside answers to other turns, in DailyDialog."""
    if not SOURCE.is_file() or not (DATA / "e2e-nlg").is_dir():
        return
    for metric in (Bleu(4), RougeL()):
        name = "BLEU-4" if isinstance(metric, Bleu) else "ROUGE-L"
        yield _pair(f"E2E {name}, tgen - slug", metric, e2e_outputs("tgen"), e2e_outputs("slug"))
    people, dialogues = daily_dialogues(4)
    order = np.random.default_rng(0).permutation(len(people)).tolist()
    strangers = [
        Example(e.item, "b", (), Response(people[place].response.text), e.references)
        for e, place in zip(people, order, strict=True)
    ]
    for metric in (Bleu(2), RougeL()):
        name = "BLEU-2" if isinstance(metric, Bleu) else "ROUGE-L"
        pair = _pair(f"DailyDialog {name}, people - random", metric, people, strangers)
        yield pair._replace(clusters=dialogues)


def _pair(name: str, metric: Metric[Example], a: Sequence[Example], b: Sequence[Example]) -> Pair:
    return Pair(name, metric.statistics(a), metric.statistics(b), kind_of(metric))
