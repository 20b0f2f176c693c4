"""Causal and encoder-decoder models: next tokens for search, responses scored, weights in 8 bits.

A causal model reads every beginning that responses share once; an encoder-decoder encodes each context once.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dialeval.resources.device import wide
from dialeval.systems.huggingface.loader import Pace
from dialeval.systems.tensors import normalised, pad

Tokens: TypeAlias = tuple[int, ...]


class Pair(NamedTuple):
    """A response to score after its prefix, both as tokens; the end token is part of it if it is to be scored."""

    prefix: Tokens
    response: Tokens


def accepts(model: Any, argument: str) -> bool:
    """Whether the model's ``forward`` has this argument."""
    return argument in inspect.signature(model.forward).parameters


def token_sums(
    logits: Tensor, rows: Sequence[Sequence[int]], responses: Sequence[Sequence[int]]
) -> list[float]:
    """The log-probability of each response, its tokens predicted by these rows of ``logits``, which it may share."""
    owners = [index for index, response in enumerate(responses) for _ in response]
    values = _picked(
        logits, [row for one in rows for row in one], [token for one in responses for token in one]
    )
    sums = torch.zeros(len(responses), dtype=values.dtype, device=values.device)
    return [float(total) for total in sums.index_add(0, torch.tensor(owners, device=values.device), values)]


def _picked(logits: Tensor, rows: Sequence[int], tokens: Sequence[int]) -> Tensor:
    """The log-probability of each token in the row of ``logits`` beside it, in 64-bit floats."""
    logits = logits.float()
    index = torch.tensor(rows, device=logits.device)
    values = logits[index, torch.tensor(tokens, device=logits.device)]
    totals = logits.logsumexp(-1)[index]
    return wide(values) - wide(totals)


class Int8Linear(nn.Module):
    """A linear layer with its weight in 8 bits."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        super().__init__()
        scale = weight.abs().amax(1, keepdim=True).clamp(min=torch.finfo(torch.float32).tiny) / 127
        self.register_buffer("weight", (weight / scale).round().to(torch.int8))
        self.register_buffer("scale", scale[:, 0])
        self.bias = bias

    def forward(self, states: Tensor) -> Tensor:
        """As of ``torch.nn.Linear``."""
        weight, scale = self.get_buffer("weight"), self.get_buffer("scale")
        out = nn.functional.linear(states, weight.to(states.dtype)) * scale.to(states.dtype)
        return out if self.bias is None else out + self.bias


def quantise(model: nn.Module) -> None:
    """Replace the linear layers of ``model``, but for the one that makes logits, which is often the embeddings."""
    from transformers.pytorch_utils import Conv1D

    head: Any = getattr(model, "get_output_embeddings", lambda: None)()
    for parent in list(model.modules()):
        for name, layer in list(parent.named_children()):
            if layer is head:
                continue
            if isinstance(layer, nn.Linear):
                setattr(parent, name, Int8Linear(layer.weight.detach(), layer.bias))
            # GPT-2's name for a linear layer that is stored the other way round.
            elif isinstance(layer, Conv1D):
                setattr(parent, name, Int8Linear(layer.weight.detach().T.contiguous(), layer.bias))


_NODES_PER_RESPONSE: Final = 16
"""Tokens of a tree per response at once. At 32 at once the matrices are large enough, and attention still cheap."""
_STRETCH: Final = 8
"""Factor by which a tree may grow rather than read a long beginning again."""


class _CausalState(NamedTuple):
    """Rows that grow from shared keys and values."""

    cache: Any
    """Keys and values of each item: its prefix, and every token that any of its rows took."""
    items: Tensor
    """Item of the cache that each row belongs to, shape (rows,)."""
    seen: Tensor
    """Mask of the tokens of its item that are a row's own, shape (rows, tokens)."""


@dataclass(frozen=True, slots=True, eq=False)
class Causal:
    """A causal model as search and scoring see it."""

    model: Any
    end: frozenset[int]
    fill: int
    reach: int
    """The longest sequence that it scores rightly as part of a tree; longer ones are rows of their own."""

    @property
    def branches(self) -> bool:
        """Whether rows of one item share its keys and values; else each has a copy."""
        return self.reach == sys.maxsize

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return int(self.model.config.get_text_config().vocab_size)

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, _CausalState]:
        """Log-probabilities of the first token after each prefix, and the state there."""
        from transformers import DynamicCache

        ids, mask = pad(prefixes, fill=self.fill, device=self.model.device, left=True)
        cache = DynamicCache(config=self.model.config)
        given = {"input_ids": ids, "attention_mask": mask.long()} | self._positions(
            (mask.cumsum(-1) - 1).clamp(min=0)
        )
        logits = self._logits(keep=1, past_key_values=cache, use_cache=True, **given)
        items = torch.arange(len(prefixes), device=ids.device)
        return normalised(logits[:, -1]), _CausalState(cache, items, mask)

    def step(self, tokens: Tensor, state: _CausalState) -> tuple[Tensor, _CausalState]:
        """Log-probabilities after one more token per row.

        The rows of an item stand side by side in one pass, as the next leaves of a tree: nothing is copied when a row
        splits, and a token that no row kept is hidden from then on.
        """
        cache, items, seen = state
        places = _places(items)
        width = int(places.max()) + 1
        shape = (int(items.max()) + 1, width)
        grown = torch.cat([seen, torch.nn.functional.one_hot(places, width).bool()], 1)
        ids = torch.full(shape, self.fill, device=tokens.device).index_put((items, places), tokens)
        depths = torch.zeros_like(ids).index_put((items, places), seen.sum(1))
        mask = grown.long()
        if self.branches:
            mask = torch.zeros((*shape, grown.shape[1]), dtype=torch.bool, device=tokens.device)
            mask[:, range(width), range(-width, 0)] = (
                True  # an empty place sees itself, for it must see something
            )
            mask = self._additive(mask.index_put((items, places), grown)[:, None])
        given = {"input_ids": ids, "attention_mask": mask} | self._positions(depths)
        logits = self._logits(keep=0, past_key_values=cache, use_cache=True, **given)
        return normalised(logits[items, places]), _CausalState(cache, items, grown)

    def select(self, state: _CausalState, rows: Tensor) -> _CausalState:
        """The state of these rows."""
        cache, items, seen = state.cache, state.items[rows], state.seen[rows]
        before = int(state.items.max()) + 1
        kept, numbers = torch.unique(items, return_inverse=True) if self.branches else (items, None)
        if len(kept) != before or not bool((kept == torch.arange(before, device=kept.device)).all()):
            cache.batch_select_indices(kept)
        return _CausalState(
            cache, torch.arange(len(rows), device=rows.device) if numbers is None else numbers, seen
        )

    def logprobs(self, pairs: Sequence[Pair], pace: Pace) -> list[float]:
        """The log-probability of each pair's response given its prefix."""
        lengths = [len(pair.prefix) + len(pair.response) for pair in pairs]
        trees = max(lengths, default=0) <= self.reach
        # In the first order those that begin alike are neighbours, be it a whole context or a prompt's opening.
        order = sorted(range(len(pairs)), key=pairs.__getitem__ if trees else lengths.__getitem__)
        work = self.score_tree if trees else self.score_rows
        with torch.inference_mode():
            scores = list(pace.over([pairs[index] for index in order], work))
        by_pair = dict(zip(order, scores, strict=True))
        return [by_pair[index] for index in range(len(pairs))]

    def score_tree(self, pairs: Sequence[Pair], size: int) -> list[float]:
        """Log-probabilities of as many of the first pairs as one tree takes."""
        tree, predictors = _plant(pairs, size)
        device = self.model.device
        seen = self._additive(torch.from_numpy(tree.ancestors()).to(device)[None, None])
        kept = sorted({node for places in predictors for node in places})
        logits = self._logits(
            keep=torch.tensor(kept, device=device),
            input_ids=torch.tensor([tree.tokens], device=device),
            position_ids=torch.tensor([tree.depths], device=device),
            attention_mask=seen,
            use_cache=False,
        )
        number = {node: index for index, node in enumerate(kept)}
        rows = [[number[node] for node in places] for places in predictors]
        return token_sums(logits[0], rows, [pair.response for pair in pairs[: len(rows)]])

    def score_rows(self, pairs: Sequence[Pair], size: int) -> list[float]:
        """Log-probabilities of the first pairs, each in a row of its own."""
        pairs = pairs[:size]
        whole = [(*pair.prefix, *pair.response[:-1]) for pair in pairs]
        ids, mask = pad(whole, fill=self.fill, device=self.model.device, left=True)
        longest = max(len(pair.response) for pair in pairs)
        given = {"input_ids": ids, "attention_mask": mask.long()} | self._positions(
            (mask.cumsum(-1) - 1).clamp(min=0)
        )
        logits = self._logits(keep=longest, use_cache=False, **given)
        ends = [longest * (index + 1) for index in range(len(pairs))]
        rows = [range(end - len(pair.response), end) for end, pair in zip(ends, pairs, strict=True)]
        return token_sums(logits.flatten(0, 1), rows, [pair.response for pair in pairs])

    def _positions(self, depths: Tensor) -> dict[str, Tensor]:
        return {"position_ids": depths} if accepts(self.model, "position_ids") else {}

    def _additive(self, seen: Tensor) -> Tensor:
        """The mask as the model's attention takes it: as it is, or as what is added to attention scores."""
        if self.model.config._attn_implementation == "sdpa":
            return seen
        hidden = torch.finfo(self.model.dtype).min
        return torch.zeros_like(seen, dtype=self.model.dtype).masked_fill(~seen, hidden)

    def _logits(self, *, keep: int | Tensor, **given: Any) -> Tensor:
        """Logits at the last so many positions (0: all), or at these; nothing is multiplied out for the others."""
        if accepts(self.model, "logits_to_keep"):
            logits: Tensor = self.model(logits_to_keep=keep, **given).logits
            return logits
        logits = self.model(**given).logits
        return logits[:, -keep:] if isinstance(keep, int) else logits[:, keep]


def _plant(pairs: Sequence[Pair], size: int) -> tuple[Tree, list[list[int]]]:
    """Return the first pairs in one tree, as many as ``size`` allows, and at least one.

    With the tree come, for each pair, the nodes that predict the tokens of its response.
    """
    tree, room, predicted = Tree(), size * _NODES_PER_RESPONSE, 0
    places: list[list[int]] = []
    for prefix, response in pairs:
        path = (*prefix, *response[:-1])
        shared = tree.shared(path)
        limit = room * _STRETCH if 2 * shared > len(path) else room
        predicted += len(response)
        # What is predicted is held for the whole vocabulary at once, so it is bounded too.
        if places and (len(tree) + len(path) - shared > limit or predicted > room):
            break
        places.append(tree.add(path)[len(prefix) - 1 :])
    return tree, places


def _places(items: Tensor) -> Tensor:
    """The how-manieth row of its item each row is."""
    counts: Counter[int] = Counter()
    places = []
    for item in items.tolist():
        places.append(counts[item])
        counts[item] += 1
    return torch.tensor(places, device=items.device)


@dataclass(slots=True)
class Tree:
    """Nodes in an order in which ancestors come first."""

    tokens: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tokens)

    def shared(self, path: Sequence[int]) -> int:
        """Return how many tokens of ``path``, from its beginning, are in the tree."""
        node = -1
        for depth, token in enumerate(path):
            below = self._children.get((node, token))
            if below is None:
                return depth
            node = below
        return len(path)

    def add(self, path: Sequence[int]) -> list[int]:
        """The nodes of ``path``, new ones added."""
        nodes: list[int] = []
        node = -1
        for depth, token in enumerate(path):
            below = self._children.get((node, token))
            if below is None:
                below = self._children[node, token] = len(self.tokens)
                self.tokens.append(token)
                self.depths.append(depth)
                self.parents.append(node)
            nodes.append(node := below)
        return nodes

    def ancestors(self) -> NDArray[np.bool_]:
        """Whether each node (row) sees each other (column): itself and what lies above it, shape (nodes, nodes)."""
        seen = np.zeros((len(self), len(self)), dtype=np.bool_)
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                seen[node] = seen[parent]
            seen[node, node] = True
        return seen


class _Seq2SeqState(NamedTuple):
    states: Tensor
    """Output of the encoder for the contexts."""
    mask: Tensor
    cache: Any


class _EncoderStates(NamedTuple):
    """Contexts as the encoder sees them, and which row is whose."""

    states: Tensor
    mask: Tensor
    row: Mapping[Tokens, int]


@dataclass(frozen=True, slots=True, eq=False)
class Seq2Seq:
    """An encoder-decoder model as search and scoring see it."""

    model: Any
    end: frozenset[int]
    fill: int
    opening: Tokens
    """Tokens that the decoder reads before any response: its start token, and what the tokenizer puts first."""

    @property
    def vocabulary(self) -> int:
        """Number of tokens."""
        return int(self.model.config.get_text_config(decoder=True).vocab_size)

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, _Seq2SeqState]:
        """Log-probabilities of the first token of each response, and the state there."""
        from transformers import DynamicCache, EncoderDecoderCache

        states, mask = self._encode(prefixes)
        config = self.model.config.get_text_config(decoder=True)
        cache = EncoderDecoderCache(DynamicCache(config=config), DynamicCache(config=config))
        opening = torch.tensor([self.opening] * len(prefixes), device=self.model.device)
        return self._forward(opening, _Seq2SeqState(states, mask, cache))

    def step(self, tokens: Tensor, state: _Seq2SeqState) -> tuple[Tensor, _Seq2SeqState]:
        """Log-probabilities after one more token per row."""
        return self._forward(tokens[:, None], state)

    def select(self, state: _Seq2SeqState, rows: Tensor) -> _Seq2SeqState:
        """The state of these rows."""
        if len(rows) == len(state.mask) and bool((rows == torch.arange(len(rows), device=rows.device)).all()):
            return state
        state.cache.batch_select_indices(rows)
        return _Seq2SeqState(state.states[rows], state.mask[rows], state.cache)

    def logprobs(self, pairs: Sequence[Pair], pace: Pace) -> list[float]:
        """The log-probability of each pair's response given its context."""
        of_context: dict[Tokens, list[int]] = {}
        for index, pair in enumerate(pairs):
            of_context.setdefault(pair.prefix, []).append(index)
        contexts = sorted(of_context, key=len)
        by_index: dict[int, float] = {}
        while contexts:
            encoded = pace.attempt(partial(self._encode_some, contexts))
            order = [index for context in encoded.row for index in of_context[context]]
            order.sort(key=lambda index: len(pairs[index].response))
            with torch.inference_mode():
                scores = pace.over([pairs[index] for index in order], partial(self._score_rows, encoded))
                by_index.update(zip(order, scores, strict=True))
            contexts = contexts[len(encoded.row) :]
        return [by_index[index] for index in range(len(pairs))]

    def _encode_some(self, contexts: Sequence[Tokens], size: int) -> _EncoderStates:
        with torch.inference_mode():
            states, mask = self._encode(contexts[:size])
        return _EncoderStates(states, mask, {context: index for index, context in enumerate(contexts[:size])})

    def _score_rows(self, encoded: _EncoderStates, pairs: Sequence[Pair], size: int) -> list[float]:
        pairs = pairs[:size]
        rows_of_pairs = torch.tensor([encoded.row[pair.prefix] for pair in pairs], device=encoded.mask.device)
        read = [(*self.opening, *pair.response[:-1]) for pair in pairs]
        ids = pad(read, fill=self.fill, device=rows_of_pairs.device).ids
        logits = self._decode(
            ids, encoded.states[rows_of_pairs], encoded.mask[rows_of_pairs], use_cache=False
        ).logits
        starts = [ids.shape[1] * index + len(self.opening) - 1 for index in range(len(pairs))]
        rows = [range(start, start + len(pair.response)) for start, pair in zip(starts, pairs, strict=True)]
        return token_sums(logits.flatten(0, 1), rows, [pair.response for pair in pairs])

    def _encode(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        ids, here = pad(prefixes, fill=self.fill, device=self.model.device)
        mask = here.long()
        states: Tensor = self.model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
        return states, mask

    def _forward(self, ids: Tensor, state: _Seq2SeqState) -> tuple[Tensor, _Seq2SeqState]:
        out = self._decode(ids, state.states, state.mask, use_cache=True, past_key_values=state.cache)
        return normalised(out.logits[:, -1]), _Seq2SeqState(state.states, state.mask, out.past_key_values)

    def _decode(self, ids: Tensor, states: Tensor, mask: Tensor, **more: Any) -> Any:
        from transformers.modeling_outputs import BaseModelOutput

        encoded: Any = BaseModelOutput()
        encoded.last_hidden_state = states
        return self.model(decoder_input_ids=ids, encoder_outputs=encoded, attention_mask=mask, **more)
