"""Overlap of texts: clipped n-gram matches, lengths and longest common subsequences, all at once.

The first texts of a process are measured in plain Python, and more of them in compiled loops, with equal results:
compiling takes seconds on the first use of an installation, in which plain Python does tens of thousands of texts.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from string import ascii_lowercase, digits
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.text.tokenisers import TOKENISERS, Tokens
from dialeval.text.tokenisers.words import split_spaces

if TYPE_CHECKING:
    from dialeval.text._overlap_kernels import Others, Own


Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

ORDERS: Final = 5
"""N-grams of 1 to this many words are matched: one more than BLEU-4 needs, for smoothing that looks ahead."""
# Columns after the matches: n-grams of the response, from words on, and what else `Overlap` has.
LENGTH: Final = ORDERS
CLOSEST, ITEM, PRECISION, RECALL, F1 = range(2 * ORDERS, 2 * ORDERS + 5)
COLUMNS: Final = 2 * ORDERS + 5

# Kinds of code points.
SEPARATOR, SIGN, STOP_OR_COMMA, DIGIT, DASH = range(1, 6)

_LETTERS_AND_DIGITS: Final = frozenset(ascii_lowercase + digits)
_MOST_PLAIN: Final = 20_000
_CHUNK: Final = 16384
_SMALL_ROOM: Final = 8192


@dataclass(frozen=True, slots=True, eq=False)
class Overlap:
    """Overlap of each item's response with its references."""

    table: Floats
    """A row per item, shape (items, COLUMNS): clipped matches of 1- to 5-grams, of several references the most
    generous one's; the response's 1- to 5-grams; words of the reference closest in length, the shorter of two; 1; and
    the three below."""

    @property
    def precision(self) -> Floats:
        """The longest common subsequence over the response's words, of the best reference."""
        return self.table[:, PRECISION]

    @property
    def recall(self) -> Floats:
        """The same over the reference's words; the best reference may be another one."""
        return self.table[:, RECALL]

    @property
    def f1(self) -> Floats:
        """The best harmonic mean of the two over the references."""
        return self.table[:, F1]


def overlap(
    texts: Sequence[str], first: Integers, *, tokens: Tokens, lowercase: bool = False, coming: int = 0
) -> Overlap:
    """Return what item i's response ``texts[first[i]]`` shares with the references after it, up to ``first[i + 1]``.

    Words are those of ``tokens``; only for ``whitespace`` the subsequence is of words that single spaces part, as
    nlg-eval has it. ``coming`` is the number of items with those of calls to come, if that is known.
    """
    if lowercase:
        texts = [text.lower() for text in texts]
    compiled = _prefer_compiled(len(first) - 1, coming)
    rows = np.zeros((len(first) - 1, COLUMNS))
    for start in range(0, len(rows), _CHUNK):
        stop = min(start + _CHUNK, len(rows))
        begin, end = first[start], first[stop]
        work = compiled_rows if compiled else plain_rows
        work(texts[begin:end], first[start : stop + 1] - begin, tokens, rows[start:stop])
    return Overlap(rows)


class _Plain:
    """Number of items that this process has measured in plain Python."""

    items = 0


def _prefer_compiled(items: int, coming: int) -> bool:
    _Plain.items += items
    return max(_Plain.items, coming) > _MOST_PLAIN


def plain_rows(texts: Sequence[str], first: Integers, tokens: Tokens, rows: Floats) -> None:
    """Fill the rows, zeros before, in plain Python."""
    words = TOKENISERS[tokens](texts)
    parts = [split_spaces(text) for text in texts] if tokens == "whitespace" else words
    for row, (start, stop) in zip(rows, pairwise(first.tolist()), strict=True):
        n = len(words[start])
        counts = [count_ngrams(sentence, ORDERS) for sentence in words[start:stop]]
        row[:ORDERS] = clipped_matches(counts[0], most_generous(counts[1:]), ORDERS)
        row[LENGTH : LENGTH + ORDERS] = [max(n - less, 0) for less in range(ORDERS)]
        row[ITEM] = 1
        row[CLOSEST] = min((abs(len(sentence) - n), len(sentence)) for sentence in words[start + 1 : stop])[1]
        for other in parts[start + 1 : stop]:
            shared = lcs_length(parts[start], other)
            if shared:
                precision, recall = shared / len(parts[start]), shared / len(other)
                row[PRECISION] = max(row[PRECISION], precision)
                row[RECALL] = max(row[RECALL], recall)
                row[F1] = max(row[F1], 2 * precision * recall / (precision + recall))


def compiled_rows(texts: Sequence[str], first: Integers, tokens: Tokens, rows: Floats) -> None:
    """Fill the rows, zeros before, in compiled loops."""
    from dialeval.text._overlap_kernels import BY_SEPARATORS, BY_SIGNS, BY_SPACES, Texts, overlap_rows

    if not len(rows):
        return
    texts, kinds = _readable(texts, tokens)
    # A lone surrogate is not text, yet may stand in a string; it passes as the code point it is.
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    begin = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=begin[1:])
    rule = BY_SIGNS if tokens == "13a" else BY_SEPARATORS
    sharing = BY_SPACES if tokens == "whitespace" else rule
    room = _room(begin, first)
    room.base = overlap_rows(
        Texts(codes, begin, kinds), first, rule, sharing, room.own, room.others, room.base, rows
    )
    _kept.room = room if room.small else None


def _readable(texts: Sequence[str], tokens: Tokens) -> tuple[Sequence[str], NDArray[np.uint8]]:
    """The texts as the compiled loops can split them, and the kinds of code points to split by."""
    if tokens in ("whitespace", "none"):
        return texts, _spaces()
    if tokens == "13a":
        from dialeval.text.tokenisers.mteval import unescape

        return [unescape(text) for text in texts], _signs()
    if tokens == "google":
        return [text.lower() for text in texts], _alphanumeric()
    return [" ".join(words) for words in TOKENISERS[tokens](texts)], _spaces()


def _kinds(separates: Callable[[str], bool], higher: bool) -> NDArray[np.uint8]:
    """Return which code points are separators; no whitespace is above U+3000, and the last place is for all above."""
    kinds = np.zeros(0x3002, np.uint8)
    kinds[[separates(chr(code)) for code in range(0x3001)] + [higher]] = SEPARATOR
    return kinds


@cache
def _spaces() -> NDArray[np.uint8]:
    return _kinds(str.isspace, higher=False)


@cache
def _alphanumeric() -> NDArray[np.uint8]:
    return _kinds(lambda character: character not in _LETTERS_AND_DIGITS, higher=True)


@cache
def _signs() -> NDArray[np.uint8]:
    from dialeval.text.tokenisers.mteval import SIGNS

    kinds = _spaces().copy()
    for kind, characters in ((SIGN, SIGNS), (STOP_OR_COMMA, ".,"), (DIGIT, digits), (DASH, "-")):
        kinds[[ord(character) for character in characters]] = kind
    return kinds


@dataclass(slots=True)
class _Room:
    """Arrays that the compiled loops work in."""

    own: Own
    others: Others
    base: int = 0
    """The first number that no item has had."""

    @property
    def small(self) -> bool:
        """Whether it may be kept."""
        return len(self.own.words) + len(self.others.words) <= _SMALL_ROOM

    def holds(self, response: int, references: int, texts: int) -> bool:
        """Whether it is large enough."""
        return (
            len(self.own.words) >= response
            and len(self.others.words) >= references
            and len(self.others.stops) >= texts
        )


class _ThreadRoom(threading.local):
    """The last room of this thread, if it is small; none while it is in use.

    So loops that are interrupted leave none behind: it would hold numbers from ``base`` on.
    """

    room: _Room | None = None


_kept = _ThreadRoom()


def _room(begin: Integers, first: Integers) -> _Room:
    """Room for the longest response, and for the references of the item that has most; its user keeps it."""
    starts, texts = begin[first], int(np.diff(first).max())
    most = 2 + int((begin[first[:-1] + 1] - starts[:-1]).max())
    others = int(np.diff(starts).max()) + texts
    room, _kept.room = _kept.room, None
    if room is not None and room.holds(most, others, texts):
        return room
    return _new_room(most, others, texts)


def _new_room(response: int, references: int, texts: int) -> _Room:
    from dialeval.text._overlap_kernels import NEXT, NUMBER, SHARED, Others, Own

    slots = 1 << max(4, (2 * response - 1).bit_length())
    own = Own(
        words=np.empty((response, NEXT + 1), np.int64),
        numbers=np.full(4 * slots, -1, np.int64),
        grams=np.full((4 * slots, 2), -1, np.int64),
        tallies=np.zeros((ORDERS * response, SHARED + 1), np.int64),
        places=np.zeros(max(64, response // 32 + 2), np.uint64),
    )
    return _Room(own, Others(np.empty((references, NUMBER + 1), np.int64), np.zeros(texts, np.int64)))


Ngram: TypeAlias = tuple[str, ...]


def count_ngrams(words: Sequence[str], order: int) -> Counter[Ngram]:
    """Count each n-gram of 1 to ``order`` words."""
    counts: Counter[Ngram] = Counter()
    for n in range(1, order + 1):
        counts.update(zip(*(words[start:] for start in range(n)), strict=False))
    return counts


def most_generous(counts: Sequence[Mapping[Ngram, int]]) -> Mapping[Ngram, int]:
    """The largest count of each n-gram over several texts."""
    if len(counts) == 1:
        return counts[0]
    best: dict[Ngram, int] = {}
    for text_counts in counts:
        for ngram, count in text_counts.items():
            if count > best.get(ngram, 0):
                best[ngram] = count
    return best


def clipped_matches(counts: Mapping[Ngram, int], limits: Mapping[Ngram, int], order: int) -> list[int]:
    """Count the n-grams of each length, 1 to ``order``, that ``limits`` has too, each at most as often as there."""
    matches = [0] * order
    for ngram in counts.keys() & limits.keys():
        matches[len(ngram) - 1] += min(counts[ngram], limits[ngram])
    return matches


def lcs_length(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return the length of the longest sequence that can be read, in order, in both ``a`` and ``b``."""
    if len(a) > len(b):
        a, b = b, a
    where: dict[Hashable, int] = {}
    for index, element in enumerate(a):
        where[element] = where.get(element, 0) | 1 << index
    # Bit i of `row` is 0 where the subsequence grows by one at a[i]: one addition fills a row of the table.
    full = (1 << len(a)) - 1
    row = full
    for element in b:
        matched = row & where.get(element, 0)
        if matched:
            row = (row + matched | row - matched) & full
    return len(a) - row.bit_count()
