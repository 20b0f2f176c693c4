"""Compiled loops that find the length of longest common subsequences of numbered words (Hyyrö, 2004)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.text.ngrams._word_kernels import FIRST, NEXT, NUMBER

Bits = NDArray[np.uint64]
Integers = NDArray[np.int64]

_NONE: Final = np.uint64(0)
_ONE: Final = np.uint64(1)


@njit(cache=True, nogil=True)
def place(own: Integers, places: Bits, n: int, distinct: int) -> None:
    """Note the places of each word of the response."""
    for number in range(distinct):
        own[number, FIRST] = -1
        if n <= 64:
            places[number] = _NONE
    # From the end, so that the first places are right again when the start is reached.
    for index in range(n - 1, -1, -1):
        number = own[index, NUMBER]
        own[index, NEXT] = own[number, FIRST]
        own[number, FIRST] = index
        if n <= 64:
            places[number] |= _ONE << np.uint64(index)


@njit(cache=True, nogil=True)
def subsequence(words: Integers, start: int, stop: int, places: Bits, n: int) -> int:
    """The length of the longest common subsequence, a row of its table in one machine word."""
    row = ~_NONE
    for index in range(start, stop):
        if words[index, NUMBER] >= 0:
            both = row & places[words[index, NUMBER]]
            row = (row + both) | (row - both)
    return _zeros(row, n)


@njit(cache=True, nogil=True)
def _zeros(row: np.uint64, n: int) -> int:
    """How many of the lowest n bits are 0."""
    free = ~row
    if n < 64:
        free &= (_ONE << np.uint64(n)) - _ONE
    zeros = 0
    while free != _NONE:
        free &= free - _ONE
        zeros += 1
    return zeros


@njit(cache=True, nogil=True)
def long_subsequence(words: Integers, start: int, stop: int, own: Integers, places: Bits, n: int) -> int:
    """The same with a row of as many machine words as it takes, after as many for the places of one word."""
    width = (n + 63) // 64
    for word in range(width):
        places[word] = _NONE
        places[width + word] = ~_NONE
    for index in range(start, stop):
        if words[index, NUMBER] < 0:
            continue
        place = own[words[index, NUMBER], FIRST]
        while place >= 0:
            places[place >> 6] |= _ONE << np.uint64(place & 63)
            place = own[place, NEXT]
        carry = _NONE
        for word in range(width):
            old = places[width + word]
            both = old & places[word]
            total = old + both
            over = _ONE if total < old else _NONE
            total += carry
            carry = _ONE if total < carry else over
            places[width + word] = total | (old & ~both)
            places[word] = _NONE
    shared = 0
    for word in range(width):
        shared += _zeros(places[width + word], min(n - 64 * word, 64))
    return shared
