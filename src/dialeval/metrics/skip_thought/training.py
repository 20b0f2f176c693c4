"""The training loop, to be read from top to bottom."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch

from dialeval.engine import SILENT, Progress
from dialeval.engine.checkpoint import forget_checkpoint
from dialeval.metrics.skip_thought.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from dialeval.metrics.skip_thought.config import TrainConfig
from dialeval.metrics.skip_thought.folder import write_model
from dialeval.metrics.skip_thought.model import Batch, SkipThought
from dialeval.metrics.skip_thought.neighbours import Triple, digest
from dialeval.metrics.skip_thought.vocabulary import count_words

_POOL = 32
"""Batches whose sentences are sorted by length together: long enough to pad little, short enough to stay random."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What training came to."""

    folder: Path
    losses: tuple[float, ...]
    """Nats per word of each epoch, the mean of its batches as they were met."""
    triples: int
    vocabulary: int


def train(
    data: Sequence[Triple],
    config: TrainConfig,
    folder: Path,
    *,
    resume: bool = True,
    progress: Progress = SILENT,
) -> Trained:
    """Learn from ``data`` and write the model to ``folder``; a run that was killed goes on from its checkpoint.

    On one machine and number of threads the weights depend on data and config alone, also after a kill.
    """
    vocabulary = count_words(
        (triple.here for triple in data), size=config.vocabulary, lowercase=config.lowercase
    )
    sentences = Batch(
        here=vocabulary.number([triple.here for triple in data], longest=config.longest),
        before=vocabulary.number([triple.before for triple in data], longest=config.longest),
        after=vocabulary.number([triple.after for triple in data], longest=config.longest),
    )
    models: dict[str, SkipThought] = {
        part: SkipThought(part, len(vocabulary), config) for part in config.parts
    }
    optimisers: dict[str, torch.optim.Optimizer] = {
        part: torch.optim.Adam(model.parameters(), lr=config.learning_rate) for part, model in models.items()
    }
    for model in models.values():
        model.initialise(config.seed)

    identity = _identity(data, config)
    if not resume:
        forget_checkpoint(folder)
    at = read_checkpoint(folder, identity, models, optimisers) or Checkpoint(0, 0, 0.0, 0, ())
    progress.advance(at.epoch * len(data) + at.batch * config.batch_size)

    for epoch in range(at.epoch, config.epochs):
        batches = list(_batches(sentences, config, epoch))
        for number in range(at.batch, len(batches)):
            nats, words = 0.0, 0
            for part, model in models.items():
                loss = model.loss(batches[number])
                optimisers[part].zero_grad()
                # As in the paper a sentence's loss is the sum over its neighbours' words; a batch's is their mean.
                torch.autograd.backward(loss.nats / len(batches[number].here))
                torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
                optimisers[part].step()
                nats, words = nats + float(loss.nats.detach()), words + loss.words
            at = Checkpoint(epoch, number + 1, at.nats + nats, at.words + words, at.losses)
            if at.batch % config.save_every == 0:
                write_checkpoint(folder, identity, at, models, optimisers)
            progress.advance(len(batches[number].here))
        at = Checkpoint(epoch + 1, 0, 0.0, 0, (*at.losses, at.nats / at.words))
        write_checkpoint(folder, identity, at, models, optimisers)

    write_model(folder, models, vocabulary, config, at.losses, digest(data), len(data))
    return Trained(folder, at.losses, len(data), len(vocabulary))


def _batches(sentences: Batch, config: TrainConfig, epoch: int) -> Iterator[Batch]:
    """The epoch's batches: a function of seed and epoch, so that a resumed run meets the same."""
    draw = np.random.default_rng([config.seed, epoch])
    order = draw.permutation(len(sentences.here))
    width = config.batch_size * _POOL
    for start in range(0, len(order), width):
        pool = sorted(order[start : start + width].tolist(), key=lambda row: len(sentences.here[row]))
        chunks = [pool[at : at + config.batch_size] for at in range(0, len(pool), config.batch_size)]
        for chunk in draw.permutation(len(chunks)).tolist():
            rows = chunks[chunk]
            yield Batch(*([texts[row] for row in rows] for texts in sentences))


def _identity(data: Sequence[Triple], config: TrainConfig) -> str:
    """What must be equal for a checkpoint to be gone on from; more epochs and other saving may come later."""
    settings = {key: value for key, value in asdict(config).items() if key not in ("epochs", "save_every")}
    return json.dumps({"data": digest(data), **settings}, sort_keys=True)
