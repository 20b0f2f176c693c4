"""Compiled loops behind `dialeval.text.ngrams.overlap`: from characters to counts with no Python object per word.

Only what a response and its own references share matters, so words are numbered within one item: the response's
words and n-grams are numbered in two small tables, the references' are looked up there and never stored. Keys are
compared in full, so equal numbers mean equal words; hashes only say where to look. Tables hold numbers that rise from
item to item: one below the item's first is left over from an earlier item and counts as empty. Only plain loops over
given arrays, because numba takes seconds to compile more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.text.ngrams._word_kernels import (
    BY_SIGNS,
    BY_SPACES,
    FIRST,
    HASH,
    NUMBER,
    PRIME,
    START,
    STOP,
    Bits,
    Codes,
    Integers,
    Kinds,
    long_subsequence,
    place,
    place_long,
    split,
    split_at_spaces,
    split_by_signs,
    subsequence,
)
from dialeval.text.ngrams.overlap import CLOSEST, F1, ITEM, LENGTH, ORDERS, PRECISION, RECALL

Floats = NDArray[np.float64]

# What is known of an n-gram of the response, by its number.
COUNT, MATCHED, FOUND, REFERENCE, SHARED = range(5)


class Texts(NamedTuple):
    """Code points of many texts, and where each begins; one more place than texts, the last where all end."""

    codes: Codes
    begin: Integers
    kinds: Kinds
    """What each code point does to words; the last entry speaks for all higher ones."""


class Own(NamedTuple):
    """A response's words and n-grams, numbered from 0, words first."""

    words: Integers
    """A line per place: where the word starts and stops, its hash, its number, the place of the first word of that
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
    """The places of each word as bits, where the response has at most 64; else room for one word's, and for a row."""


class Others(NamedTuple):
    """The references of one item, one after the other."""

    words: Integers
    """A line per word: where it starts and stops, its hash, and its number, -1 where the response has it not."""
    stops: Integers
    """Behind each reference, where its words end."""


@njit(cache=True, nogil=True)
def overlap_rows(
    texts: Texts, first: Integers, rule: int, sharing: int, own: Own, others: Others, base: int, rows: Floats
) -> int:
    """Fill one row per item, zeros before, with the columns of `dialeval.text.ngrams.overlap`.

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
    """Enter the words of a text from a line on: where they end, and whether single spaces give the same words."""
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
    """Where an n-gram is, or would be."""
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
