"""The R-drop loss: one score under two draws of dropout (Liang et al., 2021; Ma et al., 2022, equation 5)."""

from __future__ import annotations

from torch import Tensor


def r_drop(first: Tensor, second: Tensor) -> Tensor:
    """Sum of the squared differences of two scores of the same dialogues."""
    return ((first - second) ** 2).sum()
