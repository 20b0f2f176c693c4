"""A made-up task that trains in a blink: two features of a point tell its class."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import nn

from dialeval.training.checkpoint import take_weights
from dialeval.training.schedule import Schedule
from dialeval.training.task import Loss, Numbers, Rows, Sum, Task, cut_by_length, shuffled_batches

SCHEDULE = Schedule(epochs=4, learning_rate=0.05, warm_up=5, clip=1.0, save_every=3, patience=50)


def made_task(*, held_out: bool = True) -> Task:
    """A network with dropout that learns on which side of a line a point lies."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        points = torch.rand(80, 2) * 2 - 1
        model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Dropout(0.1), nn.Linear(8, 2))
    labels = (points.sum(dim=1) > 0).long()

    def losses(rows: Rows) -> Iterator[Loss]:
        loss = nn.functional.cross_entropy(model(points[rows]), labels[rows], reduction="sum")
        yield Loss(loss / len(rows), {"loss": Sum(float(loss.detach()), len(rows))})

    def validate() -> Numbers:
        logits = model(points[64:])
        loss = float(nn.functional.cross_entropy(logits, labels[64:]))
        return {"loss": loss, "accuracy": float((logits.argmax(1) == labels[64:]).float().mean())}

    def batches(epoch: int) -> list[list[int]]:
        return shuffled_batches(64, 32, lambda rows: cut_by_length(rows, [1] * 64, 8), seed=0, epoch=epoch)

    return Task(model, batches, losses, validate if held_out else None)


def same_weights(first: Task, second: Task) -> bool:
    """Whether two models have the same bits."""
    ours, theirs = take_weights(first.model), take_weights(second.model)
    return all(torch.equal(ours[name], theirs[name]) for name in ours)
