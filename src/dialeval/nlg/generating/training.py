"""Training of generators of sentences from acts, from lessons to a model in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from dialeval.errors import Unsuitable
from dialeval.metrics.embedding.sources import Source
from dialeval.nlg.generating.config import TrainConfig
from dialeval.nlg.generating.folder import (
    Origin,
    build,
    write_network,
    write_sentences,
)
from dialeval.nlg.generating.learning import make_task
from dialeval.nlg.generating.lessons import Split, digest
from dialeval.nlg.generating.network import Network
from dialeval.nlg.generating.random_sentences import sentences_by_kind
from dialeval.nlg.generating.vocabulary import SPECIAL, Vocabulary, learn_vocabulary
from dialeval.nlg.generating.words import JOINED
from dialeval.training.checkpoint import Checkpoints, Evaluation
from dialeval.training.folder import CHECKPOINT
from dialeval.training.history import count_weights, perplexity
from dialeval.training.loop import DEFAULT, Ending, Session, Shortfall, fit


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
    """Whose weights were kept; None for the random model, which has none."""
    ending: Ending | None = None
    shortfall: Shortfall | None = None

    @property
    def perplexity(self) -> float | None:
        """On the held-out sentences, of the weights that were kept; None where none are held out."""
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
    """What must be equal for a run to be resumed; more epochs and more patience may come later."""
    settings = config.as_json()
    flat = {**settings.pop("shape"), **settings.pop("schedule"), **settings}
    flat.pop("vectors")  # known by their sha256
    kept = {key: value for key, value in flat.items() if key not in config.schedule.resumable}
    return {**asdict(origin), **kept}
