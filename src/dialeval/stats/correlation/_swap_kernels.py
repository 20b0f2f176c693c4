"""Compiled loops over swaps of two measures, cell by cell, equal to the numpy code of ``swapping``.

Plain loops over given arrays: array expressions take numba seconds to compile. Places are counted from 0 or have no
sign, because the check whether one is negative costs more than the sum it stands beside. NaN is undefined.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.stats.resampling.bootstrap import Floats, Integers

Bits = NDArray[np.uint8]


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
