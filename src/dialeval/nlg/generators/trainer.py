"""Training of generators of sentences from acts: the task, from lessons to a model in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import nn

from dialeval.errors import Unsuitable
from dialeval.metrics.embedding.sources import Source
from dialeval.nlg.acts.placeholders import JOINED
from dialeval.nlg.generators.config import TrainConfig
from dialeval.nlg.generators.folder import Origin, build, write_network, write_sentences
from dialeval.nlg.generators.lessons import Lesson, Split, digest
from dialeval.nlg.generators.network import Network
from dialeval.nlg.generators.vocabulary import SPECIAL, NumberedAct, Vocabulary, learn_vocabulary
from dialeval.nlg.generators.writers import sentences_by_kind
from dialeval.training.checkpoint import Checkpoints, Evaluation
from dialeval.training.folder import CHECKPOINT, count_weights, perplexity
from dialeval.training.loop import DEFAULT, Ending, Session, Shortfall, fit
from dialeval.training.task import Loss, Numbers, Sum, Task, batches_by_length, cut_by_length, unigram_nats

_POOL: Final = 32
"""Batches whose sentences are sorted by length together."""
_MEASURED: Final = 256
"""Held-out sentences that are measured at once."""


class _NumberedLesson(NamedTuple):
    """A lesson by numbers."""

    act: NumberedAct
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


def _read(vocabulary: Vocabulary, lessons: Sequence[Lesson]) -> list[_NumberedLesson]:
    return [
        _NumberedLesson(vocabulary.act(lesson.meaning), vocabulary.sentence(lesson.words))
        for lesson in lessons
    ]


def _loss(network: Network, lessons: Sequence[_NumberedLesson]) -> Loss:
    """The mean over sentences of what they cost; nats are reported per word, ends counted."""
    costs = network.costs([lesson.act for lesson in lessons], [lesson.sentence for lesson in lessons])
    nats, gates = costs.nats.sum(), costs.gates.sum()
    words = sum(len(lesson.sentence) for lesson in lessons)
    return Loss(
        (nats + gates) / len(lessons),
        {"nats": Sum(float(nats.detach()), words), "gates": Sum(float(gates.detach()), len(lessons))},
    )


def _measure(network: Network, lessons: Counter[_NumberedLesson]) -> Numbers:
    """Nats per word of the held-out lessons; a lesson that occurs many times, as in templated data, is read once."""
    unique, total, words = list(lessons), 0.0, 0
    for rows in cut_by_length(range(len(unique)), [len(lesson.sentence) for lesson in unique], _MEASURED):
        some = [unique[row] for row in rows]
        costs = network.costs([lesson.act for lesson in some], [lesson.sentence for lesson in some])
        for lesson, nats in zip(some, costs.nats.tolist(), strict=True):
            total += lessons[lesson] * nats
            words += lessons[lesson] * len(lesson.sentence)
    return {"nats": total / words}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of training."""

    folder: Path
    sentences: int
    held_out: int
    incomplete: int
    """Training sentences that do not hold all values of their act as the act writes them."""
    weights: int
    history: tuple[Evaluation, ...] = ()
    best: Evaluation | None = None
    """Evaluation whose weights were kept; None for the random model, which has none."""
    ending: Ending | None = None
    shortfall: Shortfall | None = None

    @property
    def perplexity(self) -> float | None:
        """On the held-out sentences, of the weights that were kept; None if none are held out."""
        return None if self.best is None else perplexity(self.best)


def train(
    data: Split, config: TrainConfig, folder: Path, *, lowercase: bool = False, session: Session = DEFAULT
) -> Outcome:
    """Learn from ``data`` and write the generator to ``folder``; a run that was killed resumes from its checkpoint.

    ``lowercase`` says that the lessons were put into lower case, so that the generator does the same with its acts.
    """
    source = Source(config.vectors) if config.vectors else None
    if source is not None:
        config = replace(config, shape=replace(config.shape, embedding=source.load().dimensions))
    origin = Origin(
        digest(data.train),
        len(data.train),
        digest(data.held_out),
        len(data.held_out),
        lowercase,
        source.sha256 if source else None,
    )
    if config.shape.model == "random":
        if (folder / CHECKPOINT).exists():
            raise Unsuitable(f"{folder} holds a network in training. Give another folder, or empty this one.")
        write_sentences(folder, sentences_by_kind(data.train), config, origin)
        return Outcome(folder, len(data.train), len(data.held_out), data.incomplete, 0)
    vocabulary = learn_vocabulary(
        [lesson.meaning for lesson in data.train], [lesson.words for lesson in data.train]
    )
    network = build(config, vocabulary)
    if source is not None:
        start_from_vectors(network, vocabulary, source)
    task = make_task(network, vocabulary, data.train, data.held_out, config.batch, config.schedule.seed)
    fitted = fit(task, config.schedule, Checkpoints(folder, _identity(config, origin)), session)
    write_network(folder, network, vocabulary, config, origin, fitted)
    return Outcome(
        folder,
        len(data.train),
        len(data.held_out),
        data.incomplete,
        count_weights(network),
        fitted.history,
        fitted.best,
        fitted.ending,
        fitted.shortfall,
    )


def start_from_vectors(network: Network, vocabulary: Vocabulary, source: Source) -> None:
    """Give the network's words the vectors of a table, scaled to the size of those that start at random.

    Words that the table does not know, placeholders among them, keep their random vectors.
    """
    tables: list[tuple[nn.Embedding, Sequence[str]]] = [(network.words, vocabulary.words)]
    if network.encoder is not None:
        tables.append((network.encoder.words, vocabulary.values))
    for embedding, words in tables:
        vectors, known = source.load().of([word.removeprefix(JOINED) for word in words])
        known[: len(SPECIAL)] = False
        if not known.any():
            raise Unsuitable(
                f"None of {len(words):,} words of the corpus has a vector in {source.name}. Give vectors of the "
                "corpus's language, or leave --vectors out."
            )
        given = torch.from_numpy(vectors[known])
        with torch.no_grad():
            scale = embedding.weight.square().mean().sqrt() / given.square().mean().sqrt().clamp(min=1e-12)
            embedding.weight[torch.from_numpy(np.flatnonzero(known))] = given * scale


def _identity(config: TrainConfig, origin: Origin) -> dict[str, Any]:
    """Settings that must be equal for a run to be resumed; more epochs and more patience may come later."""
    settings = config.as_json()
    flat = {**settings.pop("shape"), **settings.pop("schedule"), **settings}
    flat.pop("vectors")  # known by their sha256
    kept = {key: value for key, value in flat.items() if key not in config.schedule.resumable}
    return {**asdict(origin), **kept}
