"""Encoder-decoder networks behind one interface: recurrent, Transformer and convolutional.

Recurrent: a bidirectional GRU or LSTM reads the context, another one writes, with attention (Luong et al., 2015). The
Transformer (Vaswani et al., 2017) is normed before each part, which needs no warm-up (Xiong et al., 2020). ConvS2S
(Gehring et al., 2017): gated convolutions, with attention in every decoder layer.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, TypeAlias, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.nn.utils.parametrizations import weight_norm
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from dialeval.systems.tensors import Grid, pad
from dialeval.systems.trained.config import Shape
from dialeval.systems.trained.subwords import PAD

Rows: TypeAlias = tuple[Tensor, ...]
"""Tensors whose first dimension is the batch, so that rows can be picked from all of them alike."""


def pick(rows: Rows, which: Tensor) -> Rows:
    """These rows of every tensor, in this order."""
    return tuple(tensor[which] for tensor in rows)


class Network(nn.Module, ABC):
    """An encoder-decoder whose input and output words share their vectors (Press and Wolf, 2017)."""

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, shape.embedding)
        nn.init.normal_(self.words.weight, std=shape.embedding**-0.5)
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.dropout = nn.Dropout(shape.dropout)
        self.scale = math.sqrt(shape.embedding)

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return self.words.num_embeddings

    @property
    def device(self) -> torch.device:
        """Device of the weights."""
        return self.bias.device

    def pad(self, rows: Sequence[Sequence[int]]) -> Grid:
        """Return token sequences as one rectangle on the device of the weights."""
        return pad(rows, fill=PAD, device=self.device)

    def embed(self, ids: Tensor) -> Tensor:
        """The tokens' vectors, of about unit variance."""
        vectors: Tensor = self.words(ids) * self.scale
        return vectors

    def logits(self, states: Tensor) -> Tensor:
        """Return logits of each token after each state, shape (..., vocabulary)."""
        return nn.functional.linear(states, self.words.weight, self.bias)

    @abstractmethod
    def encode(self, contexts: Grid) -> Rows:
        """Return what the decoder needs to know of each context."""

    @abstractmethod
    def decode(self, memory: Rows, ids: Tensor) -> Tensor:
        """States after each of the tokens, shape (batch, tokens, embedding); the first token is the start."""

    @abstractmethod
    def begin(self, memory: Rows) -> Rows:
        """Return what the decoder remembers before the first token."""

    @abstractmethod
    def advance(self, memory: Rows, past: Rows, tokens: Tensor, position: int) -> tuple[Tensor, Rows]:
        """States after one more token per row, shape (batch, embedding), and what is then remembered."""


class Recurrent(Network):
    """Global attention with the ``general`` score, and no input feeding, so that training reads a response at once."""

    def __init__(self, shape: Shape, vocabulary: int) -> None:
        super().__init__(shape, vocabulary)
        kind = nn.GRU if shape.architecture == "gru" else nn.LSTM
        between = shape.dropout if shape.layers > 1 else 0.0
        sizes = {"num_layers": shape.layers, "batch_first": True, "dropout": between}
        self.encoder = kind(shape.embedding, shape.hidden // 2, bidirectional=True, **sizes)
        self.decoder = kind(shape.embedding, shape.hidden, **sizes)
        self.bridge = nn.Linear(shape.hidden, shape.hidden)
        self.keys = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.combine = nn.Linear(2 * shape.hidden, shape.embedding)

    def encode(self, contexts: Grid) -> Rows:
        """States, attention keys and mask; then the decoder's first state, by layer."""
        lengths = contexts.mask.sum(1).cpu()
        packed = pack_padded_sequence(
            self.dropout(self.embed(contexts.ids)), lengths, batch_first=True, enforce_sorted=False
        )
        out, last = self.encoder(packed)
        states, _ = pad_packed_sequence(out, batch_first=True, total_length=contexts.ids.shape[1])
        # An LSTM has a cell beside its state.
        lasts = last if isinstance(last, tuple) else (last,)
        first = [torch.tanh(self.bridge(_joined(state))) for state in lasts[:1]]
        first += [self.bridge(_joined(state)) for state in lasts[1:]]
        return (states, self.keys(states), contexts.mask, *first)

    def decode(self, memory: Rows, ids: Tensor) -> Tensor:
        """States after each of the tokens."""
        states, _ = self._run(memory, memory[3:], ids)
        return states

    def begin(self, memory: Rows) -> Rows:
        """The decoder's first state."""
        return memory[3:]

    def advance(self, memory: Rows, past: Rows, tokens: Tensor, position: int) -> tuple[Tensor, Rows]:
        """States after one more token per row."""
        states, past = self._run(memory, past, tokens[:, None])
        return states[:, 0], past

    def _run(self, memory: Rows, past: Rows, ids: Tensor) -> tuple[Tensor, Rows]:
        started = tuple(state.transpose(0, 1).contiguous() for state in past)
        hidden, last = self.decoder(
            self.dropout(self.embed(ids)), started if len(started) > 1 else started[0]
        )
        lasts = last if isinstance(last, tuple) else (last,)
        states, keys, mask = memory[:3]
        scores = hidden @ keys.transpose(1, 2)
        weights = scores.masked_fill(~mask[:, None], -math.inf).softmax(-1)
        joined = torch.tanh(self.combine(torch.cat([weights @ states, hidden], -1)))
        return self.dropout(joined), tuple(state.transpose(0, 1) for state in lasts)


def _joined(last: Tensor) -> Tensor:
    """Both readings' last states side by side: (2 x layers, batch, half) to (batch, layers, whole)."""
    batch, half = last.shape[1:]
    return last.view(-1, 2, batch, half).permute(2, 0, 1, 3).reshape(batch, -1, 2 * half)


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
        """Return what is found under the keys that the mask lets be seen."""
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
    """Return the same values, of whose gradient only this share is passed on."""
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
