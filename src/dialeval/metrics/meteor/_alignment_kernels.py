"""Chooses among matches as METEOR does: a beam search whose every tie is broken the same way."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.metrics.meteor._matching_kernels import EXACT, FROM, LENGTH, MODULE, START, TAKEN, Integers

BEAM: Final = 40

# Columns of a path: what the beam ranks by (weight of the matches, closed chunks, distance), where the open chunk
# ends in the response (-1 where none is open), and the word of the reference that comes next.
WEIGHT: Final = 0
CHUNKS: Final = 1
DISTANCE: Final = 2
OPEN: Final = 3
NEXT: Final = 4

Beam: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], Integers, NDArray[np.uint8]]
"""Paths by slot; slots from best to worst; the match each path takes at each start; the response's words it uses."""


@njit(cache=True)
def choose(matches: Integers, count: int, ours: int, theirs: int, picks: Integers) -> None:
    """Put into ``picks`` the match that the best alignment takes at each word of the reference, or -1.

    ``ours`` and ``theirs`` are the numbers of words of the response and of the reference.
    """
    order, first = by_start(matches, count, theirs)
    settled = settle(matches, count, order, first, ours, theirs, picks)
    if settled < count:
        search(matches, order, first, ours, theirs, picks)


@njit(cache=True)
def by_start(matches: Integers, count: int, theirs: int) -> tuple[Integers, Integers]:
    """The matches in order of start, otherwise as they were found, and where those of each start begin."""
    first = np.zeros(theirs + 2, np.int32)
    for row in range(count):
        first[matches[row, START] + 2] += 1
    for at in range(2, theirs + 2):
        first[at] += first[at - 1]
    order = np.empty(count, np.int32)
    for row in range(count):
        slot = matches[row, START] + 1
        order[first[slot]] = row
        first[slot] += 1
    return order, first


@njit(cache=True)
def settle(
    matches: Integers, count: int, order: Integers, first: Integers, ours: int, theirs: int, picks: Integers
) -> int:
    """Pick the matches that no other match overlaps, which are in every alignment; how many there are."""
    ours_covered, theirs_covered = np.zeros(ours, np.int32), np.zeros(theirs, np.int32)
    for row in range(count):
        for at in range(matches[row, START], matches[row, START] + matches[row, LENGTH]):
            theirs_covered[at] += 1
        for at in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
            ours_covered[at] += 1
    settled = 0
    for start in range(theirs):
        picks[start] = -1
        if first[start + 1] - first[start] == 1:
            row = order[first[start]]
            alone = True
            for at in range(start, start + matches[row, LENGTH]):
                alone = alone and theirs_covered[at] == 1
            for at in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
                alone = alone and ours_covered[at] == 1
            if alone:
                picks[start] = row
                settled += 1
    return settled


@njit(cache=True)
def search(
    matches: Integers, order: Integers, first: Integers, ours: int, theirs: int, picks: Integers
) -> None:
    """Complete the settled ``picks`` by those of the best path that the beam finds."""
    now, then = empty_beam(ours, theirs), empty_beam(ours, theirs)
    paths, ranks, path_picks, used = now
    paths[0, OPEN] = -1
    for start in range(theirs):
        path_picks[0, start] = picks[start]
        if picks[start] >= 0:
            use(used[0], matches[picks[start]])
    size = 1
    for current in range(theirs):
        room = 0
        for rank in range(size):
            slot = now[1][rank]
            path = now[0][slot]
            if current >= path[NEXT]:
                if picks[current] >= 0:
                    match = matches[picks[current]]
                    path[DISTANCE] += abs(match[START] - match[FROM])
                    take(path, match)
                else:
                    room = branch(now, slot, matches, order, first, current, then, room)
            room = keep(path, now, slot, then, room)[1]
        size = room
        now, then = then, now
    best = now[1][0]
    for rank in range(size):
        slot = now[1][rank]
        if now[0][slot, OPEN] != -1:
            now[0][slot, CHUNKS] += 1
        if is_better(now[0][slot], now[0][best]):
            best = slot
    for start in range(theirs):
        picks[start] = now[2][best, start]


@njit(cache=True)
def empty_beam(ours: int, theirs: int) -> Beam:
    """Room for as many paths as the beam is wide."""
    return (
        np.zeros((BEAM, 5), np.int64),
        np.zeros(BEAM, np.int64),
        np.zeros((BEAM, theirs), np.int32),
        np.zeros((BEAM, ours), np.uint8),
    )


@njit(cache=True)
def branch(
    now: Beam, slot: int, matches: Integers, order: Integers, first: Integers, current: int, then: Beam, room: int
) -> int:
    """Follow the path with each match that starts here and is free; the path itself goes on without any."""
    path = now[0][slot]
    longer = np.empty(5, np.int64)
    for position in range(first[current], first[current + 1]):
        row = order[position]
        match = matches[row]
        if is_free(now[3][slot], match):
            for column in range(5):
                longer[column] = path[column]
            take(longer, match)
            # METEOR charges the distance to the path that goes on without the match, not to the one that takes it.
            path[DISTANCE] += abs(match[START] - match[FROM])
            new, room = keep(longer, now, slot, then, room)
            if new >= 0:
                then[2][new, current] = row
                use(then[3][new], match)
    if path[OPEN] != -1:
        path[CHUNKS] += 1
        path[OPEN] = -1
    path[NEXT] += 1
    return room


@njit(cache=True)
def take(path: NDArray[np.int64], match: Integers) -> None:
    """Lengthen the path by the match, but for the distance."""
    # METEOR keeps the weight in whole numbers: what is not exact counts half its words, rounded down.
    divisor = 1 if match[MODULE] == EXACT else 2
    path[WEIGHT] += match[LENGTH] // divisor + match[TAKEN] // divisor
    if path[OPEN] != -1 and path[OPEN] != match[FROM]:
        path[CHUNKS] += 1
    path[OPEN] = match[FROM] + match[TAKEN]
    path[NEXT] = match[START] + match[LENGTH]


@njit(cache=True)
def is_free(used: NDArray[np.uint8], match: Integers) -> bool:
    """Whether the path uses no word of the response that the match takes."""
    for at in range(match[FROM], match[FROM] + match[TAKEN]):
        if used[at]:
            return False
    return True


@njit(cache=True)
def use(used: NDArray[np.uint8], match: Integers) -> None:
    """Mark the words of the response that the match takes."""
    for at in range(match[FROM], match[FROM] + match[TAKEN]):
        used[at] = 1


@njit(cache=True)
def is_better(path: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether a path comes before another, whichever was found first."""
    if path[WEIGHT] != other[WEIGHT]:
        return bool(path[WEIGHT] > other[WEIGHT])
    if path[CHUNKS] != other[CHUNKS]:
        return bool(path[CHUNKS] < other[CHUNKS])
    return bool(path[DISTANCE] < other[DISTANCE])


@njit(cache=True)
def keep(path: NDArray[np.int64], now: Beam, slot: int, then: Beam, size: int) -> tuple[int, int]:
    """Enter a path that comes from ``slot`` into the next beam, behind its equals; its slot or -1, and the size."""
    paths, ranks, picks, used = then
    rank = size
    while rank > 0 and is_better(path, paths[ranks[rank - 1]]):
        rank -= 1
    if rank == BEAM:
        return -1, size
    new = size if size < BEAM else ranks[BEAM - 1]
    for at in range(min(size, BEAM - 1), rank, -1):
        ranks[at] = ranks[at - 1]
    ranks[rank] = new
    for column in range(5):
        paths[new, column] = path[column]
    for at in range(picks.shape[1]):
        picks[new, at] = now[2][slot, at]
    for at in range(used.shape[1]):
        used[new, at] = now[3][slot, at]
    return new, min(size + 1, BEAM)
