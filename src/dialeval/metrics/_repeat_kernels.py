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
    sizes = np.zeros(1 << (len(numbers) // at_once).bit_length(), np.int64)
    count_parts(numbers, begin, n, sizes)
    starts, largest = np.cumsum(sizes) - sizes, int(sizes.max())
    pairs = np.empty((int(sizes.sum()), 2), np.int32)
    slots, firsts = np.empty(2 << largest.bit_length(), np.int32), np.empty(largest, np.int32)
    used = number_parts(numbers, begin, n, starts, pairs, slots, firsts)
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
def number_parts(
    numbers: Rows, begin: Integers, n: int, starts: Integers, pairs: Rows, slots: Rows, firsts: Rows
) -> int:
    """Fill in the pairs by part and place, and put its number or -1 in place of the first of each; how many numbers.

    ``starts`` are where each part begins. ``slots`` are a power of two, at least twice as many as the pairs of the
    largest part, and ``firsts`` as many.
    """
    for text in range(len(begin) - 1):
        for place in range(begin[text], begin[text + 1] - n + 1):
            left, right = numbers[place], numbers[place + 1]
            if left >= 0 and right >= 0:
                part = part_of(left, right, len(starts))
                pairs[starts[part], 0], pairs[starts[part], 1] = left, right
                starts[part] += 1
    used = start = 0
    for part in range(len(starts)):
        # Each start has moved on to the end of its part.
        end, starts[part] = starts[part], start
        used = _number_part(pairs, start, end, slots, firsts, used)
        start = end
    return used


@njit(cache=True, nogil=True)
def _number_part(pairs: Rows, start: int, end: int, slots: Rows, firsts: Rows, used: int) -> int:
    """Do so for the pairs from ``start`` to before ``end``; how many numbers are used then."""
    last = 2
    while last < 2 * (end - start):
        last *= 2
    last -= 1
    for slot in range(last + 1):
        slots[slot] = 0
    for row in range(start, end):
        left, right = pairs[row, 0], pairs[row, 1]
        slot = mix(left, right) & last
        # A slot has the first row of a pair, counted from 1.
        while slots[slot] != 0:
            first = start + slots[slot] - 1
            if pairs[first, 0] == left and pairs[first, 1] == right:
                break
            slot = (slot + 1) & last
        firsts[row - start] = slots[slot] - 1
        if slots[slot] == 0:
            slots[slot] = row - start + 1
        else:
            firsts[slots[slot] - 1] = -2  # comes again
    for row in range(start, end):
        first = firsts[row - start]
        if first == -2:
            pairs[row, 0] = used
            used += 1
        else:
            pairs[row, 0] = pairs[start + first, 0] if first >= 0 else -1
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
