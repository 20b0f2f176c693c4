"""Shared by causal and encoder-decoder models: pairs to score, log-probabilities of tokens, weights in 8 bits."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import torch
from torch import Tensor, nn

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
