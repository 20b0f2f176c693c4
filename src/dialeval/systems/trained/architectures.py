"""The table of networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import torch

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
