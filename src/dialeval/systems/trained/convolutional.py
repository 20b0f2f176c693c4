"""ConvS2S (Gehring et al., 2017): gated convolutions, with attention in every decoder layer."""

from __future__ import annotations

import math
from typing import Final, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

from dialeval.systems.tensors import Grid
from dialeval.systems.trained.config import Shape
from dialeval.systems.trained.network import Network, Rows

_HALF: Final = math.sqrt(0.5)
"""Keeps the variance of a sum of two (section 3.4)."""

Layer = TypeVar("Layer", nn.Linear, nn.Conv1d)


class Convolutional(Network):
    """Blocks of a convolution, a gated linear unit and a residual connection; the decoder's see only the left."""

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__(shape, vocabulary)
        narrow, wide, drop = shape.embedding, shape.hidden, shape.dropout
        self.kernel, self.wide = shape.kernel, wide
        nn.init.normal_(self.words.weight, std=0.1)
        self.scale = 1.0
        self.context_places = nn.Embedding(shape.positions, narrow)
        self.response_places = nn.Embedding(shape.positions, narrow)
        for places in (self.context_places, self.response_places):
            nn.init.normal_(places.weight, std=0.1)
        self.context_in, self.response_in = _linear(narrow, wide, drop), _linear(narrow, wide, drop)
        self.context_out, self.response_out = _linear(wide, narrow), _linear(wide, narrow)
        count = range(shape.layers)
        self.encoder = nn.ModuleList(_convolution(wide, shape.kernel, drop) for _ in count)
        self.decoder = nn.ModuleList(_convolution(wide, shape.kernel, drop) for _ in count)
        self.asking = nn.ModuleList(_linear(wide, narrow) for _ in count)
        self.answering = nn.ModuleList(_linear(narrow, wide) for _ in count)

    def encode(self, contexts: Grid) -> Rows:
        """Attention keys, values, mask and the root of each length."""
        places = torch.arange(contexts.ids.shape[1], device=self.device)
        words = self._place(contexts.ids, places, self.context_places)
        there = contexts.mask[..., None]
        states = self.context_in(words)
        for block in self.encoder:
            # What is filling must look like what lies beyond the end.
            sides = self.dropout(states * there).transpose(1, 2)
            gated = nn.functional.glu(_convolve(block, sides, self.kernel // 2, self.kernel // 2), dim=1)
            states = (gated.transpose(1, 2) + states) * _HALF
        # Every decoder layer attends, so gradients come this often; as in the authors' code the words are left out.
        keys = _gentle(self.context_out(states), 1 / (2 * len(self.decoder)))
        return (
            keys,
            (keys + words) * _HALF,
            contexts.mask,
            contexts.mask.sum(1).sqrt()[:, None, None],
        )

    def decode(self, memory: Rows, ids: Tensor) -> Tensor:
        """States after each of the tokens."""
        places = torch.arange(ids.shape[1], device=self.device)
        states, _ = self._run(memory, None, ids, places)
        return states

    def begin(self, memory: Rows) -> Rows:
        """Nothing to the left, in every layer."""
        empty = memory[0].new_zeros(len(memory[0]), self.kernel - 1, self.wide)
        return tuple(empty for _ in self.decoder)

    def advance(self, memory: Rows, past: Rows, tokens: Tensor, position: int) -> tuple[Tensor, Rows]:
        """States after one more token per row."""
        states, past = self._run(memory, past, tokens[:, None], torch.tensor([position], device=self.device))
        return states[:, 0], past

    def _run(self, memory: Rows, past: Rows | None, ids: Tensor, places: Tensor) -> tuple[Tensor, Rows]:
        words = self._place(ids, places, self.response_places)
        states = self.response_in(words)
        left: list[Tensor] = []
        layers = zip(self.decoder, self.asking, self.answering, past or self.begin(memory), strict=True)
        for block, ask, answer, before in layers:
            seen = torch.cat([before, states], 1)
            left.append(seen[:, seen.shape[1] - self.kernel + 1 :])
            gated = nn.functional.glu(
                _convolve(block, self.dropout(seen).transpose(1, 2), 0, 0), dim=1
            ).transpose(1, 2)
            attended = _attend((ask(gated) + words) * _HALF, memory)
            states = ((gated + answer(attended)) * _HALF + states) * _HALF
        return self.dropout(self.response_out(states)), tuple(left)

    def _place(self, ids: Tensor, places: Tensor, table: nn.Embedding) -> Tensor:
        """Words and their positions (section 3.1)."""
        placed: Tensor = self.dropout(self.embed(ids) + table(places.clamp(max=table.num_embeddings - 1)))
        return placed


def _attend(asked: Tensor, memory: Rows) -> Tensor:
    """Sections 3.3 and 3.4: dot-product attention, its mean scaled up to the variance of a single value."""
    keys, values, mask, root = memory
    weights = (asked @ keys.transpose(1, 2)).masked_fill(~mask[:, None], -math.inf).softmax(-1)
    return (weights @ values) * root


def _convolve(block: nn.Module, states: Tensor, left: int, right: int) -> Tensor:
    out: Tensor = block(nn.functional.pad(states, (left, right)))
    return out


def _gentle(states: Tensor, share: float) -> Tensor:
    """The same values, of whose gradient only this share is passed on."""
    return states * share + states.detach() * (1 - share)


def _linear(inputs: int, outputs: int, dropout: float = 0.0) -> nn.Module:
    return _normed(nn.Linear(inputs, outputs), math.sqrt((1 - dropout) / inputs))


def _convolution(size: int, kernel: int, dropout: float) -> nn.Module:
    # What a gated linear unit halves must start four times as large (section 3.5).
    return _normed(nn.Conv1d(size, 2 * size, kernel), math.sqrt(4 * (1 - dropout) / (kernel * size)))


def _normed(layer: Layer, deviation: float) -> nn.Module:
    nn.init.normal_(layer.weight, std=deviation)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
    normed: nn.Module = weight_norm(layer)
    return normed


def fold_norms(network: nn.Module) -> None:
    """Multiply out normed weights for good, so that a step of generation does not do it again."""
    from torch.nn.utils import parametrize

    for module in list(network.modules()):
        if parametrize.is_parametrized(module, "weight"):
            parametrize.remove_parametrizations(module, "weight")
