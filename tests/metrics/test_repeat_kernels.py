"""Numbers of n-grams that come more than once, against dictionaries."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from dialeval.metrics._repeat_kernels import lengthen


@pytest.mark.parametrize("at_once", [1 << 17, 100, 1])
@pytest.mark.parametrize("words", [12, 400])
def test_ngrams_are_numbered_by_their_first_place_and_those_that_come_once_are_not(
    words: int, at_once: int
) -> None:
    rng = random.Random(0)
    texts = [[rng.randrange(words) for _ in range(rng.randrange(9))] for _ in range(3_000)]
    begin = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    numbers = np.array([word for text in texts for word in text], np.int32)
    for n in range(2, 6):
        used = lengthen(numbers, begin, n, at_once)
        ngrams = {
            int(begin[index]) + place: tuple(text[place : place + n])
            for index, text in enumerate(texts)
            for place in range(len(text) - n + 1)
        }
        counts, known = Counter(ngrams.values()), dict[tuple[int, ...], int]()
        expected = {
            place: known.setdefault(ngram, len(known)) if counts[ngram] > 1 else -1
            for place, ngram in ngrams.items()
        }
        assert {place: int(numbers[place]) for place in ngrams} == expected
        assert used == len(known)


def test_texts_without_ngrams_have_no_numbers() -> None:
    numbers = np.array([0, 0, 1], np.int32)
    assert lengthen(numbers, np.array([0, 1, 2, 3]), 2, 1 << 17) == 0
    assert lengthen(np.empty(0, np.int32), np.array([0, 0]), 2, 1 << 17) == 0
