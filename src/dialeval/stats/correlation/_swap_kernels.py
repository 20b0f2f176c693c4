"""Compiled loops over swaps of two measures, equal to the numpy code of ``dependent``.

Plain loops over given arrays: array expressions take numba seconds to compile. Places are counted from 0 or have no
sign, because the check whether one is negative costs more than the sum it stands beside. NaN is undefined.

For Kendall's tau, all swaps walk along the same order of both measures' values and only differ in which of them the
first measure has, so a step of the walk is done for ``LANES`` swaps together, side by side in a row: a processor adds
up such rows whole. Rows are of 16 bits if counts fit, else of 32; sums have twice as many bits.
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.stats.correlation.dependent import LOT
from dialeval.stats.resampling.bootstrap import Bits, Floats, Integers


# Sums may be taken in any order: then several are added at once.
@njit(cache=True, fastmath={"reassoc", "contract"})
def sum_swapped(bits: Bits, starts: Integers, gain: Floats, out: Floats) -> None:
    """Fill the sums of the gain over the swapped cells of each group, shape (resamples, groups)."""
    for resample in range(len(bits)):
        for group in range(len(starts) - 1):
            first, last = starts[group], starts[group + 1]
            swapped, gained = bits[resample, first:last], gain[first:last]
            total = 0.0
            for index in range(len(swapped)):
                total += swapped[index] * gained[index]
            out[resample, group] = total


@njit(cache=True, fastmath={"reassoc", "contract"})
def sum_three_swapped(bits: Bits, starts: Integers, gains: Floats, out: Floats) -> None:
    """Fill the sums of three gains at once, shape (3, resamples, groups)."""
    for resample in range(len(bits)):
        for group in range(len(starts) - 1):
            first, last = starts[group], starts[group + 1]
            swapped = bits[resample, first:last]
            first_gain, second_gain, third_gain = (
                gains[0, first:last],
                gains[1, first:last],
                gains[2, first:last],
            )
            first_total = second_total = third_total = 0.0
            for index in range(len(swapped)):
                bit = float(swapped[index])
                first_total += bit * first_gain[index]
                second_total += bit * second_gain[index]
                third_total += bit * third_gain[index]
            out[0, resample, group] = first_total
            out[1, resample, group] = second_total
            out[2, resample, group] = third_total


@njit(cache=True)
def swap_spearman(
    bits: Bits,
    starts: Integers,
    cell: NDArray[np.uint32],
    side: Bits,
    fresh: NDArray[np.bool_],
    ranks: Floats,
    squares: Floats,
    out: Floats,
) -> None:
    """Fill the coefficients of both measures, shape (resamples, 2, groups), in one walk along the order of all values.

    Of each place in that order: its cell, which measure's value it is, and whether no equal one stands before it.
    ``ranks`` are people's, centred, at each place; ``squares`` is the sum of their squares in each group.
    """
    for resample in range(len(bits)):
        swapped = bits[resample]
        for group in range(len(starts) - 1):
            n = float(starts[group + 1] - starts[group])
            below_a = below_b = tied_a = tied_b = of_a = of_b = 0.0
            xy_a = xy_b = ties_a = ties_b = 0.0
            first, last = 2 * starts[group], 2 * starts[group + 1]
            cells, sides, begins, people = (
                cell[first:last],
                side[first:last],
                fresh[first:last],
                ranks[first:last],
            )
            for place in range(len(cells)):
                if begins[place]:
                    xy_a += of_a * (below_a + tied_a / 2)
                    xy_b += of_b * (below_b + tied_b / 2)
                    ties_a += tied_a * tied_a * tied_a - tied_a
                    ties_b += tied_b * tied_b * tied_b - tied_b
                    below_a += tied_a
                    below_b += tied_b
                    tied_a = tied_b = of_a = of_b = 0.0
                to_b = float(swapped[cells[place]] ^ sides[place])
                tied_b += to_b
                tied_a += 1 - to_b
                of_b += to_b * people[place]
                of_a += (1 - to_b) * people[place]
            xy_a += of_a * (below_a + tied_a / 2)
            xy_b += of_b * (below_b + tied_b / 2)
            ties_a += tied_a * tied_a * tied_a - tied_a
            ties_b += tied_b * tied_b * tied_b - tied_b
            every = n * n * n - n
            out[resample, 0, group] = _ratio(xy_a, (every - ties_a) / 12, squares[group])
            out[resample, 1, group] = _ratio(xy_b, (every - ties_b) / 12, squares[group])


@njit(cache=True)
def _ratio(xy: float, xx: float, yy: float) -> float:
    if xx > 0 and yy > 0:
        return min(1.0, max(-1.0, xy / math.sqrt(xx * yy)))
    return math.nan


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

    ``kept`` is 1 if a lane leaves a cell as it is, shape (cells, lanes); ``out`` has the shape (3, lanes, groups).
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
