"""Weights in 8 bits: a quarter of the memory of 32-bit floats.

Each row of a weight matrix is stored as whole numbers from -127 to 127 beside one scale, its largest absolute value
over 127 (absmax, as in Dettmers et al., 2022, section 2.1), and is multiplied out when used. Activations keep their
type: quantising them too, by their range in a batch, would make a response's score depend on its company.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


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
