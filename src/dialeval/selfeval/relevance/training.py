"""Training of the bi-encoder: the next turn among the other responses of a batch, and the context's own last turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, normalize

from dialeval.selfeval.folder import ADAPTER
from dialeval.selfeval.relevance.lessons import Pair, context_segments, response_segments
from dialeval.training.checkpoint import Checkpoints
from dialeval.training.finetuning import FinetunedEncoder, Finetuning, write_adapter
from dialeval.training.loop import DEFAULT, Fitted, Session, fit
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, cut_by_length, shuffled_batches

_POOL: Final = 16
"""Batches whose pairs are sorted by length together."""


@dataclass(frozen=True, slots=True)
class RelevanceConfig:
    """Everything that moves the weights, beside the data."""

    finetuning: Finetuning = field(
        default_factory=lambda: Finetuning(
            rank=16, alpha=32.0, longest=96, fit="longest", precision="bfloat16", dropout=0.0
        )
    )
    schedule: Schedule = field(
        default_factory=lambda: Schedule(
            epochs=1, learning_rate=3e-4, warm_up=50, evaluate_every=200, patience=20, save_every=50
        )
    )
    batch_size: int = 64
    temperature: float = 0.05
    """By which cosines are divided before the softmax."""
    echoes: float = 0.25
    """The share of contexts whose own last turn is one of the false responses, since repeating is no answer."""


def train_relevance(
    pairs: Sequence[Pair],
    held_out: Sequence[Pair],
    config: RelevanceConfig,
    folder: Path,
    *,
    digest: str,
    session: Session = DEFAULT,
) -> Fitted:
    """Train, write the adapter to ``folder``, and return what was measured; a run that was killed resumes."""
    model = FinetunedEncoder(config.finetuning, (), seed=config.schedule.seed)
    settings = asdict(config)
    for key in config.schedule.resumable:
        settings["schedule"].pop(key)
    checkpoints = Checkpoints(folder, {"data": digest, **settings})
    fitted = fit(_task(model, pairs, held_out, config), config.schedule, checkpoints, session)
    facts: dict[str, Any] = {"data": digest, "pairs": len(pairs), "updates": fitted.best.updates}
    write_adapter(folder / ADAPTER, model, "relevance", facts)
    return fitted


def _task(
    model: FinetunedEncoder, pairs: Sequence[Pair], held_out: Sequence[Pair], config: RelevanceConfig
) -> Task:
    lengths = [len(pair.response) + sum(map(len, pair.context)) for pair in pairs]

    def batches(epoch: int) -> list[list[int]]:
        def cut(rows: list[int]) -> list[list[int]]:
            by_source: dict[str, list[int]] = {}
            for row in rows:
                by_source.setdefault(pairs[row].source, []).append(row)
            chunks = [
                chunk
                for own in by_source.values()
                for chunk in cut_by_length(own, lengths, config.batch_size)
            ]
            return [chunk for chunk in chunks if len(chunk) > 1]

        seed = config.schedule.seed
        return shuffled_batches(len(pairs), config.batch_size * _POOL, cut, seed=seed, epoch=epoch)

    def losses(rows: Rows) -> list[Loss]:
        own = [pairs[row] for row in rows]
        echoing = int(config.echoes * len(own))
        loss, right = batch_loss(model, own, echoing, config.temperature)
        nats = Sum(float(loss.detach()) * len(rows), len(rows))
        return [Loss(loss, {"loss": nats, "found": Sum(float(right), len(rows))})]

    def validate() -> Numbers:
        total, found, seen = 0.0, 0.0, 0
        for start in range(0, len(held_out), config.batch_size):
            own = held_out[start : start + config.batch_size]
            loss, right = batch_loss(model, own, 0, config.temperature)
            total, found, seen = total + float(loss) * len(own), found + right, seen + len(own)
        return {"loss": total / seen, "found": found / seen}

    return Task(model, batches, losses, validate if held_out else None)


def batch_loss(
    model: FinetunedEncoder, pairs: Sequence[Pair], echoes: int, temperature: float
) -> tuple[Tensor, int]:
    """Mean cross-entropy of the true responses, and how many are ranked first.

    The false responses of a context are the other responses of the batch, unless they say the same, and the last turns
    of the first ``echoes`` contexts; a response is in turn found among the contexts.
    """
    contexts = _units(model, [context_segments(pair.context) for pair in pairs])
    said = [pair.response for pair in pairs] + [pair.context[-1] for pair in pairs[:echoes]]
    responses = _units(model, [response_segments(text) for text in said])
    scores = contexts @ responses.T / temperature
    alike = torch.tensor([[pair.response == text for text in said] for pair in pairs])
    alike[:, : len(pairs)].fill_diagonal_(False)
    scores = scores.masked_fill(alike.to(scores.device), -1e4)
    targets = torch.arange(len(pairs), device=scores.device)
    square = scores[:, : len(pairs)]
    loss = (cross_entropy(scores, targets) + cross_entropy(square.T, targets)) / 2
    return loss, int((scores.argmax(1) == targets).sum())


def _units(model: FinetunedEncoder, texts: Sequence[Sequence[str]]) -> Tensor:
    return normalize(model.means(model.tokens(texts)), dim=1)
