"""Shared by causal and encoder-decoder models: pairs to score, and log-probabilities of tokens."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor

Tokens: TypeAlias = tuple[int, ...]


class Pair(NamedTuple):
    """A response to score after its prefix, both as tokens; the end token is part of it where it is to be scored."""

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
    return values.double() - logits.logsumexp(-1).double()[index]
