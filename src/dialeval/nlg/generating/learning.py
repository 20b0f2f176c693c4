"""The training task of a generator: batches of sentences of like length, their loss, and held-out nats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from dialeval.nlg.generating.lessons import Lesson
from dialeval.nlg.generating.network import Network
from dialeval.nlg.generating.vocabulary import ReadAct, Vocabulary
from dialeval.training.task import (
    Loss,
    Numbers,
    Sum,
    Task,
    batches_by_length,
    cut_by_length,
    unigram_nats,
)

_POOL: Final = 32
"""Batches whose sentences are sorted by length together."""
_MEASURED: Final = 256
"""Held-out sentences that are measured at once."""


class _Read(NamedTuple):
    """A lesson by numbers."""

    act: ReadAct
    sentence: tuple[int, ...]


def make_task(
    network: Network,
    vocabulary: Vocabulary,
    train: Sequence[Lesson],
    held_out: Sequence[Lesson],
    batch: int,
    seed: int,
) -> Task:
    """The task of learning these lessons."""
    read, read_out = _read(vocabulary, train), _read(vocabulary, held_out)
    lengths = [len(lesson.sentence) for lesson in read]
    measured = read_out or read
    golds, out = ([token for lesson in lessons for token in lesson.sentence] for lessons in (read, measured))
    return Task(
        network,
        batches_by_length(lengths, batch, pool=batch * _POOL, seed=seed),
        lambda rows: [_loss(network, [read[row] for row in rows])],
        (lambda: _measure(network, Counter(read_out))) if read_out else None,
        lambda numbers: numbers["nats"],
        {"nats": unigram_nats(golds, out, len(vocabulary.words))},
    )


def _read(vocabulary: Vocabulary, lessons: Sequence[Lesson]) -> list[_Read]:
    return [_Read(vocabulary.act(lesson.meaning), vocabulary.sentence(lesson.words)) for lesson in lessons]


def _loss(network: Network, lessons: Sequence[_Read]) -> Loss:
    """The mean over sentences of what they cost; nats are reported per word, ends counted."""
    costs = network.costs([lesson.act for lesson in lessons], [lesson.sentence for lesson in lessons])
    nats, gates = costs.nats.sum(), costs.gates.sum()
    words = sum(len(lesson.sentence) for lesson in lessons)
    return Loss(
        (nats + gates) / len(lessons),
        {"nats": Sum(float(nats.detach()), words), "gates": Sum(float(gates.detach()), len(lessons))},
    )


def _measure(network: Network, lessons: Counter[_Read]) -> Numbers:
    """Nats per word of the held-out lessons; a lesson that occurs many times, as in templated data, is read once."""
    unique, total, words = list(lessons), 0.0, 0
    for rows in cut_by_length(range(len(unique)), [len(lesson.sentence) for lesson in unique], _MEASURED):
        some = [unique[row] for row in rows]
        costs = network.costs([lesson.act for lesson in some], [lesson.sentence for lesson in some])
        for lesson, nats in zip(some, costs.nats.tolist(), strict=True):
            total += lessons[lesson] * nats
            words += lessons[lesson] * len(lesson.sentence)
    return {"nats": total / words}
