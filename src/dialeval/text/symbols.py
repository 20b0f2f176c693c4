"""Texts as whole numbers, one for every word, character or n-gram, so that counting needs no strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

# The last character that str.split() takes for whitespace is U+3000; whatever comes after shares the last place.
_SPACE: Final = np.array([chr(code).isspace() for code in range(0x3002)])


class Symbols(NamedTuple):
    """The symbols of many texts, and the beginning of each; one more place than texts, the last the end of all."""

    symbols: Integers
    begin: Integers


class Numbering(dict[str, int]):
    """A number for every word that is looked up, from 0; words of ``known`` keep theirs, and others come after."""

    def __init__(self, known: Mapping[str, int] | None = None) -> None:
        super().__init__()
        self._known = known or {}
        self._next = len(self._known)

    def __missing__(self, word: str) -> int:
        number = self._known.get(word)
        if number is None:
            number = self._next
            self._next += 1
        self[word] = number
        return number


def number_words(texts: Iterable[Sequence[str]], numbering: Numbering) -> Symbols:
    """The texts, each cut into words, by their words' numbers."""
    lengths: list[int] = []

    def measured() -> Iterator[Sequence[str]]:
        for words in texts:
            lengths.append(len(words))
            yield words

    # No list of all words is ever made: short-lived words stay in the processor's cache, which halves the time.
    flat = map(numbering.__getitem__, chain.from_iterable(measured()))
    return Symbols(np.fromiter(flat, np.int64), _begin(lengths))


def number_characters(texts: Sequence[str]) -> Symbols:
    """The texts by their code points, whitespace left out."""
    # A lone surrogate is not text, yet may stand in a string; it passes as the code point it is.
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
    kept = ~_SPACE[np.minimum(codes, len(_SPACE) - 1)]
    begin = np.concatenate([[0], np.cumsum(kept)])[_begin([len(text) for text in texts])]
    return Symbols(codes[kept], begin)


def _begin(lengths: Sequence[int]) -> Integers:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def number_ngrams(texts: Symbols, order: int) -> Iterator[Symbols]:
    """The texts as their n-grams, for n from 1 to ``order``; the numbers of each n count from 0."""
    symbols, begin = texts
    lengths = np.diff(begin)
    words = int(symbols.max(initial=-1)) + 1
    starts, numbers = np.arange(len(symbols)), symbols
    left = np.repeat(begin[1:], lengths) - starts
    for n in range(1, order + 1):
        if n > 1:
            longer = left >= n
            starts, left = starts[longer], left[longer]
            # Each n-gram is the (n-1)-gram at its start and one more word: a pair, so nothing is mixed up.
            pairs = numbers[longer] * words + symbols[starts + n - 1]
            numbers = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
        yield Symbols(numbers, np.concatenate([[0], np.cumsum(np.maximum(lengths - n + 1, 0))]))
