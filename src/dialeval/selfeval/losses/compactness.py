"""The compactness loss: scores of one level near their centroid (Ma et al., 2022, equation 3)."""

from __future__ import annotations

from torch import Tensor


def compactness(scores: Tensor, *, bound: float = 0.1, of_mean: bool = False) -> Tensor:
    """Sum of ``max(0, |centroid - score| - bound)`` over the scores of a level.

    ``of_mean`` applies the bound to the mean distance of the level instead, as the released script does.
    """
    distances = (scores.mean() - scores).abs()
    if of_mean:
        distances = distances.mean().unsqueeze(0)
    return (distances - bound).clamp(min=0).sum()
