"""Compiled numbering of the n-grams that come more than once; the others get -1.

What comes once has no rival, and what contains it comes once too, so that few of the longer n-grams are left. They are
sorted into parts by their hash and numbered part by part, because a table of all of them would not fit into the
processor's cache: a million texts would cost far more than ten times a hundred thousand. Only plain loops over given
arrays, because numba takes seconds to compile more.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.text.ngrams._pair_kernels import mix

Rows = NDArray[np.int32]
Integers = NDArray[np.int64]


def lengthen(numbers: Rows, begin: Integers, n: int, at_once: int) -> int:
    """Put the numbers of n-grams in place of those of the (n-1)-grams at the same words; how many there are.

    Of texts that begin at ``begin``, of which the last is where all end. What has no n-gram at its word stays as it is.
    A part has about ``at_once`` places.
    """
    ends = np.zeros(1 << (len(numbers) // at_once).bit_length(), np.int64)
    count_parts(numbers, begin, n, ends)
    np.cumsum(ends, out=ends)
    starts = np.concatenate([[0], ends[:-1]])
    pairs = np.empty((int(ends[-1]), 2), np.int32)
    sort_into_parts(numbers, begin, n, starts.copy(), pairs)
    largest = int((ends - starts).max())
    slots, firsts = np.empty(2 << largest.bit_length(), np.int32), np.empty(largest, np.int32)
    used = 0
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        used = number_part(pairs[start:end], slots[: 2 << (end - start).bit_length()], firsts, used)
    put_back(numbers, begin, n, starts, pairs, np.full(used, -1, np.int32))
    return used


@njit(cache=True, nogil=True)
def part_of(left: int, right: int, parts: int) -> int:
    """The part of a pair, of a power of two of them."""
    return (mix(left, right) >> 40) & (parts - 1)


@njit(cache=True, nogil=True)
def count_parts(numbers: Rows, begin: Integers, n: int, sizes: Integers) -> None:
    """Count the n-grams of each part, as pairs of shorter ones that come more than once."""
    for text in range(len(begin) - 1):
        for place in range(begin[text], begin[text + 1] - n + 1):
            left, right = numbers[place], numbers[place + 1]
            if left >= 0 and right >= 0:
                sizes[part_of(left, right, len(sizes))] += 1


@njit(cache=True, nogil=True)
def sort_into_parts(numbers: Rows, begin: Integers, n: int, starts: Integers, pairs: Rows) -> None:
    """Enter the pairs, in order of place within each part; ``starts`` move on to where each part ends."""
    for text in range(len(begin) - 1):
        for place in range(begin[text], begin[text + 1] - n + 1):
            left, right = numbers[place], numbers[place + 1]
            if left >= 0 and right >= 0:
                part = part_of(left, right, len(starts))
                pairs[starts[part], 0], pairs[starts[part], 1] = left, right
                starts[part] += 1


@njit(cache=True, nogil=True)
def number_part(pairs: Rows, slots: Rows, firsts: Rows, used: int) -> int:
    """Put its number, or -1, in place of the first of each pair; how many numbers are used then.

    ``slots`` are a power of two, at least twice as many as pairs, and ``firsts`` as many.
    """
    for slot in range(len(slots)):
        slots[slot] = 0
    for row in range(len(pairs)):
        left, right = pairs[row, 0], pairs[row, 1]
        slot = mix(left, right) & (len(slots) - 1)
        # A slot has the first row of a pair, plus 1.
        while slots[slot] != 0 and (pairs[slots[slot] - 1, 0] != left or pairs[slots[slot] - 1, 1] != right):
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] == 0:
            slots[slot] = row + 1
            firsts[row] = -1
        else:
            firsts[row] = slots[slot] - 1
            firsts[slots[slot] - 1] = -2  # comes again
    for row in range(len(pairs)):
        if firsts[row] == -2:
            pairs[row, 0] = used
            used += 1
        else:
            pairs[row, 0] = pairs[firsts[row], 0] if firsts[row] >= 0 else -1
    return used


@njit(cache=True, nogil=True)
def put_back(numbers: Rows, begin: Integers, n: int, starts: Integers, pairs: Rows, final: Rows) -> None:
    """Put the numbers to their places, renumbered by first place, so that neighbours in texts are so in memory."""
    used = 0
    for text in range(len(begin) - 1):
        for place in range(begin[text], begin[text + 1] - n + 1):
            left, right = numbers[place], numbers[place + 1]
            numbers[place] = -1
            if left >= 0 and right >= 0:
                part = part_of(left, right, len(starts))
                number = pairs[starts[part], 0]
                starts[part] += 1
                if number >= 0:
                    if final[number] < 0:
                        final[number] = used
                        used += 1
                    numbers[place] = final[number]
