"""Texts as flat arrays of word numbers beside the vectors of just those words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.metrics.embedding.vectors import Vectors, WordVectors

Unknown: TypeAlias = Literal["mean", "skip"]
Integers: TypeAlias = NDArray[np.int64]


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
