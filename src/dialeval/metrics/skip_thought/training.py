"""Training of Skip-Thought encoders, from neighbouring turns to a model in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from torch import nn

from dialeval.metrics.skip_thought.config import TrainConfig
from dialeval.metrics.skip_thought.data import END, Triple, Vocabulary, count_words, digest
from dialeval.metrics.skip_thought.folder import write_model
from dialeval.metrics.skip_thought.model import Batch, SkipThought, make_encoders
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.loop import DEFAULT, Session, Shortfall, fit
from dialeval.training.task import Loss, Rows, Sum, Task, batches_by_length, unigram_nats

_POOL: Final = 32
"""Batches whose sentences are sorted by length together."""


@dataclass(frozen=True, slots=True)
class Trained:
    """The outcome of training."""

    folder: Path
    losses: tuple[float, ...]
    """Nats per word of each epoch, the mean of its batches as they were met."""
    triples: int
    vocabulary: int
    shortfall: Shortfall | None
    """How the model shows that it has learnt nothing; None where it has learnt something."""


def train(
    data: Sequence[Triple], config: TrainConfig, folder: Path, *, session: Session = DEFAULT
) -> Trained:
    """Learn from ``data`` and write the model to ``folder``; a run that was killed resumes from its checkpoint.

    On one machine and number of threads the weights depend on data and config alone, also after a kill.
    """
    vocabulary = count_words(
        (triple.here for triple in data), size=config.vocabulary, lowercase=config.lowercase
    )
    encoders = make_encoders(config, len(vocabulary))
    for encoder in encoders.values():
        encoder.initialise(config.seed)
    settings = {key: value for key, value in asdict(config).items() if key not in config.schedule.resumable}
    checkpoints = Checkpoints(folder, {"data": digest(data), **settings})
    fitted = fit(_task(data, config, vocabulary, encoders), config.schedule, checkpoints, session)
    losses = tuple(evaluation.train["nats"] for evaluation in fitted.history)
    write_model(folder, encoders, vocabulary, config, losses, digest(data), len(data))
    return Trained(folder, losses, len(data), len(vocabulary), fitted.shortfall)


def _task(
    data: Sequence[Triple], config: TrainConfig, vocabulary: Vocabulary, encoders: dict[str, SkipThought]
) -> Task:
    """The uni and the bi encoder side by side; as in the paper each has its own loss and its own clipping."""
    here, before, after = (
        vocabulary.number([getattr(triple, side) for triple in data], longest=config.longest)
        for side in ("here", "before", "after")
    )
    lengths, size = [len(words) for words in here], config.batch_size
    batches = batches_by_length(lengths, size, pool=size * _POOL, seed=config.seed)

    def losses(rows: Rows) -> Iterator[Loss]:
        batch = Batch(*([texts[row] for row in rows] for texts in (here, before, after)))
        for encoder in encoders.values():
            nats, words = encoder.loss(batch)
            # As in the paper a sentence's loss is the sum over its neighbours' words; a batch's is their mean.
            yield Loss(nats / len(rows), {"nats": Sum(float(nats.detach()), words)})

    targets = [word for texts in (before, after) for words in texts if words for word in (*words, END)]
    return Task(
        nn.ModuleDict(encoders),
        batches,
        losses,
        objective=lambda numbers: numbers["nats"],
        baseline={"nats": unigram_nats(targets, targets, len(vocabulary))},
        clipped=tuple(encoders.values()),
    )
