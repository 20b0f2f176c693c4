"""Orders that look random, depend on a seed, and stay the same whatever else is there."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def shuffled_places(texts: Sequence[str], *, item: str, seed: int) -> list[int]:
    """The places of the texts in an order that hangs on the seed, the item and each text alone.

    So leaving one out, or coming in another order, moves no other: what was drawn once is drawn again. Equal texts keep
    their order.
    """
    marks = [hashlib.sha256(f"{seed}\0{item}\0{text}".encode()).digest() for text in texts]
    return sorted(range(len(texts)), key=lambda at: (marks[at], at))
