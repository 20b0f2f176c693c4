"""The ordering loss: no level above a better one (Ye et al., 2021)."""

from __future__ import annotations

import torch
from torch import Tensor


def ordering(centroids: Tensor) -> Tensor:
    """Sum over pairs of levels of ``max(0, worse - better)``, the best level's centroid first."""
    rows, columns = torch.triu_indices(len(centroids), len(centroids), offset=1)
    return (centroids[columns] - centroids[rows]).clamp(min=0).sum()
