"""Compiled cutting of texts into known words; whatever is not simple is left to `lexicon.Normaliser`.

Words are looked up in a table of slots, each with the number of a word plus 1, or 0 if it is free. Only plain loops
over given arrays, which numba compiles quickly.
"""

from __future__ import annotations

from typing import Final, TypeAlias, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int32]
Codes: TypeAlias = NDArray[np.uint32]
WordTable: TypeAlias = tuple[Integers, Integers, NDArray[np.uint8]]
"""Slots; beginnings of the words' letters, and the end of the last's; the letters in UTF-8, with separators."""

# What a character is in a simple piece; whatever is not ASCII is OTHER.
# The last three lean on the spaces around them.
OTHER, LETTER, DIGIT, OPENING, MARK, QUOTE, STOP, HYPHEN, COMMA, APOSTROPHE, BACKTICK = range(11)
KINDS: Final = np.zeros(128, np.uint8)
KINDS[[*range(65, 91), *range(97, 123)]] = LETTER
KINDS[48:58] = DIGIT
KINDS[[ord(mark) for mark in "!?:;)"]] = MARK
KINDS[[ord(mark) for mark in "(\".-,'`"]] = OPENING, QUOTE, STOP, HYPHEN, COMMA, APOSTROPHE, BACKTICK

_SPACE: Final = 32
_STOP: Final = 46
_DELETE: Final = 127
_SPREAD: Final = -7046029254386353131
_ZERO: Final[int] = cast(int, np.int64(0))


@njit(cache=True)
def enter(table: WordTable, first: int) -> None:
    """Enter the words from number ``first``, different from the others, into slots of which half stay free."""
    slots, starts, letters = table
    for number in range(first, len(starts) - 1):
        mixed = _ZERO
        for index in range(starts[number], starts[number + 1] - 1):
            mixed = (mixed ^ letters[index]) * _SPREAD
        slot = (mixed ^ (mixed >> 32)) & (len(slots) - 1)
        while slots[slot] != 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = number + 1


@njit(cache=True)
def _find(codes: Codes, begin: int, end: int, lower: bool, table: WordTable) -> int:
    """The number of the word that is written there, in lower case or as it stands; -1 if it is not in the table."""
    slots, starts, letters = table
    mixed = _ZERO
    for index in range(begin, end):
        mixed = (mixed ^ _letter(codes[index], lower)) * _SPREAD
    slot = (mixed ^ (mixed >> 32)) & (len(slots) - 1)
    while slots[slot] != 0:
        number = slots[slot] - 1
        start = starts[number]
        same = starts[number + 1] - 1 - start == end - begin
        if same:
            for index in range(end - begin):
                same &= _letter(codes[begin + index], lower) == letters[start + index]
        if same:
            return int(number)
        slot = (slot + 1) & (len(slots) - 1)
    return _ZERO - 1


@njit(cache=True)
def _letter(code: int, lower: bool) -> int:
    return int(code) + 32 if lower and 65 <= code <= 90 else int(code)


@njit(cache=True)
def _kind(codes: Codes, index: int) -> int:
    return _ZERO + KINDS[codes[index]] if codes[index] < 128 else _ZERO


@njit(cache=True)
def cut(
    codes: Codes,
    ends: Integers,
    apart: NDArray[np.bool_],
    known: WordTable,
    abbreviations: WordTable,
    always: int,
    tokens: Integers,
    token_ends: Integers,
    left: Integers,
) -> int:
    """Fill in the words of each text by number, and their ends; return how many pieces and texts are left to others.

    These have a token below 0, the n-th of them -n, and a line of their beginning and end and the first character of
    the next piece, or -1 for a text whose pieces interact. ``apart`` has the texts of which that is known before. The
    first ``always`` abbreviations keep their full stop everywhere, the others before numbers.
    """
    n, rest = _ZERO, _ZERO
    spans = np.empty((len(codes) + 1, 2), np.int32)
    token_ends[0] = 0
    for text in range(len(ends) - 1):
        begin, end = _ZERO + ends[text], _ZERO + ends[text + 1]
        if apart[text] or _interact(codes, begin, end):
            left[rest, 0], left[rest, 1], left[rest, 2] = begin, end, -1
            rest += 1
            tokens[n] = -rest
            n += 1
            begin = end
        while begin < end:
            if codes[begin] == _SPACE:
                begin += 1
                continue
            stop = begin
            while stop < end and codes[stop] != _SPACE:
                stop += 1
            count = _cut_piece(codes, begin, stop, spans)
            after = _ZERO
            if codes[stop - 1] == _STOP:
                after = _next(codes, stop, end)
                if count > 1 and spans[count - 1, 0] == stop - 1:
                    if after >= 128 or (after > 0 and not LETTER <= KINDS[after] <= DIGIT):
                        count = _ZERO - 1
                    elif _keeps_stop(codes, spans[count - 2, 0], stop - 1, after, abbreviations, always):
                        count -= 1
                        spans[count - 1, 1] = stop
            for index in range(count):
                number = _find(codes, spans[index, 0], spans[index, 1], True, known)
                if number < 0:
                    count = number
                    break
                tokens[n + index] = number
            if count < 0:
                left[rest, 0], left[rest, 1], left[rest, 2] = begin, stop, after
                rest += 1
                tokens[n] = -rest
                count = _ZERO + 1
            n += count
            begin = stop
        token_ends[text + 1] = n
    return rest


@njit(cache=True)
def _next(codes: Codes, index: int, end: int) -> int:
    """The first character that is not a space, or 0."""
    while index < end and codes[index] == _SPACE:
        index += 1
    return int(codes[index]) if index < end else _ZERO


@njit(cache=True)
def _interact(codes: Codes, begin: int, end: int) -> bool:
    """Whether there is a control character, or a space that two marks lean on and that can serve only one of them."""
    for index in range(begin, end):
        if codes[index] < _SPACE or codes[index] == _DELETE:
            return True
        if codes[index] == _SPACE and begin < index < end - 1:
            before, after = _kind(codes, index - 1), _kind(codes, index + 1)
            if before >= COMMA and after >= COMMA and (before == after or BACKTICK in (before, after)):
                return True
    return False


@njit(cache=True)
def _run(codes: Codes, index: int, end: int, first: int, last: int) -> int:
    """Return the end of a run of characters of these kinds."""
    while index < end and first <= _kind(codes, index) <= last:
        index += 1
    return index


@njit(cache=True)
def _keeps_stop(
    codes: Codes, begin: int, end: int, after: int, abbreviations: WordTable, always: int
) -> bool:
    """Whether a full stop belongs to the word before it, given the first character of the next piece."""
    if 97 <= after <= 122:
        return True
    number = _find(codes, begin, end, False, abbreviations)
    return 0 <= number < always or (number >= always and 48 <= after <= 57)


@njit(cache=True)
def _cut_piece(codes: Codes, begin: int, end: int, spans: Integers) -> int:
    """Find the words of a piece: one or two, joined by a hyphen or parted before an apostrophe, with marks around them.

    How many there are, or -1 for a piece of another form. Full stops stand alone.
    """
    kind, n = _kind(codes, begin), _ZERO
    if (end - begin == 1 and kind != BACKTICK) or _run(codes, begin, end, STOP, STOP) == end:
        spans[0, 0], spans[0, 1] = begin, end
        return n + 1
    if kind in (OPENING, QUOTE, APOSTROPHE):
        spans[0, 0], spans[0, 1] = begin, begin + 1
        begin, n = begin + 1, n + 1
    stop = _run(codes, begin, end, LETTER, DIGIT)
    if stop == begin or (kind == APOSTROPHE and _run(codes, begin, end, LETTER, LETTER) < end):
        return _ZERO - 1
    joint = _kind(codes, stop) if stop < end else _ZERO
    if joint == HYPHEN or (joint == APOSTROPHE and _kind(codes, stop - 1) == LETTER):
        spans[n, 0], spans[n, 1] = begin, stop
        n += 1
        # The apostrophe belongs to the second word, and letters only follow it.
        begin, last = (stop + 1, DIGIT) if joint == HYPHEN else (stop, LETTER)
        stop = _run(codes, stop + 1, end, LETTER, last)
        if stop == begin + (joint == APOSTROPHE):
            return _ZERO - 1
    spans[n, 0], spans[n, 1] = begin, stop
    return _cut_marks(codes, stop, end, spans, n + 1)


@njit(cache=True)
def _cut_marks(codes: Codes, begin: int, end: int, spans: Integers, n: int) -> int:
    """Add the marks behind a word: full stops together, a comma, or others one by one; how many words there are."""
    if begin == end:
        return n
    if _run(codes, begin, end, STOP, STOP) == end or (begin + 1 == end and _kind(codes, begin) == COMMA):
        spans[n, 0], spans[n, 1] = begin, end
        return n + 1
    if _run(codes, begin, end, MARK, QUOTE) < end:
        return _ZERO - 1
    for index in range(begin, end):
        spans[n, 0], spans[n, 1] = index, index + 1
        n += 1
    return n
