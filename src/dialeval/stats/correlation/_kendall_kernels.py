"""Compiled counts of concordant and discordant pairs under many swaps of two measures at once.

All swaps walk along the same order of both measures' values and only differ in which of them the first measure has, so
a step of the walk is done for ``LANES`` swaps together, side by side in a row: a processor adds up such rows whole.
Rows are of 16 bits where counts fit, else of 32; sums have twice as many bits.
"""

from __future__ import annotations

from typing import Final, TypeAlias, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.stats.correlation.swapping import LOT
from dialeval.stats.resampling.bootstrap import Bits, Floats, Integers

NONE: Final[int] = cast(int, np.int64(0))
"""Not a plain number, for which numba would compile another function."""

LANES: Final = LOT
"""Swaps that are counted together. Fewer are not added up as rows, more leave the processor's cache."""

Places: TypeAlias = NDArray[np.uint32]
Counts: TypeAlias = NDArray[np.signedinteger]
Walk: TypeAlias = tuple[Places, Bits, NDArray[np.bool_], Places]
"""Of each place in the order of both measures' values, group by group: its cell, which measure's value it is, whether
no equal one stands before it, and the level of people's value, numbered from 1 within the group."""
Room: TypeAlias = tuple[Counts, Counts, Counts, Counts]
"""Rows for the levels: sums in a tree (Fenwick, 1994) and counts; for one place; and of twice the bits, for sums."""


@njit(cache=True)
def compare_smaller(
    starts: Integers,
    fresh: NDArray[np.bool_],
    level: Places,
    most: Integers,
    tree: Integers,
    counts: Integers,
    out: Floats,
) -> None:
    """Fill, of each place, at how many smaller values of its group people's level is lower, minus those higher."""
    for group in range(len(starts) - 1):
        top = most[group]
        for node in range(top + 1):
            tree[node] = counts[node] = 0
        first = begun = starts[group]
        for place in range(first, starts[group + 1]):
            while fresh[place] and begun < place:
                node = int(level[begun])
                counts[node] += 1
                while node <= top:
                    tree[node] += 1
                    node += node & -node
                begun += 1
            lower, node = 0, int(level[place]) - 1
            while node > 0:
                lower += tree[node]
                node &= node - 1
            out[place] = 2 * lower + counts[level[place]] - (begun - first)


@njit(cache=True)
def count_lanes(kept: Bits, starts: Integers, walk: Walk, most: Integers, room: Room, out: Floats) -> None:
    """Fill, of the first measure in each lane and group, how many more pairs are concordant; and both measures' ties.

    ``kept`` is 1 where a lane leaves a cell as it is, shape (cells, lanes); ``out`` has the shape (3, lanes, groups).
    Ties are counted as t (t - 1) for t equal values.
    """
    fresh = walk[2]
    tree, counts, rows, sums = room
    for group in range(len(starts) - 1):
        begun, last = 2 * starts[group], 2 * starts[group + 1]
        # Where people's values all differ, no other value is at the level of one's own.
        tied = most[group] < starts[group + 1] - starts[group]
        _clear(tree, most[group] + 1)
        _clear(counts, most[group] + 1 if tied else 0)
        _clear(rows, 3)
        _clear(sums, 3)
        for place in range(begun, last):
            if fresh[place]:
                _enter(kept, walk, begun, place, most[group], tied, room)
                begun = place
            _compare(kept, walk, place, tied, room)
        _enter(kept, walk, begun, last, NONE, tied, room)
        for kind in range(3):
            for lane in range(LANES):
                out[kind, lane, group] = sums[kind, lane]


@njit(cache=True)
def _clear(rows: Counts, size: int) -> None:
    for row in range(size):
        for lane in range(LANES):
            rows[row, lane] = 0


@njit(cache=True)
def _enter(kept: Bits, walk: Walk, begin: int, end: int, top: int, tied: bool, room: Room) -> None:
    """Add the equal values from ``begin`` up to ``end`` to the tree of the levels, and their ties to the sums."""
    cell, side, _, level = walk
    tree, counts, rows, sums = room
    for lane in range(LANES):
        rows[2, lane] = 0
    for place in range(begin, end):
        own = side[place]
        has = kept[cell[place]]
        for lane in range(LANES):
            rows[0, lane] = has[lane] ^ own
        for lane in range(LANES):
            rows[2, lane] += rows[0, lane]
        node = int(level[place])
        if tied:
            for lane in range(LANES):
                counts[node, lane] += rows[0, lane]
        while node <= top:
            for lane in range(LANES):
                tree[node, lane] += rows[0, lane]
            node += node & -node
    for lane in range(LANES):
        rows[1, lane] += rows[2, lane]
    if end > begin + 1:
        for lane in range(LANES):
            ours, theirs = np.int64(rows[2, lane]), end - begin - np.int64(rows[2, lane])
            sums[1, lane] += ours * (ours - 1)
            sums[2, lane] += theirs * (theirs - 1)


@njit(cache=True)
def _compare(kept: Bits, walk: Walk, place: int, tied: bool, room: Room) -> None:
    """Add to the sums in how many more of the smaller values people's level is lower than higher."""
    cell, side, _, level = walk
    tree, counts, rows, sums = room
    node = int(level[place])
    for lane in range(LANES):
        rows[0, lane] = -rows[1, lane]
    if tied:
        for lane in range(LANES):
            rows[0, lane] += counts[node, lane]
    node -= 1
    while node > 0:
        for lane in range(LANES):
            rows[0, lane] += 2 * tree[node, lane]
        node &= node - 1
    own = side[place]
    has = kept[cell[place]]
    for lane in range(LANES):
        sums[0, lane] += rows[0, lane] * (has[lane] ^ own)
