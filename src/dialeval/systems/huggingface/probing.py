"""A test of whether a causal model takes the masks of trees, and so can share what it has read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

import torch

from dialeval.systems.huggingface.causal import Causal
from dialeval.systems.huggingface.models import Pair, accepts

_PREFIX: Final = (5, 6)
_RESPONSES: Final = ((7, 8, 9, 10), (7, 11, 12, 13), (14, 15))


def tree_reach(model: Any, fill: int) -> int:
    """The longest sequence that the model scores as part of a tree as it does alone; 0 where it does not at all.

    Some architectures tell positions by their order in the row, or remember what a mask hides: a small tree is tried.
    Some slide a window over the context, which a tree's mask does not do.
    """
    config = model.config.get_text_config()
    if not accepts(model, "position_ids"):
        return 0
    top = int(config.vocab_size)
    prefix = tuple(token % top for token in _PREFIX)
    pairs = [Pair(prefix, tuple(token % top for token in response)) for response in _RESPONSES]
    first_two = [Pair(prefix, pair.response[:2]) for pair in pairs[1:]]
    ours = Causal(model, frozenset(), fill, reach=sys.maxsize)
    try:
        with torch.inference_mode():
            shared = ours.score_tree(pairs, len(pairs)) + _by_steps(ours, first_two)
            alone = ours.score_rows([*pairs, *first_two], len(pairs) + len(first_two))
    # An architecture that cannot take the mask says so in its own way.
    except (RuntimeError, TypeError, ValueError, IndexError):
        return 0
    rounding = 1e-4 if model.dtype == torch.float32 else 0.25
    if any(abs(a - b) >= rounding for a, b in zip(shared, alone, strict=True)):
        return 0
    return int(getattr(config, "sliding_window", None) or sys.maxsize)


def _by_steps(model: Causal, pairs: Sequence[Pair]) -> list[float]:
    """Scores of responses of two tokens to one prefix, whose keys and values they share."""
    logprobs, state = model.start([pairs[0].prefix])
    first, second = torch.tensor([pair.response for pair in pairs], device=logprobs.device).T
    after, _ = model.step(first, model.select(state, torch.zeros_like(first)))
    return [float(score) for score in logprobs[0, first] + after.gather(1, second[:, None])[:, 0]]
