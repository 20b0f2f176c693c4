"""Causal language models: next tokens for search, and responses scored with every shared beginning read once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import torch
from torch import Tensor

from dialeval.systems.huggingface.models import Pair, accepts, grid, normalised, token_sums
from dialeval.systems.huggingface.pace import Pace
from dialeval.systems.huggingface.trees import Tree

_NODES_PER_RESPONSE: Final = 16
"""Tokens of a tree per response at once. At 32 at once the matrices are large enough, and attention still cheap."""
_STRETCH: Final = 8
"""How much larger a tree may grow rather than read a long beginning again."""
_PROBE: Final = ((5, 6, 7, 8, 9, 10), (5, 6, 7, 11, 12, 13), (5, 6, 14, 15))


class _State(NamedTuple):
    cache: Any
    mask: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Causal:
    """A causal model as search and scoring see it."""

    model: Any
    end: frozenset[int]
    fill: int
    reach: int
    """The longest sequence that it scores rightly as part of a tree; longer ones are rows of their own."""

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return int(self.model.config.get_text_config().vocab_size)

    def start(self, prefixes: Sequence[Sequence[int]]) -> tuple[Tensor, _State]:
        """Log-probabilities of the first token after each prefix, and the state there."""
        from transformers import DynamicCache

        ids, mask = grid(prefixes, fill=self.fill, left=True, device=self.model.device)
        return self._forward(ids, _State(DynamicCache(config=self.model.config), mask))

    def step(self, tokens: Tensor, state: _State) -> tuple[Tensor, _State]:
        """Log-probabilities after one more token per row."""
        mask = torch.cat([state.mask, state.mask.new_ones(len(tokens), 1)], 1)
        return self._forward(tokens[:, None], _State(state.cache, mask))

    def select(self, state: _State, rows: Tensor) -> _State:
        """The state of these rows."""
        if len(rows) == len(state.mask) and bool((rows == torch.arange(len(rows), device=rows.device)).all()):
            return state
        state.cache.batch_select_indices(rows)
        return _State(state.cache, state.mask[rows])

    def logprobs(self, pairs: Sequence[Pair], pace: Pace) -> list[float]:
        """The log-probability of each pair's response given its prefix."""
        lengths = [len(pair.prefix) + len(pair.response) for pair in pairs]
        trees = max(lengths, default=0) <= self.reach
        # In the first order those that begin alike are neighbours, be it a whole context or a prompt's opening.
        order = sorted(range(len(pairs)), key=pairs.__getitem__ if trees else lengths.__getitem__)
        work = self._score_tree if trees else self._score_rows
        with torch.inference_mode():
            scores = list(pace.over([pairs[at] for at in order], work))
        by_pair = dict(zip(order, scores, strict=True))
        return [by_pair[at] for at in range(len(pairs))]

    def _score_tree(self, pairs: Sequence[Pair], size: int) -> list[float]:
        planted = _plant(pairs, size)
        tree, device = planted.tree, self.model.device
        seen = torch.from_numpy(tree.ancestors()).to(device)[None, None]
        if self.model.config._attn_implementation != "sdpa":
            hidden = torch.finfo(self.model.dtype).min
            seen = torch.zeros_like(seen, dtype=self.model.dtype).masked_fill(~seen, hidden)
        kept = sorted({node for places in planted.places for node in places})
        logits = self._logits(
            keep=torch.tensor(kept, device=device),
            input_ids=torch.tensor([tree.tokens], device=device),
            position_ids=torch.tensor([tree.depths], device=device),
            attention_mask=seen,
            use_cache=False,
        )
        number = {node: at for at, node in enumerate(kept)}
        rows = [[number[node] for node in places] for places in planted.places]
        return token_sums(logits[0], rows, [pair.response for pair in pairs[: len(rows)]])

    def _score_rows(self, pairs: Sequence[Pair], size: int) -> list[float]:
        pairs = pairs[:size]
        whole = [(*pair.prefix, *pair.response[:-1]) for pair in pairs]
        ids, mask = grid(whole, fill=self.fill, left=True, device=self.model.device)
        longest = max(len(pair.response) for pair in pairs)
        given = {"input_ids": ids, "attention_mask": mask, "use_cache": False} | self._positions(mask, ids)
        logits = self._logits(keep=longest, **given)
        ends = [longest * (at + 1) for at in range(len(pairs))]
        rows = [range(end - len(pair.response), end) for end, pair in zip(ends, pairs, strict=True)]
        return token_sums(logits.flatten(0, 1), rows, [pair.response for pair in pairs])

    def _forward(self, ids: Tensor, state: _State) -> tuple[Tensor, _State]:
        given = self._positions(state.mask, ids)
        logits = self._logits(
            keep=1,
            input_ids=ids,
            attention_mask=state.mask,
            past_key_values=state.cache,
            use_cache=True,
            **given,
        )
        return normalised(logits[:, -1]), state

    def _positions(self, mask: Tensor, ids: Tensor) -> dict[str, Tensor]:
        if not accepts(self.model, "position_ids"):
            return {}
        return {"position_ids": (mask.cumsum(-1) - 1).clamp(min=0)[:, -ids.shape[1] :]}

    def _logits(self, *, keep: int | Tensor, **given: Any) -> Tensor:
        """Logits at the last so many positions, or at these; nothing is multiplied out for the others."""
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


def tree_reach(model: Any, fill: int) -> int:
    """The longest sequence that the model scores as part of a tree as it does alone; 0 where it does not at all.

    Some architectures tell positions by their order in the row, or remember what a mask hides: a small tree is tried.
    Some slide a window over the context, which a tree's mask does not do.
    """
    config = model.config.get_text_config()
    if not accepts(model, "position_ids"):
        return 0
    top = int(config.vocab_size)
    pairs = [Pair(tuple(t % top for t in path[:2]), tuple(t % top for t in path[2:])) for path in _PROBE]
    ours = Causal(model, frozenset(), fill, reach=0)
    try:
        with torch.inference_mode():
            by_tree = ours._score_tree(pairs, len(pairs))
            by_rows = ours._score_rows(pairs, len(pairs))
    # An architecture that cannot take the mask says so in its own way.
    except (RuntimeError, TypeError, ValueError, IndexError):
        return 0
    rounding = 1e-4 if model.dtype == torch.float32 else 0.25
    if any(abs(a - b) >= rounding for a, b in zip(by_tree, by_rows, strict=True)):
        return 0
    return int(getattr(config, "sliding_window", None) or sys.maxsize)
