"""The n-grams of many texts by number: equal ones have equal numbers, different ones do not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dialeval.text.ngrams.symbols import Symbols


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
