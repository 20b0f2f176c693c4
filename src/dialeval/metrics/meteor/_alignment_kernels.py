"""Compiled choice among matches as METEOR does: a beam search whose every tie is broken the same way."""

from __future__ import annotations

from typing import Final, TypeAlias, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.metrics.meteor._matching_kernels import (
    EXACT,
    FROM,
    LENGTH,
    MODULE,
    START,
    TAKEN,
    ZERO,
    Integers,
    grown,
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

ONE: Final[int] = cast(int, np.int64(1))

Path: TypeAlias = NDArray[np.int64]
Paths: TypeAlias = NDArray[np.int64]
Ranking: TypeAlias = NDArray[np.int64]


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
    first = np.empty(theirs + 2, np.int32)
    for index in range(theirs + 2):
        first[index] = 0
    for row in range(count):
        first[matches[row, START] + 2] += 1
    for index in range(2, theirs + 2):
        first[index] += first[index - 1]
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
    ours_covered, theirs_covered = np.empty(ours, np.int32), np.empty(theirs, np.int32)
    for index in range(ours):
        ours_covered[index] = 0
    for index in range(theirs):
        theirs_covered[index] = 0
    for row in range(count):
        for index in range(matches[row, START], matches[row, START] + matches[row, LENGTH]):
            theirs_covered[index] += 1
        for index in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
            ours_covered[index] += 1
    settled = 0
    for start in range(theirs):
        picks[start] = -1
        if first[start + 1] - first[start] == 1:
            row = order[first[start]]
            alone = True
            for index in range(start, start + matches[row, LENGTH]):
                alone = alone and theirs_covered[index] == 1
            for index in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
                alone = alone and ours_covered[index] == 1
            if alone:
                picks[start] = row
                settled += 1
    return settled


@njit(cache=True)
def search(
    matches: Integers, order: Integers, first: Integers, ours: int, theirs: int, picks: Integers
) -> None:
    """Complete the settled ``picks`` by those of the best path that the beam finds."""
    width = USED + (ours + 63) // 64
    now, then = np.empty((BEAM, width), np.int64), np.empty((BEAM, width), np.int64)
    ranking, next_ranking = np.empty((BEAM, 3), np.int64), np.empty((BEAM, 3), np.int64)
    steps = np.empty((256, 2), np.int32)
    for column in range(width):
        now[0, column] = 0
    now[0, OPEN], now[0, STEP] = -1, -1
    ranking[0, RANK], ranking[0, DISTANCE], ranking[0, SLOT] = 0, 0, 0
    size, taken = ONE, ZERO
    for current in range(theirs):
        if picks[current] >= 0 or first[current] == first[current + 1]:
            for rank in range(size):
                path = now[ranking[rank, SLOT]]
                if current >= path[NEXT]:
                    if picks[current] >= 0:
                        match = matches[picks[current]]
                        ranking[rank, DISTANCE] += abs(match[START] - match[FROM])
                        ranking[rank, RANK] += cost(path, match)
                        take(path, match)
                    else:
                        ranking[rank, RANK] += skip(path)
                lift(ranking, rank)
            continue
        room = ZERO
        for rank in range(size):
            path = now[ranking[rank, SLOT]]
            if current >= path[NEXT]:
                for position in range(first[current], first[current + 1]):
                    match = matches[order[position]]
                    if not is_free(path, match):
                        continue
                    key = ranking[rank, RANK] + cost(path, match)
                    slot, room = enter(key, ranking[rank, DISTANCE], path, next_ranking, then, room)
                    # METEOR charges the distance to the path that goes on without the match, not to the longer one.
                    ranking[rank, DISTANCE] += abs(match[START] - match[FROM])
                    if slot >= 0:
                        take(then[slot], match)
                        then[slot, STEP] = taken
                        steps = grown(steps, taken)
                        steps[taken, 0], steps[taken, 1] = path[STEP], order[position]
                        taken += 1
                ranking[rank, RANK] += skip(path)
            slot, room = enter(ranking[rank, RANK], ranking[rank, DISTANCE], path, next_ranking, then, room)
        size = room
        now, then = then, now
        ranking, next_ranking = next_ranking, ranking
    for rank in range(size):
        ranking[rank, RANK] += skip(now[ranking[rank, SLOT]])
        lift(ranking, rank)
    step = now[ranking[0, SLOT], STEP]
    while step >= 0:
        row = steps[step, 1]
        picks[matches[row, START]] = row
        step = steps[step, 0]


@njit(cache=True)
def cost(path: Path, match: Integers) -> int:
    """What taking the match adds to the path's rank: a chunk where the response jumps, less the weight."""
    # METEOR keeps weights in whole numbers: what is not exact counts half its words, rounded down.
    halved = 0 if match[MODULE] == EXACT else 1
    jump = 1 if path[OPEN] != -1 and path[OPEN] != match[FROM] else 0
    weight = (match[LENGTH] >> halved) + (match[TAKEN] >> halved)
    return int(jump - WEIGHT * weight)


@njit(cache=True)
def take(path: Path, match: Integers) -> None:
    """Lengthen the path by the match."""
    path[OPEN] = match[FROM] + match[TAKEN]
    path[NEXT] = match[START] + match[LENGTH]
    for index in range(match[FROM], match[FROM] + match[TAKEN]):
        path[USED + (index >> 6)] |= np.int64(1) << np.int64(index & 63)


@njit(cache=True)
def skip(path: Path) -> int:
    """Lead the path past a word without a match; what that adds to its rank: the chunk that was open."""
    path[NEXT] += 1
    if path[OPEN] == -1:
        return 0
    path[OPEN] = -1
    return 1


@njit(cache=True)
def is_free(path: Path, match: Integers) -> bool:
    """Whether the path uses no word of the response that the match takes."""
    for index in range(match[FROM], match[FROM] + match[TAKEN]):
        if (path[USED + (index >> 6)] >> np.int64(index & 63)) & 1:
            return False
    return True


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
def enter(key: int, distance: int, path: Path, ranking: Ranking, paths: Paths, size: int) -> tuple[int, int]:
    """Copy the path into a beam, behind its equals: its slot, or -1 if it is not among the best; and the size."""
    slot = size
    if size == BEAM:
        worst = ranking[BEAM - 1]
        if worst[RANK] < key or (worst[RANK] == key and worst[DISTANCE] <= distance):
            return -ONE, size
        slot = worst[SLOT]
        size -= 1
    for column in range(len(path)):
        paths[slot, column] = path[column]
    ranking[size, RANK], ranking[size, DISTANCE], ranking[size, SLOT] = key, distance, slot
    lift(ranking, size)
    return slot, size + 1
