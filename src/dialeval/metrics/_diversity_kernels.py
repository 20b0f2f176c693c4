"""Compiled loops of self-BLEU: numbers of the n-grams that come more than once, and the search for their best rivals.

What comes once has no rival, and what contains it comes once too, so that few of the longer n-grams are left. They are
sorted into parts by their hash and numbered part by part, because a table of all of them would not fit into the
processor's cache: a million texts would cost far more than ten times a hundred thousand. Only plain loops over given
arrays, because numba takes seconds to compile more.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.text._pair_kernels import mix

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

    ``starts`` are the beginnings of the parts. ``slots`` are a power of two, at least twice as many as the pairs of the
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


# Of each n-gram, the three groups that have it most often in one text, with how often; 0 and -1 where there are fewer.
BEST: Final = (0, -1) * 3
# Of each n-gram of a group: its number, its place in the table, how often the text at hand has it,
# and the highest and second highest count of any text, equal where two texts share it.
GRAM, PLACE, COUNT, HIGHEST, SECOND = range(5)
_SPREAD: Final = -7046029254386353131

Ngrams: TypeAlias = tuple[Rows, Integers, int]
"""The number of the n-gram at each word, -1 if it comes once; the start of each text, and n."""
Room: TypeAlias = tuple[Rows, Rows]
"""The table of a group's n-grams, and a line for each of them."""


Found: TypeAlias = tuple[Integers, Integers, Rows]
"""To be filled in: matches of each text; and each match lost without another group, as that group times the number of
texts plus the text, with how many are lost."""


def room(words: int) -> Room:
    """For groups of at most so many words."""
    return np.zeros(max(16, 1 << (2 * words).bit_length()), np.int32), np.zeros((words + 1, 5), np.int32)


@njit(cache=True, nogil=True)
def rank_groups(ngrams: Ngrams, starts: Integers, room: Room, best: Rows) -> None:
    """Fill the record of each n-gram; the texts of a group begin at ``starts``, which ends with how many there are."""
    for group in range(len(starts) - 1):
        met = _tally(ngrams, starts[group], starts[group + 1], room)
        for line in range(met):
            count = room[1][line, HIGHEST]
            record = best[room[1][line, GRAM]]
            place = 6
            # The earlier of two groups stays before the later.
            while place > 0 and record[place - 2] < count:
                place -= 2
                if place < 4:
                    record[place + 2], record[place + 3] = record[place], record[place + 1]
            if place < 6:
                record[place], record[place + 1] = count, group
        _clear(room, met)


@njit(cache=True, nogil=True)
def match_texts(ngrams: Ngrams, starts: Integers, room: Room, best: Rows, found: Found) -> int:
    """Fill the matches of each text with its rivals, and what it has to lose; how many losses there are."""
    numbers, begin, n = ngrams
    table, lines = room
    matches, pairs, lost = found
    losses = 0
    for group in range(len(starts) - 1):
        met = _tally(ngrams, starts[group], starts[group + 1], room)
        for text in range(starts[group], starts[group + 1]):
            _count(numbers, begin[text], begin[text + 1] - n + 1, room, text, met)
            for at in range(begin[text], begin[text + 1] - n + 1):
                if numbers[at] < 0:
                    continue
                line = table[_place(room, numbers[at])] - 1
                if lines[line, COUNT] == 0:
                    continue
                count, record = lines[line, COUNT], best[lines[line, GRAM]]
                lines[line, COUNT] = 0  # each n-gram once
                rival, matched, gone = _match(count, lines[line], record, group)
                matches[text] += matched
                if gone > 0:
                    pairs[losses] = np.int64(rival) * (len(begin) - 1) + text
                    lost[losses] = gone
                    losses += 1
        _clear(room, met)
    return losses


@njit(cache=True, nogil=True)
def _match(count: int, line: Rows, record: Rows, group: int) -> tuple[int, int, int]:
    """The best other group, the matches with it and one's own group, and those lost without it."""
    own = line[SECOND] if count == line[HIGHEST] else line[HIGHEST]
    ahead = record[1] == group
    rival, theirs = (record[3], record[2]) if ahead else (record[1], record[0])
    others = record[4] if ahead or record[3] == group else record[2]
    matched = min(count, max(own, theirs))
    return rival, matched, matched - min(count, max(own, others))


@njit(cache=True, nogil=True)
def _tally(ngrams: Ngrams, start: int, stop: int, room: Room) -> int:
    """Enter the n-grams of a group's texts; how many different ones there are."""
    numbers, begin, n = ngrams
    table, lines = room
    met = 0
    for text in range(start, stop):
        met = _count(numbers, begin[text], begin[text + 1] - n + 1, room, text, met)
        for at in range(begin[text], begin[text + 1] - n + 1):
            if numbers[at] < 0:
                continue
            line = table[_place(room, numbers[at])] - 1
            count = lines[line, COUNT]
            if count == 0:
                continue
            lines[line, COUNT] = 0  # each n-gram once
            if count > lines[line, HIGHEST]:
                lines[line, SECOND], lines[line, HIGHEST] = lines[line, HIGHEST], count
            elif count > lines[line, SECOND]:
                lines[line, SECOND] = count
    return met


@njit(cache=True, nogil=True)
def _count(numbers: Rows, start: int, stop: int, room: Room, text: int, met: int) -> int:
    """Count the n-grams of one text; how many different ones its group has so far."""
    table, lines = room
    for at in range(start, stop):
        if numbers[at] < 0:
            continue
        place = _place(room, numbers[at])
        if table[place] == 0:
            lines[met, GRAM], lines[met, PLACE] = numbers[at], place
            lines[met, COUNT], lines[met, HIGHEST], lines[met, SECOND] = 0, 0, 0
            met += 1
            table[place] = met
        lines[table[place] - 1, COUNT] += 1
    return met


@njit(cache=True, nogil=True)
def _place(room: Room, gram: int) -> int:
    """Return the place at which the line of an n-gram is noted, or would be."""
    table, lines = room
    mixed = np.int64(gram) * _SPREAD
    place = (mixed ^ (mixed >> 32)) & (len(table) - 1)
    while table[place] != 0 and lines[table[place] - 1, GRAM] != gram:
        place = (place + 1) & (len(table) - 1)
    return int(place)


@njit(cache=True, nogil=True)
def _clear(room: Room, met: int) -> None:
    for line in range(met):
        room[0][room[1][line, PLACE]] = 0
