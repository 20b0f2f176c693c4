"""Order of items for each rater: shuffled, balanced over systems, with checks in between.

These are pure functions of the seed, the rater and what was answered, so that a reload shows the same item; which
places are free is the store's business (``store/claims.py``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np


def fraction(*parts: object) -> float:
    """A number in [0, 1) that depends on the parts alone, evenly spread."""
    digest = hashlib.sha256("\0".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


@lru_cache(maxsize=2048)
def order_of(seed: int, rater: str, count: int) -> tuple[int, ...]:
    """The rank of each of ``count`` items in this rater's order."""
    digest = hashlib.sha256(f"order\0{seed}\0{rater}".encode()).digest()
    # The raw numbers of a generator are the same in every version of numpy; its shuffles need not be.
    marks = np.random.PCG64(int.from_bytes(digest[:16], "big")).random_raw(count)
    ranks = np.empty(count, dtype=np.int64)
    ranks[np.argsort(marks, kind="stable")] = np.arange(count)
    return tuple(ranks.tolist())


def strata_in_turn(strata: Iterable[str], met: Mapping[str, int], *, seed: int, rater: str) -> list[str]:
    """Strata, those that the rater has met least often first; which of equals comes first changes with each round."""
    return sorted(
        strata,
        key=lambda name: (met.get(name, 0), fraction("stratum", seed, rater, met.get(name, 0), name)),
    )


def check_due(seed: int, rater: str, answered: int, checked: int, rate: float) -> bool:
    """Whether the next item is an attention check.

    Checks come at random places, one in each stretch of ``1 / rate`` items, so that a rater can foresee none of them.
    """
    if rate <= 0:
        return False
    stretch = checked
    length = 1 / rate
    place = stretch * length + fraction("check", seed, rater, stretch) * length
    return answered + checked >= place


def shown_order(candidates: int, *, seed: int, rater: str, item: int) -> list[int]:
    """The order in which a rater sees the candidates of the item with this number; the same at every look."""
    return sorted(range(candidates), key=lambda place: fraction("shown", seed, rater, item, place))
