"""The separation loss: centroids of levels apart from one another, in order (Ma et al., 2022, equation 2)."""

from __future__ import annotations

import torch
from torch import Tensor


def separation(centroids: Tensor, *, margin: float | None = None, absolute: bool = False) -> Tensor:
    """Sum over pairs of levels of ``max(0, gap * margin - (better - worse))``, the best level's centroid first.

    The margin is 1 / (levels - 1) by default, so that centroids spread over [0, 1]. The paper prints the difference
    with the other sign, which would reward the wrong order; this is the intended one. ``absolute`` takes the size of
    the difference whatever its sign, as the released script does, which leaves the order to another loss.
    """
    count = len(centroids)
    if count < 2:
        return centroids.new_zeros(())
    step = 1 / (count - 1) if margin is None else margin
    differences = centroids.unsqueeze(1) - centroids.unsqueeze(0)
    places = torch.arange(count, device=centroids.device)
    gaps = (places.unsqueeze(0) - places.unsqueeze(1)).clamp(min=0)
    apart = differences.abs() if absolute else differences
    losses = (gaps * step - apart).clamp(min=0)
    return losses[gaps > 0].sum()
