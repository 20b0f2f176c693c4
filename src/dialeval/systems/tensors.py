"""Torch for neural systems of every kind: devices, padding, log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from dialeval.errors import DialevalError, ResourceUnavailable


def find_device(name: str) -> torch.device:
    """The device of that name; ``auto`` is a graphics card where there is one."""
    if name == "auto":
        backends = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        return torch.device(next((backend for backend, there in backends.items() if there), "cpu"))
    try:
        device = torch.device(name)
    except RuntimeError:
        raise DialevalError(f"There is no device {name!r}. Write auto, cpu, cuda, cuda:1 or mps.") from None
    count = torch.cuda.device_count()
    if device.type == "cuda" and (device.index or 0) >= count:
        raise ResourceUnavailable(
            f"The device {name!r} is not available: torch sees {count} CUDA devices. Set the device to auto."
        )
    return device


class Grid(NamedTuple):
    """Token sequences of different lengths in one rectangle."""

    ids: Tensor
    mask: Tensor
    """True where a token stands, False where there is padding; shape of ``ids``."""


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
