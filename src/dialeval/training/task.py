"""The contract between a trainer and the training loop, and the order of examples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np
from torch import Tensor, nn

Rows: TypeAlias = Sequence[int]
"""A batch: positions of examples in the trainer's data."""
Numbers: TypeAlias = Mapping[str, float]
"""Measured values by name."""


class Sum(NamedTuple):
    """A sum of this many values, from which their mean follows."""

    total: float
    number: int


Sums: TypeAlias = Mapping[str, Sum]


class Loss(NamedTuple):
    """The loss of a batch, or of a part of one, and the values that are reported for it."""

    loss: Tensor
    """A scalar, from which gradients are computed."""
    sums: Sums
    """For example nats over tokens, or right answers over questions; summed until the next evaluation."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Task that a trainer brings: a model, batches, a loss and a validation measure.

    ``batches`` and ``losses`` must depend on nothing that changes between two runs but their argument and torch's
    random numbers, which the loop seeds before each update; then a resumed run ends with the same bytes.
    """

    model: nn.Module
    batches: Callable[[int], Sequence[Rows]]
    """The batches of an epoch, numbered from 0."""
    losses: Callable[[Rows], Iterable[Loss]]
    """The losses of a batch, one or several, whose gradients add up; several hold less in memory when made lazily."""
    validate: Callable[[], Numbers] | None = None
    """Measures the model on held-out data; None if no data are held out."""
    objective: Callable[[Numbers], float] = lambda numbers: numbers["loss"]
    """The one number among the measured that training should make small, for early stopping and the best weights."""
    baseline: Numbers = field(default_factory=dict)
    """Values, by name, of a model that ignores its input; a model that beats none of them has learnt nothing."""
    clipped: Sequence[nn.Module] = ()
    """Parts of the model whose gradients are clipped separately; empty to clip the whole gradient at once."""


def unigram_nats(train: Iterable[Hashable], test: Iterable[Hashable], vocabulary: int) -> float:
    """Mean negative log-probability of the test tokens by their frequency in training, with add-one smoothing."""
    counts = Counter(train)
    total = math.log(counts.total() + vocabulary)
    costs = [total - math.log(counts[token] + 1) for token in test]
    return math.fsum(costs) / len(costs)


def add_sums(first: Sums, second: Sums) -> dict[str, Sum]:
    """Both together, name by name."""
    zero = Sum(0.0, 0)
    names = dict.fromkeys((*first, *second))
    return {
        name: Sum(a.total + b.total, a.number + b.number)
        for name in names
        for a, b in ((first.get(name, zero), second.get(name, zero)),)
    }


def means(sums: Sums) -> dict[str, float]:
    """The mean of each sum that has values."""
    return {name: value.total / value.number for name, value in sums.items() if value.number}


def shuffled_batches(
    count: int, pool: int, cut: Callable[[list[int]], list[list[int]]], *, seed: int, epoch: int
) -> list[list[int]]:
    """An epoch's batches of ``count`` examples: a function of seed and epoch, so that a resumed run meets the same.

    The examples are shuffled and taken in pools of ``pool``, which ``cut`` makes into batches, as it likes by length:
    large enough to pad little, small enough to stay random. The batches of a pool are shuffled again.
    """
    draw = np.random.default_rng([seed, epoch])
    order = draw.permutation(count).tolist()
    batches: list[list[int]] = []
    for start in range(0, count, pool):
        chunks = cut(order[start : start + pool])
        batches += [chunks[index] for index in draw.permutation(len(chunks)).tolist()]
    return batches


def batches_by_length(
    lengths: Sequence[int], size: int, *, pool: int, seed: int
) -> Callable[[int], list[list[int]]]:
    """The batches of any epoch, each of ``size`` examples of about one length (see ``shuffled_batches``)."""
    return lambda epoch: shuffled_batches(
        len(lengths), pool, lambda rows: cut_by_length(rows, lengths, size), seed=seed, epoch=epoch
    )


def numbered_on(batches: Callable[[int], list[list[int]]], count: int) -> Callable[[int], list[list[int]]]:
    """Batches with positions that go on from epoch to epoch: row ``r`` of epoch ``e`` is ``r + e * count``.

    What is drawn at random for an example then differs between epochs, and is the same in a resumed run.
    """
    return lambda epoch: [[row + epoch * count for row in batch] for batch in batches(epoch)]


def cut_by_length(rows: Sequence[int], lengths: Sequence[int], size: int) -> list[list[int]]:
    """Batches of ``size`` examples, the last one smaller, in order of length."""
    ordered = sorted(rows, key=lambda row: lengths[row])
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]
