"""Tables of pairs, against dictionaries."""

from __future__ import annotations

import random

import numpy as np

from dialeval.text.ngrams._pair_kernels import VALUE, empty_table, lengthen, seek, with_room


def test_ngrams_are_numbered_as_by_a_dictionary_while_the_table_grows() -> None:
    rng = random.Random(0)
    texts = [[rng.randrange(12) for _ in range(rng.randrange(9))] for _ in range(3_000)]
    begin = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    symbols = np.array([word for text in texts for word in text], np.int32)
    numbers = symbols.copy()
    for n in range(2, 5):
        table, used, sizes = empty_table(), 0, set()
        for first in range(0, len(texts), 10):
            table = with_room(table, used, int(begin[first + 10] - begin[first]))
            used = lengthen(table, numbers, symbols, begin, (first, first + 10), n, used)
            sizes.add(len(table))
        known: dict[tuple[int, ...], int] = {}
        expected = {
            int(begin[of]) + at: known.setdefault(tuple(text[at : at + n]), len(known))
            for of, text in enumerate(texts)
            for at in range(len(text) - n + 1)
        }
        assert {at: int(numbers[at]) for at in expected} == expected
        assert used == len(known)
        assert len(sizes) > 1


def test_pairs_that_share_a_half_are_told_apart_at_the_ends_of_the_range() -> None:
    ends = (0, 1, 2**31 - 2, 2**31 - 1)
    table = empty_table()
    for value, (left, right) in enumerate(((a, b) for a in ends for b in ends), start=1):
        row = seek(table, left, right)
        assert table[row, VALUE] == 0
        table[row] = left, right, value
    larger = with_room(table, 16, 1_000)
    found = [int(larger[seek(larger, a, b), VALUE]) for a in ends for b in ends]
    assert found == list(range(1, 17))
