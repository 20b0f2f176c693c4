"""Compiled loops behind `dialeval.text.overlap`: from characters to counts with no Python object per word.

Only what a response and its own references share matters, so words are numbered within one item: the response's
words and n-grams are numbered in two small tables, the references' are looked up there and never stored. Keys are
compared in full, so equal numbers mean equal words; hashes only say where to look. Tables hold numbers that rise from
item to item: one below the item's first is left over from an earlier item and counts as empty. Common subsequences are
found by bits (Hyyrö, 2004). Only plain loops over given arrays, because numba takes seconds to compile more.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.text.overlap import (
    CLOSEST,
    DASH,
    DIGIT,
    F1,
    ITEM,
    LENGTH,
    ORDERS,
    PRECISION,
    RECALL,
    SEPARATOR,
    SIGN,
    STOP_OR_COMMA,
)

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
    """Enter the words between separators from n; return their end, and whether `split_at_spaces` gives the same."""
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
    """Enter the words between single spaces of the stripped text from n, one at least; return their end."""
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
    """Enter the words of 13a from n; return their end."""
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
    """Enter the places of the words of a longer response."""
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
    """Count the zeros among the lowest n bits."""
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
    """Return the length of the subsequence for a longer response.

    The row takes as many machine words as are needed, after as many for the places of one word.
    """
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


Floats = NDArray[np.float64]

# What is known of an n-gram of the response, by its number.
COUNT, MATCHED, FOUND, REFERENCE, SHARED = range(5)


class Texts(NamedTuple):
    """Code points of many texts, and the beginning of each; one more place than texts, the last the end of all."""

    codes: Codes
    begin: Integers
    kinds: Kinds
    """Effect of each code point on words; the last entry speaks for all higher ones."""


class Own(NamedTuple):
    """A response's words and n-grams, numbered from 0, words first."""

    words: Integers
    """A line per place: start and stop of the word, its hash, its number, the place of the first word of that
    number (read by number, not by place) and the next place of the same word, -1 at the last."""
    numbers: Integers
    """A table from hashes to words' numbers, a power of two of slots, at least eight times the words."""
    grams: Integers
    """A table of longer n-grams, four times as large: a number, and a key made of the number of the n-gram without
    its last word and the number of that word."""
    tallies: Integers
    """A line per n-gram: how often the response has it, clipped matches with the most generous reference so far,
    how often the reference at hand has had it, which reference that is, and whether any reference has the word."""
    places: Bits
    """The places of each word as bits, if the response has at most 64; else room for one word's, and for a row."""


class Others(NamedTuple):
    """The references of one item, one after the other."""

    words: Integers
    """A line per word: its start and stop, its hash, and its number, -1 if the response has it not."""
    stops: Integers
    """End of the words of each reference."""


@njit(cache=True, nogil=True)
def overlap_rows(
    texts: Texts, first: Integers, rule: int, sharing: int, own: Own, others: Others, base: int, rows: Floats
) -> int:
    """Fill one row per item, zeros before, with the columns of `dialeval.text.overlap`.

    Item i is the texts first[i] to first[i + 1], its response first. N-grams are of the words by ``rule``,
    subsequences of those by ``sharing``. ``own`` and ``others`` are room to work in, in which no number is ``base`` or
    higher; given back is the same after this.
    """
    for item in range(len(first) - 1):
        row, response, last = rows[item], first[item], first[item + 1]
        n, distinct, alike = _read(texts, response, last, rule, own, others, base)
        used = _count(own.words, own.grams, own.tallies, n, base, base + distinct)
        row[CLOSEST], row[ITEM] = -1, 1
        for less in range(ORDERS):
            row[LENGTH + less] = max(n - less, 0)
        for reference in range(1, last - response):
            start, stop = others.stops[reference - 1], others.stops[reference]
            _match(others.words, start, stop, own.grams, own.tallies, n, base, reference, row)
            _choose_length(row, n, stop - start)
        if sharing != rule and not alike:
            base = used
            n, distinct, _ = _read(texts, response, last, sharing, own, others, base)
            used = base + distinct
        base = used
        if n <= 64:
            place(own.words, own.places, n, distinct)
        else:
            place_long(own.words, n, distinct)
        for reference in range(1, last - response):
            start, stop = others.stops[reference - 1], others.stops[reference]
            if n <= 64:
                shared = subsequence(others.words, start, stop, own.places, n)
            else:
                shared = long_subsequence(others.words, start, stop, own.words, own.places, n)
            _enter(row, shared, n, stop - start)
    return base


@njit(cache=True, nogil=True)
def _read(
    texts: Texts, response: int, last: int, rule: int, own: Own, others: Others, base: int
) -> tuple[int, int, bool]:
    """Number the words of an item's texts.

    How many words the response has, how many different ones, and whether single spaces give the same words.
    """
    n, alike = _split(texts, response, rule, own.words, 0)
    m = 0
    for text in range(response + 1, last):
        m, single = _split(texts, text, rule, others.words, m)
        alike &= single
        others.stops[text - response] = m
    distinct = _number(texts.codes, own.words, own.numbers, own.tallies, n, base)
    _look_up(texts.codes, own.words, own.numbers, own.tallies, n, base, others.words, m)
    return n, distinct, alike


@njit(cache=True, nogil=True)
def _split(texts: Texts, text: int, rule: int, words: Integers, index: int) -> tuple[int, bool]:
    """Enter the words of a text from a line on; return their end, and whether single spaces give the same words."""
    begin, end = texts.begin[text], texts.begin[text + 1]
    if rule == BY_SIGNS:
        return split_by_signs(texts.codes, texts.kinds, begin, end, words, index), False
    if rule == BY_SPACES:
        return split_at_spaces(texts.codes, texts.kinds, begin, end, words, index), True
    return split(texts.codes, texts.kinds, begin, end, words, index)


@njit(cache=True, nogil=True)
def _power(least: int) -> int:
    """A power of two, at least 16, not below ``least``."""
    power = 16
    while power < least:
        power *= 2
    return power


@njit(cache=True, nogil=True)
def _number(codes: Codes, own: Integers, numbers: Integers, tallies: Integers, n: int, base: int) -> int:
    """Number the response's different words from 0, as they come; how many there are."""
    slots = 4 * _power(2 * n)
    distinct = 0
    for index in range(n):
        slot = own[index, HASH] & (slots - 1)
        while numbers[slot] >= base and not _same(codes, own, own[numbers[slot] - base, FIRST], own, index):
            slot = (slot + 1) & (slots - 1)
        if numbers[slot] < base:
            numbers[slot] = base + distinct
            own[distinct, FIRST] = index
            tallies[distinct, COUNT], tallies[distinct, MATCHED] = 0, 0
            tallies[distinct, REFERENCE], tallies[distinct, SHARED] = -1, 0
            distinct += 1
        own[index, NUMBER] = numbers[slot] - base
    return distinct


@njit(cache=True, nogil=True)
def _look_up(
    codes: Codes,
    own: Integers,
    numbers: Integers,
    tallies: Integers,
    n: int,
    base: int,
    words: Integers,
    m: int,
) -> None:
    """Give the references' words the response's numbers, -1 to those the response has not."""
    slots = 4 * _power(2 * n)
    for index in range(m):
        slot = words[index, HASH] & (slots - 1)
        while numbers[slot] >= base and not _same(codes, own, own[numbers[slot] - base, FIRST], words, index):
            slot = (slot + 1) & (slots - 1)
        number = numbers[slot] - base
        words[index, NUMBER] = max(number, -1)
        if number >= 0:
            tallies[number, SHARED] = 1


@njit(cache=True, nogil=True)
def _same(codes: Codes, some: Integers, i: int, others: Integers, j: int) -> bool:
    """Whether two words are the same, character by character."""
    start, other = some[i, START], others[j, START]
    size = some[i, STOP] - start
    if some[i, HASH] != others[j, HASH] or others[j, STOP] - other != size:
        return False
    for index in range(size):  # noqa: SIM110 -- numba takes no generators
        if codes[start + index] != codes[other + index]:
            return False
    return True


@njit(cache=True, nogil=True)
def _count(own: Integers, grams: Integers, tallies: Integers, n: int, base: int, used: int) -> int:
    """Count the response's words, and number and count its n-grams of shared words; the first number free after."""
    slots = 4 * _power(2 * n)
    for start in range(n):
        gram = own[start, NUMBER]
        tallies[gram, COUNT] += 1
        end = start + 1
        while end < min(start + ORDERS, n) and tallies[gram, SHARED] and tallies[own[end, NUMBER], SHARED]:
            key = gram << 32 | own[end, NUMBER]
            slot = _slot(grams, key, slots, base)
            if grams[slot, 0] < base:
                grams[slot, 0], grams[slot, 1] = used, key
                gram = used - base
                tallies[gram, COUNT], tallies[gram, MATCHED] = 0, 0
                tallies[gram, REFERENCE], tallies[gram, SHARED] = -1, 1
                used += 1
            gram = grams[slot, 0] - base
            tallies[gram, COUNT] += 1
            end += 1
    return used


@njit(cache=True, nogil=True)
def _slot(grams: Integers, key: int, slots: int, base: int) -> int:
    """Return the place at which an n-gram is, or would be."""
    slot = (key * PRIME >> 32) & (slots - 1)
    while grams[slot, 0] >= base and grams[slot, 1] != key:
        slot = (slot + 1) & (slots - 1)
    return int(slot)


@njit(cache=True, nogil=True)
def _match(
    words: Integers,
    begin: int,
    stop: int,
    grams: Integers,
    tallies: Integers,
    n: int,
    base: int,
    reference: int,
    row: Floats,
) -> None:
    """Add the matches that no earlier reference gave to the columns of the row."""
    slots = 4 * _power(2 * n)
    for start in range(begin, stop):
        gram = words[start, NUMBER]
        end = start
        while gram >= 0:
            found = tallies[gram, FOUND] + 1 if tallies[gram, REFERENCE] == reference else 1
            tallies[gram, FOUND], tallies[gram, REFERENCE] = found, reference
            if tallies[gram, MATCHED] < found <= tallies[gram, COUNT]:
                tallies[gram, MATCHED] = found
                row[end - start] += 1
            end += 1
            if end == stop or end == start + ORDERS or words[end, NUMBER] < 0:
                break
            gram = grams[_slot(grams, gram << 32 | words[end, NUMBER], slots, base), 0] - base


@njit(cache=True, nogil=True)
def _choose_length(row: Floats, n: int, m: int) -> None:
    """Keep the reference length closest to the response's, the shorter of two."""
    closest = row[CLOSEST]
    nearer = abs(m - n) - abs(closest - n)
    if closest < 0 or nearer < 0 or (nearer == 0 and m < closest):
        row[CLOSEST] = m


@njit(cache=True, nogil=True)
def _enter(row: Floats, shared: int, n: int, m: int) -> None:
    """Keep the subsequence in the columns for which it is the best so far."""
    if shared > 0:
        precision, recall = shared / n, shared / m
        row[PRECISION] = max(row[PRECISION], precision)
        row[RECALL] = max(row[RECALL], recall)
        row[F1] = max(row[F1], 2 * precision * recall / (precision + recall))
