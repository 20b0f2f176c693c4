"""Vectors of words, wherever they come from, and texts as numbers of those words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]

_ROWS_AT_ONCE: Final = 16384
Unknown: TypeAlias = Literal["mean", "skip"]
Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """A table of vectors, and which of its rows a word is the mean of: one row, or one for each of its pieces."""

    name: str
    sha256: str
    matrix: Vectors
    """Shape (rows, dimensions)."""
    spell: Callable[[str], tuple[int, ...]]
    """The rows whose mean is the word's vector; none for an unknown word."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        return int(self.matrix.shape[1])

    def knows(self, word: str) -> bool:
        """Whether the word has a vector."""
        return bool(self.spell(word))

    def of(self, words: Sequence[str]) -> tuple[Vectors, NDArray[np.bool_]]:
        """The words' vectors, shape (words, dimensions), and which are known; the others' are zero."""
        spelled = [self.spell(word) for word in words]
        pieces = np.fromiter(map(len, spelled), np.int64, len(spelled))
        vectors = self.matrix.take([rows[0] if rows else 0 for rows in spelled], axis=0)
        vectors[pieces == 0] = 0
        several = np.flatnonzero(pieces > 1)
        vectors[several] = self._means([spelled[index] for index in several.tolist()])
        return vectors, pieces > 0

    def mean(self) -> Vectors:
        """The mean of all rows of the table, which nlg-eval gives to every unknown word."""
        return _mean(self)

    def _means(self, spelled: Sequence[tuple[int, ...]]) -> Vectors:
        total = np.zeros((len(spelled), self.dimensions))
        # First pieces, then second ones, and so on: each word's sum is the same whatever its neighbours are.
        for place in range(max(map(len, spelled), default=0)):
            rows = [index for index, pieces in enumerate(spelled) if len(pieces) > place]
            total[rows] += self.matrix[[spelled[index][place] for index in rows]]
        counts = np.array([len(pieces) for pieces in spelled]).reshape(-1, 1)
        return np.asarray(total / np.maximum(counts, 1), np.float32)


def table(name: str, sha256: str, words: Sequence[str], matrix: Vectors) -> WordVectors:
    """Vectors with one row per word; of a word listed twice, the first row counts."""
    index: dict[str, tuple[int, ...]] = {}
    for row, word in enumerate(words):
        index.setdefault(word, (row,))
    return WordVectors(name, sha256, matrix, _Lookup(index))


@dataclass(frozen=True, slots=True)
class _Lookup:
    """The row of a word in a table, if it is there."""

    index: Mapping[str, tuple[int, ...]]

    def __call__(self, word: str) -> tuple[int, ...]:
        return self.index.get(word, ())


@lru_cache(maxsize=2)
def _mean(vectors: WordVectors) -> Vectors:
    total = np.zeros(vectors.dimensions)
    for start in range(0, len(vectors.matrix), _ROWS_AT_ONCE):
        total += vectors.matrix[start : start + _ROWS_AT_ONCE].sum(axis=0, dtype=np.float64)
    return np.asarray(total / len(vectors.matrix), np.float32)


class Encoded(NamedTuple):
    """Texts ready for the kernels."""

    matrix: Vectors
    """One row per distinct word of these texts."""
    words: Integers
    """Rows of ``matrix``, one text after the other."""
    starts: Integers
    """Where in ``words`` each text begins, and last where the last one ends."""
    lengths: Integers
    """Words of each text, known or not."""
    unknown: Integers
    """Words of each text that have no vector of their own."""


def encode(texts: Sequence[Sequence[str]], vectors: WordVectors, *, unknown: Unknown) -> Encoded:
    """The texts as numbers; unknown words get the mean of the table or are skipped."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    flat = list(chain.from_iterable(texts))
    numbers = _Numbers()
    words = np.fromiter(map(numbers.__getitem__, flat), np.int64, len(flat))
    matrix, known = vectors.of(list(numbers))
    kept = known[words]
    starts = _bounds(lengths)
    known_before = _bounds(kept)
    unknown_words = lengths - np.diff(known_before[starts])
    if unknown == "skip":
        return Encoded(matrix, words[kept], known_before[starts], lengths, unknown_words)
    if not known.all():
        matrix[~known] = vectors.mean()
    return Encoded(matrix, words, starts, lengths, unknown_words)


class _Numbers(dict[str, int]):
    """Words, numbered as they are met."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def _bounds(counts: NDArray[np.int64] | NDArray[np.bool_]) -> Integers:
    bounds = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=bounds[1:])
    return bounds
