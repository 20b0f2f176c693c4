"""Compiled loops over the words of a text: where they start and stop, and common subsequences (Hyyrö, 2004)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.text.ngrams.overlap import DASH, DIGIT, SEPARATOR, SIGN, STOP_OR_COMMA

Codes = NDArray[np.uint32]
Kinds = NDArray[np.uint8]
Integers = NDArray[np.int64]

PRIME: Final = np.int64(-7046029254386353131)  # 2**64 over the golden ratio, odd, as a signed number
_BLANK: Final = 32

# Rules by which a text falls into words.
BY_SEPARATORS, BY_SPACES, BY_SIGNS = range(3)
# What is known of a word, a line per word of a text; the last two only of a response's words.
START, STOP, HASH, NUMBER, FIRST, NEXT = range(6)
Bits = NDArray[np.uint64]

_NONE: Final = np.uint64(0)
_ONE: Final = np.uint64(1)
_TWO: Final = np.uint64(2)
_FOUR: Final = np.uint64(4)
_TOP: Final = np.uint64(56)
_BY_TWO: Final = np.uint64(0x5555555555555555)
_BY_FOUR: Final = np.uint64(0x3333333333333333)
_BY_EIGHT: Final = np.uint64(0x0F0F0F0F0F0F0F0F)
_ONES: Final = np.uint64(0x0101010101010101)


@njit(cache=True, nogil=True)
def split(codes: Codes, kinds: Kinds, index: int, end: int, words: Integers, n: int) -> tuple[int, bool]:
    """Enter the words between separators from n: where they end, and whether `split_at_spaces` gives the same."""
    last, alike = len(kinds) - 1, True
    while index < end and kinds[min(codes[end - 1], last)] == SEPARATOR:
        end -= 1
    while index < end and kinds[min(codes[index], last)] == SEPARATOR:
        index += 1
    if index == end:
        return n, False
    while True:
        words[n, START] = index
        mixed = PRIME
        while index < end and kinds[min(codes[index], last)] != SEPARATOR:
            mixed = (mixed ^ codes[index]) * PRIME
            index += 1
        words[n, STOP] = index
        words[n, HASH] = mixed ^ mixed >> 32
        n += 1
        if index == end:
            return n, alike
        alike &= codes[index] == _BLANK
        index += 1
        while kinds[min(codes[index], last)] == SEPARATOR:
            alike = False
            index += 1


@njit(cache=True, nogil=True)
def split_at_spaces(codes: Codes, kinds: Kinds, index: int, end: int, words: Integers, n: int) -> int:
    """Enter the words between single spaces of the stripped text from n, one at least; where they end."""
    last = len(kinds) - 1
    while index < end and kinds[min(codes[end - 1], last)] == SEPARATOR:
        end -= 1
    while index < end and kinds[min(codes[index], last)] == SEPARATOR:
        index += 1
    while True:
        words[n, START] = index
        mixed = PRIME
        while index < end and codes[index] != _BLANK:
            mixed = (mixed ^ codes[index]) * PRIME
            index += 1
        words[n, STOP] = index
        words[n, HASH] = mixed ^ mixed >> 32
        n += 1
        if index == end:
            return n
        index += 1


@njit(cache=True, nogil=True)
def split_by_signs(codes: Codes, kinds: Kinds, begin: int, end: int, words: Integers, n: int) -> int:
    """Enter the words of 13a from n; where they end."""
    last = len(kinds) - 1
    before, matched, inside = 0, False, False
    mixed = PRIME
    for index in range(begin, end):
        kind = kinds[min(codes[index], last)]
        apart = kind == SIGN or (kind == DASH and before == DIGIT)
        if kind == STOP_OR_COMMA:
            # A rule that took this mark cannot take the next one with it: the marks of a row match by turns.
            matched = not matched and before != DIGIT
            apart = matched or index + 1 == end or kinds[min(codes[index + 1], last)] != DIGIT
        else:
            matched = False
        before = kind
        if inside and (apart or kind == SEPARATOR):
            words[n, STOP] = index
            words[n, HASH] = mixed ^ mixed >> 32
            n += 1
            inside = False
        if kind == SEPARATOR:
            continue
        if not inside:
            words[n, START] = index
            mixed = PRIME
            inside = True
        mixed = (mixed ^ codes[index]) * PRIME
        if apart or index + 1 == end:
            words[n, STOP] = index + 1
            words[n, HASH] = mixed ^ mixed >> 32
            n += 1
            inside = False
    return n


@njit(cache=True, nogil=True)
def place(own: Integers, places: Bits, n: int, distinct: int) -> None:
    """Note the places of each word of a response of at most 64 words."""
    for number in range(distinct):
        places[number] = _NONE
    for index in range(n):
        places[own[index, NUMBER]] |= _ONE << np.uint64(index)


@njit(cache=True, nogil=True)
def place_long(own: Integers, n: int, distinct: int) -> None:
    """The same of a longer one."""
    for number in range(distinct):
        own[number, FIRST] = -1
    # From the end, so that the first places are right again when the start is reached.
    for index in range(n - 1, -1, -1):
        number = own[index, NUMBER]
        own[index, NEXT] = own[number, FIRST]
        own[number, FIRST] = index


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
    # Counted in groups of 2, 4 and 8 bits (Warren, 2012, section 5-1).
    free -= free >> _ONE & _BY_TWO
    free = (free & _BY_FOUR) + (free >> _TWO & _BY_FOUR)
    free = free + (free >> _FOUR) & _BY_EIGHT
    return int(free * _ONES >> _TOP)


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
