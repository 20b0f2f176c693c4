"""Ranking of pairs: the better of two dialogues scores higher."""

from __future__ import annotations

import torch
from torch import Tensor


def ranking(better: Tensor, worse: Tensor, *, margin: float | None = None) -> Tensor:
    """Mean over pairs of ``max(0, margin - (better - worse))``; without a margin ``log(1 + exp(worse - better))``."""
    if margin is None:
        return torch.nn.functional.softplus(worse - better).mean()
    return (margin - (better - worse)).clamp(min=0).mean()
