"""Compiled steps of the paths of a beam, and their ranks."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.metrics.meteor._matching_kernels import (
    EXACT,
    FROM,
    LENGTH,
    MODULE,
    ONE,
    START,
    TAKEN,
    Integers,
)

BEAM: Final = 40

# A beam is two tables. The first has a row per path, from best to worst: what paths are ranked by (the weight of the
# matches and the closed chunks, in one number, then the distance), and the path's row in the second table.
RANK: Final = 0
DISTANCE: Final = 1
SLOT: Final = 2
# There, in any order: where the open chunk ends in the response (-1 where none is open), the word of the reference
# that comes next, the last step of the path, and from there on the words of the response it uses, as bits.
OPEN: Final = 0
NEXT: Final = 1
STEP: Final = 2
USED: Final = 3

# One unit of weight outweighs any number of chunks.
WEIGHT: Final = 1 << 32

Paths: TypeAlias = NDArray[np.int64]
Ranking: TypeAlias = NDArray[np.int64]


@njit(cache=True)
def cost(opened: int, matches: Integers, row: int) -> int:
    """What taking the match adds to a path's rank: a chunk where the response jumps, less the weight."""
    # METEOR keeps weights in whole numbers: what is not exact counts half its words, rounded down.
    halved = 0 if matches[row, MODULE] == EXACT else 1
    jump = 1 if opened != -1 and opened != matches[row, FROM] else 0
    weight = (matches[row, LENGTH] >> halved) + (matches[row, TAKEN] >> halved)
    return int(jump - WEIGHT * weight)


@njit(cache=True)
def take(paths: Paths, slot: int, matches: Integers, row: int) -> None:
    """Lengthen the path by the match."""
    begin, end = matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]
    paths[slot, OPEN] = end
    paths[slot, NEXT] = matches[row, START] + matches[row, LENGTH]
    for index in range(begin, end):
        paths[slot, USED + (index >> 6)] |= np.int64(1) << np.int64(index & 63)


@njit(cache=True)
def skip(paths: Paths, slot: int) -> int:
    """Lead the path past a word without a match; what that adds to its rank: the chunk that was open."""
    if paths[slot, OPEN] == -1:
        return 0
    paths[slot, OPEN] = -1
    return 1


@njit(cache=True)
def is_free(paths: Paths, slot: int, matches: Integers, row: int) -> bool:
    """Whether the path uses no word of the response that the match takes."""
    for index in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
        if (paths[slot, USED + (index >> 6)] >> np.int64(index & 63)) & 1:
            return False
    return True


@njit(cache=True)
def copy(paths: Paths, slot: int, others: Paths, place: int, width: int) -> None:
    for column in range(width):
        others[place, column] = paths[slot, column]


@njit(cache=True)
def lift(ranking: Ranking, rank: int) -> None:
    """Move the path at ``rank`` before those it is better than; the ones before it are in order."""
    key, distance, slot = ranking[rank, RANK], ranking[rank, DISTANCE], ranking[rank, SLOT]
    while rank > 0:
        other = ranking[rank - 1, RANK]
        if other < key or (other == key and ranking[rank - 1, DISTANCE] <= distance):
            break
        for column in range(3):
            ranking[rank, column] = ranking[rank - 1, column]
        rank -= 1
    ranking[rank, RANK], ranking[rank, DISTANCE], ranking[rank, SLOT] = key, distance, slot


@njit(cache=True)
def enter(key: int, distance: int, ranking: Ranking, size: int) -> int:
    """Rank a new path behind its equals: its slot in the beam, or -1 if it is not among the best."""
    slot, last = size, size
    if size == BEAM:
        last = size - 1
        worst = ranking[last, RANK]
        if worst < key or (worst == key and ranking[last, DISTANCE] <= distance):
            return -ONE
        slot = ranking[last, SLOT]
    ranking[last, RANK], ranking[last, DISTANCE], ranking[last, SLOT] = key, distance, slot
    lift(ranking, last)
    return slot
