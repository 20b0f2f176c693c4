"""The networks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import torch

from dialeval.errors import DialevalError, ResourceUnavailable
from dialeval.systems.trained.config import Architecture, Shape
from dialeval.systems.trained.convolutional import Convolutional
from dialeval.systems.trained.network import Network
from dialeval.systems.trained.recurrent import Recurrent
from dialeval.systems.trained.transformer import Transformer

ARCHITECTURES: Final[Mapping[Architecture, Callable[[Shape, int], Network]]] = {
    "gru": Recurrent,
    "lstm": Recurrent,
    "convs2s": Convolutional,
    "transformer": Transformer,
}


def build(shape: Shape, vocabulary: int, seed: int) -> Network:
    """A network that has learnt nothing; its weights follow from the seed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return ARCHITECTURES[shape.architecture](shape, vocabulary)


def find_device(name: str) -> torch.device:
    """The device of that name; ``auto`` is a graphics card where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise DialevalError(f"There is no device {name!r}. Write auto, cpu, cuda or cuda:1.") from None
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        count = torch.cuda.device_count()
        raise ResourceUnavailable(
            f"The device {name!r} is not here: torch sees {count} CUDA devices. Write auto."
        )
    return device
