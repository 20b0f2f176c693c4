"""Coverage of the intervals of one system's score."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

import numpy as np

from bench.calibration.coverage import HEADING, Coverage, GiveInterval, Sample, coverage, line
from bench.calibration.populations import as_rows, mean_of, real_text
from dialeval.stats.resampling.bootstrap import Aggregate, Floats, Integers
from dialeval.stats.resampling.intervals import UnitInterval, interval_of

SIZES: Final = (10, 30, 100)
SAMPLES: Final = 1000


def report() -> None:
    print(
        "\nIntervals of a score: 95 % nominal, shares in per cent (``items``: turns resampled as independent)"
    )
    print(HEADING)
    for found in chain(_of_items(), _of_dialogues(), _accuracies(), _clustered_accuracies()):
        print(line(found), flush=True)


def _interval(aggregate: Aggregate, yes_no: bool | None = None) -> GiveInterval:
    def interval(rows: Floats, clusters: Integers | None) -> UnitInterval:
        return interval_of(rows, aggregate, clusters=clusters, yes_no=yes_no)

    return interval


def _of_items() -> Iterator[Coverage]:
    for population in real_text():
        for size in SIZES:
            rng = np.random.default_rng([size, len(population.name)])
            samples: list[Sample] = [(population.sample(rng, size), None) for _ in range(SAMPLES)]
            yield coverage(
                population.name,
                population.truth,
                samples,
                population.aggregate,
                _interval(population.aggregate),
            )


def _of_dialogues() -> Iterator[Coverage]:
    for population in real_text():
        if population.clusters is None:
            continue
        for size in SIZES:
            rng = np.random.default_rng([size, len(population.name), 1])
            samples = [population.clustered_sample(rng, size) for _ in range(SAMPLES // 2)]
            name = f"{population.name}, by dialogue"
            yield coverage(
                name, population.truth, samples, population.aggregate, _interval(population.aggregate)
            )


def _accuracies() -> Iterator[Coverage]:
    for share in (0.5, 0.9, 0.97):
        for size in SIZES:
            rng = np.random.default_rng([size, int(100 * share)])
            samples = [(as_rows((rng.random(size) < share).astype(np.float64)), None) for _ in range(SAMPLES)]
            yield coverage(f"accuracy {share:g}", share, samples, mean_of, _interval(mean_of, True))


def _clustered_accuracies() -> Iterator[Coverage]:
    for share in (0.5, 0.9, 0.97):
        for size in SIZES:
            rng = np.random.default_rng([size, int(100 * share), 2])
            samples = [beta_binomial(rng, size, share, icc=0.2) for _ in range(SAMPLES)]
            name = f"accuracy {share:g}, 5 a cluster, icc .2"
            yield coverage(name, share, samples, mean_of, _interval(mean_of, True))


def beta_binomial(
    rng: np.random.Generator, clusters: int, share: float, *, icc: float, size: int = 5
) -> tuple[Floats, Integers]:
    """Right or wrong items in clusters whose two items correlate by ``icc``."""
    scale = (1 - icc) / icc
    shares = rng.beta(share * scale, (1 - share) * scale, size=clusters)
    values = (rng.random((clusters, size)) < shares[:, None]).astype(np.float64)
    return as_rows(values.ravel()), np.repeat(np.arange(clusters), size)
