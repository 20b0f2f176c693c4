"""Compiled choice among matches as METEOR does: a beam search whose every tie is broken the same way."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numba import njit

from dialeval.metrics.meteor._matching_kernels import (
    FROM,
    LENGTH,
    ONE,
    ORDER,
    START,
    TAKEN,
    ZERO,
    Integers,
)
from dialeval.metrics.meteor._path_kernels import (
    BEAM,
    DISTANCE,
    NEXT,
    OPEN,
    RANK,
    SLOT,
    STEP,
    USED,
    Paths,
    Ranking,
    copy,
    cost,
    enter,
    is_free,
    lift,
    skip,
    take,
)

# Rows of the room that a pair is given: words that share a synset, picks, first matches, covers of both texts.
PICKS: Final = 1
_FIRST: Final = 2
_OURS: Final = 3
_THEIRS: Final = 4

Beam: TypeAlias = tuple[Paths, Paths, Ranking, Ranking]
"""Both tables, now and after the next word."""


@njit(cache=True)
def empty_beam(longest: int) -> Beam:
    """Room for paths through responses of at most so many words."""
    width = USED + (longest + 63) // 64
    now, then = np.empty((BEAM, width), np.int64), np.empty((BEAM, width), np.int64)
    return now, then, np.empty((BEAM, 3), np.int64), np.empty((BEAM, 3), np.int64)


@njit(cache=True)
def choose(matches: Integers, count: int, ours: int, theirs: int, spare: Integers, beam: Beam) -> None:
    """Put into row ``PICKS`` of ``spare`` the match that the best alignment takes at each word of the reference, or -1.

    ``ours`` and ``theirs`` are the numbers of words of the response and of the reference.
    """
    picks, first = spare[PICKS, :theirs], spare[_FIRST, : theirs + 2]
    by_start(matches, count, first)
    settled = settle(matches, count, first, spare[_OURS, :ours], spare[_THEIRS, :theirs], picks)
    if settled < count:
        search(matches, count, first, ours, picks, beam)


@njit(cache=True)
def by_start(matches: Integers, count: int, first: Integers) -> None:
    """List the matches in order of start, otherwise as they were found, and where those of each start begin."""
    for index in range(len(first)):
        first[index] = 0
    for row in range(count):
        first[matches[row, START] + 2] += 1
    for index in range(2, len(first)):
        first[index] += first[index - 1]
    for row in range(count):
        slot = matches[row, START] + 1
        matches[first[slot], ORDER] = row
        first[slot] += 1


@njit(cache=True)
def settle(
    matches: Integers,
    count: int,
    first: Integers,
    ours_covered: Integers,
    theirs_covered: Integers,
    picks: Integers,
) -> int:
    """Pick the matches that no other match overlaps, which are in every alignment; how many there are."""
    for index in range(len(ours_covered)):
        ours_covered[index] = 0
    for index in range(len(theirs_covered)):
        theirs_covered[index] = 0
    for row in range(count):
        for index in range(matches[row, START], matches[row, START] + matches[row, LENGTH]):
            theirs_covered[index] += 1
        for index in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
            ours_covered[index] += 1
    settled = 0
    for start in range(len(picks)):
        picks[start] = -1
        if first[start + 1] - first[start] == 1:
            row = matches[first[start], ORDER]
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
def search(matches: Integers, count: int, first: Integers, ours: int, picks: Integers, beam: Beam) -> None:
    """Complete the settled ``picks`` by those of the best path that the beam finds."""
    now, then, ranking, next_ranking = beam
    width = USED + (ours + 63) // 64
    steps = np.empty((BEAM * count, 2), np.int32)
    for column in range(width):
        now[0, column] = 0
    now[0, OPEN], now[0, STEP] = -1, -1
    ranking[0, RANK], ranking[0, DISTANCE], ranking[0, SLOT] = 0, 0, 0
    size, taken, closed = ONE, ZERO, True
    for current in range(len(picks)):
        if first[current] == first[current + 1]:
            closed = closed or close(now, ranking, size, current)
            continue
        closed = False
        if picks[current] >= 0:
            follow(now, ranking, size, matches, picks[current])
            continue
        room = ZERO
        for rank in range(size):
            slot = ranking[rank, SLOT]
            if current >= now[slot, NEXT]:
                for position in range(first[current], first[current + 1]):
                    row = matches[position, ORDER]
                    if not is_free(now, slot, matches, row):
                        continue
                    key = ranking[rank, RANK] + cost(now[slot, OPEN], matches, row)
                    place = enter(key, ranking[rank, DISTANCE], next_ranking, room)
                    # METEOR charges the distance to the path that goes on without the match, not to the longer one.
                    ranking[rank, DISTANCE] += abs(matches[row, START] - matches[row, FROM])
                    if place >= 0:
                        copy(now, slot, then, place, width)
                        take(then, place, matches, row)
                        then[place, STEP] = taken
                        steps[taken, 0], steps[taken, 1] = now[slot, STEP], row
                        taken += 1
                        room = min(room + 1, BEAM)
                ranking[rank, RANK] += skip(now, slot)
            place = enter(ranking[rank, RANK], ranking[rank, DISTANCE], next_ranking, room)
            if place >= 0:
                copy(now, slot, then, place, width)
                room = min(room + 1, BEAM)
        size = room
        now, then = then, now
        ranking, next_ranking = next_ranking, ranking
    pick_best(matches, now, ranking, size, steps, picks)


@njit(cache=True)
def close(paths: Paths, ranking: Ranking, size: int, current: int) -> bool:
    """Lead all paths past a word without a match; whether no chunk is open any more."""
    closed = True
    for rank in range(size):
        slot = ranking[rank, SLOT]
        if paths[slot, OPEN] != -1:
            if current >= paths[slot, NEXT]:
                ranking[rank, RANK] += skip(paths, slot)
            else:
                closed = False
        lift(ranking, rank)
    return closed


@njit(cache=True)
def follow(paths: Paths, ranking: Ranking, size: int, matches: Integers, row: int) -> None:
    """Lengthen all paths by a settled match, except those that are inside a longer one."""
    for rank in range(size):
        slot = ranking[rank, SLOT]
        if matches[row, START] >= paths[slot, NEXT]:
            ranking[rank, DISTANCE] += abs(matches[row, START] - matches[row, FROM])
            ranking[rank, RANK] += cost(paths[slot, OPEN], matches, row)
            take(paths, slot, matches, row)
        lift(ranking, rank)


@njit(cache=True)
def pick_best(
    matches: Integers, paths: Paths, ranking: Ranking, size: int, steps: Integers, picks: Integers
) -> None:
    """Close all chunks, and pick the matches of the best path."""
    for rank in range(size):
        ranking[rank, RANK] += skip(paths, ranking[rank, SLOT])
        lift(ranking, rank)
    step = paths[ranking[0, SLOT], STEP]
    while step >= 0:
        row = steps[step, 1]
        picks[matches[row, START]] = row
        step = steps[step, 0]
