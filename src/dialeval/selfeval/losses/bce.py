"""Binary cross-entropy with reference scores, what the paper's ablation (-mlr) puts in place of the ranking losses."""

from __future__ import annotations

import torch
from torch import Tensor


def bce(logits: Tensor, scores: Tensor) -> Tensor:
    """Mean cross-entropy of the scores' logits with reference scores in [0, 1]."""
    return torch.nn.functional.binary_cross_entropy_with_logits(logits, scores)
