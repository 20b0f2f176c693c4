"""Compiled loops over swaps of two measures, cell by cell, equal to the numpy code of ``swapping``.

Plain loops over given arrays: array expressions take numba seconds to compile. Results are NaN where undefined.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.stats.resampling import Floats, Integers

Bits = NDArray[np.uint8]


# Sums may be taken in any order: then several are added at once.
@njit(cache=True, fastmath={"reassoc", "contract"})
def sum_swapped(bits: Bits, starts: Integers, gain: Floats, out: Floats) -> None:
    """Fill the sums of the gain over the swapped cells of each group, shape (trials, groups)."""
    for trial in range(len(bits)):
        swapped = bits[trial]
        for group in range(len(starts) - 1):
            total = 0.0
            for at in range(starts[group], starts[group + 1]):
                total += swapped[at] * gain[at]
            out[trial, group] = total


@njit(cache=True, fastmath={"reassoc", "contract"})
def sum_three_swapped(
    bits: Bits, starts: Integers, one: Floats, two: Floats, three: Floats, out: Floats
) -> None:
    """Fill the sums of three gains at once, shape (3, trials, groups)."""
    for trial in range(len(bits)):
        swapped = bits[trial]
        for group in range(len(starts) - 1):
            total_one = total_two = total_three = 0.0
            for at in range(starts[group], starts[group + 1]):
                bit = float(swapped[at])
                total_one += bit * one[at]
                total_two += bit * two[at]
                total_three += bit * three[at]
            out[0, trial, group] = total_one
            out[1, trial, group] = total_two
            out[2, trial, group] = total_three


@njit(cache=True)
def swap_spearman(
    bits: Bits,
    starts: Integers,
    cell: Integers,
    side: Bits,
    fresh: NDArray[np.bool_],
    ranks: Floats,
    squares: Floats,
    out: Floats,
) -> None:
    """Fill the coefficients of both measures, shape (trials, 2, groups), in one walk along the order of all values.

    Of each place in that order: its cell, which measure's value it is, and whether no equal one stands before it.
    ``ranks`` are people's, centred, at each place; ``squares`` is the sum of their squares in each group.
    """
    for trial in range(len(bits)):
        swapped = bits[trial]
        for group in range(len(starts) - 1):
            n = float(starts[group + 1] - starts[group])
            below_a = below_b = tied_a = tied_b = of_a = of_b = 0.0
            xy_a = xy_b = ties_a = ties_b = 0.0
            for place in range(2 * starts[group], 2 * starts[group + 1]):
                if fresh[place]:
                    xy_a += of_a * (below_a + tied_a / 2)
                    xy_b += of_b * (below_b + tied_b / 2)
                    ties_a += tied_a * tied_a * tied_a - tied_a
                    ties_b += tied_b * tied_b * tied_b - tied_b
                    below_a += tied_a
                    below_b += tied_b
                    tied_a = tied_b = of_a = of_b = 0.0
                to_b = float(swapped[cell[place]] ^ side[place])
                tied_b += to_b
                tied_a += 1 - to_b
                of_b += to_b * ranks[place]
                of_a += (1 - to_b) * ranks[place]
            xy_a += of_a * (below_a + tied_a / 2)
            xy_b += of_b * (below_b + tied_b / 2)
            ties_a += tied_a * tied_a * tied_a - tied_a
            ties_b += tied_b * tied_b * tied_b - tied_b
            every = n * n * n - n
            out[trial, 0, group] = _ratio(xy_a, (every - ties_a) / 12, squares[group])
            out[trial, 1, group] = _ratio(xy_b, (every - ties_b) / 12, squares[group])


@njit(cache=True)
def _ratio(xy: float, xx: float, yy: float) -> float:
    if xx > 0 and yy > 0:
        return min(1.0, max(-1.0, xy / math.sqrt(xx * yy)))
    return math.nan
