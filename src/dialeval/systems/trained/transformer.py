"""The Transformer (Vaswani et al., 2017), normed before each part, which needs no warm-up (Xiong et al., 2020)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from dialeval.systems.tensors import Grid
from dialeval.systems.trained.config import Shape
from dialeval.systems.trained.network import Network, Rows


class Transformer(Network):
    """Self-attention in both halves; the decoder also attends to the context. Positions are sinusoids."""

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__(shape, vocabulary)
        count = range(shape.layers)
        self.encoder = nn.ModuleList(_Block(shape, attends=False) for _ in count)
        self.decoder = nn.ModuleList(_Block(shape, attends=True) for _ in count)
        self.context_norm, self.response_norm = nn.LayerNorm(shape.embedding), nn.LayerNorm(shape.embedding)

    def encode(self, contexts: Grid) -> Rows:
        """The mask, then keys and values for each decoder layer's attention to the context."""
        states, mask = self._place(contexts.ids, 0), contexts.mask[:, None, None]
        for block in _blocks(self.encoder):
            asked = block.norm(states)
            states = block.feed(states + block.own(asked, *block.own.offer(asked), mask))
        states = self.context_norm(states)
        offered = [block.other.offer(states) for block in _blocks(self.decoder)]
        return (contexts.mask, *(tensor for pair in offered for tensor in pair))

    def decode(self, memory: Rows, ids: Tensor) -> Tensor:
        """States after each of the tokens."""
        size = ids.shape[1]
        earlier = torch.ones(size, size, dtype=torch.bool, device=self.device).tril()
        states, _ = self._run(memory, self.begin(memory), self._place(ids, 0), earlier)
        return states

    def begin(self, memory: Rows) -> Rows:
        """No keys and values yet, in every layer."""
        return tuple(tensor[:, :, :0] for tensor in memory[1:])

    def advance(self, memory: Rows, past: Rows, tokens: Tensor, position: int) -> tuple[Tensor, Rows]:
        """States after one more token per row."""
        states, past = self._run(memory, past, self._place(tokens[:, None], position), None)
        return states[:, 0], past

    def _run(self, memory: Rows, past: Rows, states: Tensor, earlier: Tensor | None) -> tuple[Tensor, Rows]:
        there, kept = memory[0][:, None, None], list[Tensor]()
        for layer, block in enumerate(_blocks(self.decoder)):
            asked = block.norm(states)
            new = block.own.offer(asked)
            keys, values = (torch.cat([past[2 * layer + side], new[side]], 2) for side in (0, 1))
            kept += [keys, values]
            states = states + block.own(asked, keys, values, earlier)
            states = states + block.other(
                block.other_norm(states), memory[1 + 2 * layer], memory[2 + 2 * layer], there
            )
            states = block.feed(states)
        return self.dropout(self.response_norm(states)), tuple(kept)

    def _place(self, ids: Tensor, first: int) -> Tensor:
        places = torch.arange(first, first + ids.shape[1], device=self.device)
        placed: Tensor = self.dropout(self.embed(ids) + _sinusoids(places, self.words.embedding_dim))
        return placed


class _Attention(nn.Module):
    """Scaled dot-product attention of several heads (section 3.2)."""

    def __init__(self, size: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, nn.Dropout(dropout)
        self.asking, self.keys = nn.Linear(size, size), nn.Linear(size, size)
        self.values, self.joining = nn.Linear(size, size), nn.Linear(size, size)

    def offer(self, states: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values by head, for others to attend to."""
        return self._by_head(self.keys(states)), self._by_head(self.values(states))

    def forward(self, states: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """What is found under the keys that the mask lets be seen."""
        attended = scaled_dot_product_attention(self._by_head(self.asking(states)), keys, values, mask)
        joined: Tensor = self.dropout(self.joining(attended.transpose(1, 2).flatten(2)))
        return joined

    def _by_head(self, states: Tensor) -> Tensor:
        return states.view(*states.shape[:2], self.heads, -1).transpose(1, 2)


class _Block(nn.Module):
    def __init__(self, shape: Shape, *, attends: bool) -> None:
        super().__init__()
        size, drop = shape.embedding, shape.dropout
        self.norm, self.own = nn.LayerNorm(size), _Attention(size, shape.heads, drop)
        if attends:
            self.other_norm, self.other = nn.LayerNorm(size), _Attention(size, shape.heads, drop)
        self.feed_forward = nn.Sequential(
            nn.LayerNorm(size),
            nn.Linear(size, shape.hidden),
            nn.ReLU(),
            nn.Dropout(drop),
            nn.Linear(shape.hidden, size),
            nn.Dropout(drop),
        )

    def feed(self, states: Tensor) -> Tensor:
        """The states with their feed-forward layer's output added."""
        out: Tensor = states + self.feed_forward(states)
        return out


def _blocks(layers: nn.ModuleList) -> list[_Block]:
    return [layer for layer in layers if isinstance(layer, _Block)]


def _sinusoids(places: Tensor, size: int) -> Tensor:
    """Section 3.5, sines before cosines."""
    rates = torch.exp(torch.arange(0, size, 2, device=places.device) * (-math.log(10000.0) / size))
    angles = places[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], -1)
