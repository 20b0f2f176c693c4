"""Compiled tables of pairs of whole numbers, exact and small: 12 bytes a row, up to three in four of them taken.

An n-gram is a pair of two shorter ones, so tables of pairs count and number n-grams of any length. A row is the pair
and a value, 0 if the row is free; more columns are the caller's. Numbers are 32 bits wide, which is enough for two
billion n-grams of a length. Only plain loops over given arrays, because numba takes seconds to compile more.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Rows = NDArray[np.int32]
Integers = NDArray[np.int64]

LEFT, RIGHT, VALUE = range(3)
# Fibonacci hashing: an odd number near 2**64 / golden ratio, as a signed one.
_SPREAD: Final = -7046029254386353131
_LOW: Final = 0xFFFFFFFF


def empty_table(columns: int = 3) -> Rows:
    """A table with hardly any room."""
    return np.zeros((64, columns), np.int32)


def with_room(table: Rows, used: int, more: int) -> Rows:
    """The table, or a larger one with the same rows if so many more would not fit."""
    if 4 * (used + more) <= 3 * len(table):
        return table
    larger = np.zeros((max(2 * (used + more), 2 * len(table)), table.shape[1]), np.int32)
    _move(table, larger)
    return larger


@njit(cache=True, nogil=True)
def mix(left: int, right: int) -> int:
    """A hash of 64 bits of a pair."""
    mixed = ((int(left) << 32) | int(right)) * _SPREAD
    return (mixed ^ (mixed >> 29)) * _SPREAD


@njit(cache=True, nogil=True)
def home(size: int, mixed: int) -> int:
    """Return the row of a table of that size at which the search for a pair of that hash begins."""
    return (((mixed >> 32) & _LOW) * size) >> 32


@njit(cache=True, nogil=True)
def warm(table: Rows, lefts: Rows | Integers, rights: Rows | Integers, begin: int, end: int) -> int:
    """Read the rows at which searches for the pairs will begin, so that they are in the processor's cache.

    Nothing here waits for what was read, so memory answers many reads at once; a search waits for each.
    """
    total = 0
    for at in range(begin, end):
        total += int(table[home(len(table), mix(int(lefts[at]), int(rights[at]))), VALUE])
    return total


@njit(cache=True, nogil=True)
def seek(table: Rows, left: int, right: int) -> int:
    """Return the row in which a pair is, or the free one in which it would be."""
    row = home(len(table), mix(left, right))
    while table[row, VALUE] != 0 and (table[row, LEFT] != left or table[row, RIGHT] != right):
        row += 1
        if row == len(table):
            row = 0
    return row


@njit(cache=True, nogil=True)
def _move(old: Rows, new: Rows) -> None:
    for row in range(len(old)):
        if old[row, VALUE] != 0:
            place = seek(new, int(old[row, LEFT]), int(old[row, RIGHT]))
            for column in range(old.shape[1]):
                new[place, column] = old[row, column]
