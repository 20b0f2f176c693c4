"""Supervised contrastive loss: vectors of one level together, those of others apart (Khosla et al., 2020, L_out)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize


def contrastive(vectors: Tensor, labels: Tensor, *, temperature: float = 0.1) -> Tensor:
    """Mean, over vectors with another of their label, of the mean negative log-probability of those others.

    Probabilities are a softmax of cosines over ``temperature`` among all other vectors; 0 where no label occurs twice.
    """
    units = normalize(vectors, dim=1)
    scores = units @ units.T / temperature
    self_ = torch.eye(len(units), dtype=torch.bool, device=units.device)
    logs = scores - torch.logsumexp(scores.masked_fill(self_, float("-inf")), dim=1, keepdim=True)
    alike = (labels.unsqueeze(0) == labels.unsqueeze(1)) & ~self_
    counts = alike.sum(1)
    if not bool((counts > 0).any()):
        return vectors.new_zeros(())
    means = (logs * alike).sum(1)[counts > 0] / counts[counts > 0]
    return -means.mean()
