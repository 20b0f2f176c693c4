"""Torch for neural systems of every kind: padding, log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


class Grid(NamedTuple):
    """Token sequences of different lengths in one rectangle."""

    ids: Tensor
    mask: Tensor
    """True for tokens, False for padding; shape of ``ids``."""


def pad(rows: Sequence[Sequence[int]], *, fill: int, device: torch.device, left: bool = False) -> Grid:
    """The rows as one rectangle, padded on the right, or on the left."""
    longest = max(map(len, rows))
    ids = torch.full((len(rows), longest), fill)
    mask = torch.zeros_like(ids, dtype=torch.bool)
    for index, row in enumerate(rows):
        columns = slice(longest - len(row), longest) if left else slice(0, len(row))
        ids[index, columns] = torch.tensor(row, dtype=ids.dtype)
        mask[index, columns] = True
    return Grid(ids.to(device), mask.to(device))


def normalised(logits: Tensor) -> Tensor:
    """Natural-log probabilities, in 32-bit floats.

    Torch's own log_softmax adds up a vocabulary one token after the other, which costs it a digit or two.
    """
    logits = logits.float()
    return logits - logits.logsumexp(-1, keepdim=True)
