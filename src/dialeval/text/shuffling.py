"""Pseudo-random orders that depend on a seed and on each text alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal, TypeAlias

Purpose: TypeAlias = Literal["drawn", "shown"]


def shuffled_places(texts: Sequence[str], *, item: str, seed: int, purpose: Purpose = "shown") -> list[int]:
    """The places of the texts in an order that hangs on the seed, the item, the purpose and each text alone.

    So leaving one out, or coming in another order, moves no other: what was drawn once is drawn again. Equal texts keep
    their order. Those drawn first must not be shown in the order of the draw, for what was there before the draw, as a
    ground truth, would then mostly come last.
    """
    marks = [hashlib.sha256(f"{purpose}\0{seed}\0{item}\0{text}".encode()).digest() for text in texts]
    return sorted(range(len(texts)), key=lambda place: (marks[place], place))
