"""How far the training of an encoder has come, and its checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

from dialeval.engine import checkpoint

Models = Mapping[str, nn.Module]
Optimisers = Mapping[str, torch.optim.Optimizer]


class Checkpoint(NamedTuple):
    """How far training has come."""

    epoch: int
    batch: int
    """Of the epoch, the next one to do."""
    nats: float
    words: int
    losses: tuple[float, ...]
    """Of the epochs that are done."""


def write_checkpoint(
    folder: Path, identity: str, at: Checkpoint, models: Models, optimisers: Optimisers
) -> None:
    """Put weights, moments and place into the folder's checkpoint in one step."""
    tensors = {
        name: tensor
        for part, model in models.items()
        for name, tensor in checkpoint.learnt(part, model, optimisers[part]).items()
    }
    checkpoint.write_checkpoint(folder, identity, json.dumps(at._asdict()), tensors)


def read_checkpoint(folder: Path, identity: str, models: Models, optimisers: Optimisers) -> Checkpoint | None:
    """Take up weights and moments from the folder's checkpoint; where it stands, or None without one."""
    saved = checkpoint.read_checkpoint(folder, identity)
    if saved is None:
        return None
    for part, model in models.items():
        checkpoint.take_up(part, model, optimisers[part], saved)
    at = json.loads(saved.place)
    return Checkpoint(at["epoch"], at["batch"], at["nats"], at["words"], tuple(at["losses"]))
