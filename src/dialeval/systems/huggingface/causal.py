"""Causal language models: next tokens for search, and responses scored with every shared beginning read once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dialeval.systems.huggingface.models import Pair, accepts, token_sums
from dialeval.systems.huggingface.pace import Pace
from dialeval.systems.tensors import normalised, pad

_NODES_PER_RESPONSE: Final = 16
"""Tokens of a tree per response at once. At 32 at once the matrices are large enough, and attention still cheap."""
_STRETCH: Final = 8
"""How much larger a tree may grow rather than read a long beginning again."""


class _State(NamedTuple):
    """Rows that grow from shared keys and values."""

    cache: Any
    """Keys and values of each item: its prefix, and every token that any of its rows took."""
    items: Tensor
    """Which item of the cache each row belongs to, shape (rows,)."""
    seen: Tensor
    """Which tokens of its item are a row's own, shape (rows, tokens)."""


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
        """How many tokens there are."""
        return int(self.model.config.get_text_config().vocab_size)

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, _State]:
        """Log-probabilities of the first token after each prefix, and the state there."""
        from transformers import DynamicCache

        ids, mask = pad(prefixes, fill=self.fill, device=self.model.device, left=True)
        cache = DynamicCache(config=self.model.config)
        given = {"input_ids": ids, "attention_mask": mask.long()} | self._positions(
            (mask.cumsum(-1) - 1).clamp(min=0)
        )
        logits = self._logits(keep=1, past_key_values=cache, use_cache=True, **given)
        items = torch.arange(len(prefixes), device=ids.device)
        return normalised(logits[:, -1]), _State(cache, items, mask)

    def step(self, tokens: Tensor, state: _State) -> tuple[Tensor, _State]:
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
        return normalised(logits[items, places]), _State(cache, items, grown)

    def select(self, state: _State, rows: Tensor) -> _State:
        """The state of these rows."""
        cache, items, seen = state.cache, state.items[rows], state.seen[rows]
        before = int(state.items.max()) + 1
        kept, numbers = torch.unique(items, return_inverse=True) if self.branches else (items, None)
        if len(kept) != before or not bool((kept == torch.arange(before, device=kept.device)).all()):
            cache.batch_select_indices(kept)
        return _State(
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
        planted = _plant(pairs, size)
        tree, device = planted.tree, self.model.device
        seen = self._additive(torch.from_numpy(tree.ancestors()).to(device)[None, None])
        kept = sorted({node for places in planted.places for node in places})
        logits = self._logits(
            keep=torch.tensor(kept, device=device),
            input_ids=torch.tensor([tree.tokens], device=device),
            position_ids=torch.tensor([tree.depths], device=device),
            attention_mask=seen,
            use_cache=False,
        )
        number = {node: index for index, node in enumerate(kept)}
        rows = [[number[node] for node in places] for places in planted.places]
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


class _Planted(NamedTuple):
    """Pairs in one tree."""

    tree: Tree
    places: list[list[int]]
    """For each pair, the nodes that predict the tokens of its response."""


def _plant(pairs: Sequence[Pair], size: int) -> _Planted:
    """The first pairs in one tree, as many as ``size`` allows, and at least one."""
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
    return _Planted(tree, places)


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
        """How many tokens of ``path``, from its beginning, are in the tree."""
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
