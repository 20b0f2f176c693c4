"""Coverage of the intervals of one system's score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import numpy as np

from bench.calibration.coverage import COLUMNS, GiveResult, Sample, coverage
from bench.calibration.populations import Population, as_rows, mean_of, real_text, sparse_text
from bench.calibration.public import Kind, evaluated
from bench.calibration.table import Table
from dialeval import Result
from dialeval.stats.resampling.bootstrap import Floats, Integers

SIZES: Final = (10, 30, 100)
SMALL: Final = (5, 10, 20, 50)
SAMPLES: Final = 600
RIGHT: Final = Kind(mean_of, yes_no=True, limits=(0.0, 1.0))


def tables() -> Iterator[Table]:
    """One table of all measures and sizes."""
    rows = chain(_of_items(), _of_dialogues(), _accuracies(), _clustered_accuracies())
    yield Table("Intervals of a score: 95 % nominal, shares in per cent", COLUMNS, rows)
    title = "Intervals of a score of few items: 95 % nominal, shares in per cent"
    yield Table(title, COLUMNS, _of_items((*sparse_text(), *_means()), SMALL))


def _means() -> Iterator[Population]:
    """The measures of real text whose score is a mean."""
    return (population for population in real_text() if "ROUGE" in population.name)


def _interval(kind: Kind) -> GiveResult:
    def result(rows: Floats, clusters: Integers | None) -> Result:
        return evaluated(rows, kind, clusters)

    return result


def _of_items(
    populations: Iterable[Population] | None = None, sizes: Sequence[int] = SIZES
) -> Iterator[tuple[str, ...]]:
    for population in real_text() if populations is None else populations:
        for size in sizes:
            rng = np.random.default_rng([size, len(population.name)])
            samples: list[Sample] = [(population.sample(rng, size), None) for _ in range(SAMPLES)]
            kind = population.kind
            yield coverage(population.name, population.truth, samples, kind.aggregate, _interval(kind))


def _of_dialogues() -> Iterator[tuple[str, ...]]:
    for population in real_text():
        if population.clusters is None:
            continue
        for size in SIZES:
            rng = np.random.default_rng([size, len(population.name), 1])
            samples = [population.clustered_sample(rng, size) for _ in range(2 * SAMPLES // 3)]
            name, kind = f"{population.name}, by dialogue", population.kind
            yield coverage(name, population.truth, samples, kind.aggregate, _interval(kind))


def _accuracies() -> Iterator[tuple[str, ...]]:
    for share in (0.5, 0.9, 0.97):
        for size in SIZES:
            rng = np.random.default_rng([size, int(100 * share)])
            samples = [(as_rows((rng.random(size) < share).astype(np.float64)), None) for _ in range(SAMPLES)]
            yield coverage(f"accuracy {share:g}", share, samples, mean_of, _interval(RIGHT))


def _clustered_accuracies() -> Iterator[tuple[str, ...]]:
    for share in (0.5, 0.9, 0.97):
        for size in SIZES:
            rng = np.random.default_rng([size, int(100 * share), 2])
            samples = [beta_binomial(rng, size, share, icc=0.2) for _ in range(SAMPLES)]
            name = f"accuracy {share:g}, 5 a dialogue, icc .2"
            yield coverage(name, share, samples, mean_of, _interval(RIGHT))


def beta_binomial(
    rng: np.random.Generator, clusters: int, share: float, *, icc: float, size: int = 5
) -> tuple[Floats, Integers]:
    """Right or wrong items in clusters whose two items correlate by ``icc``."""
    scale = (1 - icc) / icc
    shares = rng.beta(share * scale, (1 - share) * scale, size=clusters)
    values = (rng.random((clusters, size)) < shares[:, None]).astype(np.float64)
    return as_rows(values.ravel()), np.repeat(np.arange(clusters), size)
