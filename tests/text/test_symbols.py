"""Tables of pairs, against dictionaries."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, strategies as st

from dialeval.text._pair_kernels import VALUE, empty_table, seek, with_room
from dialeval.text.symbols import Numbering, number_characters, number_ngrams, number_words


def test_words_are_numbered_as_they_come() -> None:
    symbols, begin = number_words([["a", "b", "a"], [], ["c"]], Numbering())
    assert (symbols.tolist(), begin.tolist()) == ([0, 1, 0, 2], [0, 3, 3, 4])


def test_known_words_keep_their_numbers_and_others_come_after() -> None:
    symbols, _ = number_words([["x", "b", "y", "x"]], Numbering({"a": 0, "b": 1}))
    assert symbols.tolist() == [2, 1, 3, 2]


def test_characters_are_code_points_without_white_space() -> None:
    symbols, begin = number_characters(["a \u3000b", "", "\U0001f600\n", "\ud800"])
    assert (symbols.tolist(), begin.tolist()) == ([97, 98, 0x1F600, 0xD800], [0, 2, 2, 3, 4])


def test_no_texts_have_no_symbols() -> None:
    for found in (number_words([], Numbering()), number_characters([])):
        assert (found.symbols.tolist(), found.begin.tolist()) == ([], [0])


@given(texts=st.lists(st.lists(st.sampled_from("abc"), max_size=6), max_size=6), order=st.integers(1, 4))
def test_equal_ngrams_and_only_they_have_equal_numbers(texts: list[list[str]], order: int) -> None:
    for n, (numbers, begin) in enumerate(number_ngrams(number_words(texts, Numbering()), order), start=1):
        ngrams = [[tuple(text[at : at + n]) for at in range(len(text) - n + 1)] for text in texts]
        flat = [ngram for one in ngrams for ngram in one]
        assert np.diff(begin).tolist() == [len(one) for one in ngrams]
        assert len(flat) == len(numbers)
        assert (
            len(set(zip(flat, numbers.tolist(), strict=True))) == len(set(flat)) == len(set(numbers.tolist()))
        )
        assert set(numbers.tolist()) == set(range(len(set(flat))))


def test_pairs_are_numbered_as_by_a_dictionary_while_the_table_grows() -> None:
    rng = random.Random(0)
    known: dict[tuple[int, int], int] = {}
    table, sizes = empty_table(), set()
    for _ in range(3_000):
        pair = rng.randrange(40), rng.randrange(40)
        table = with_room(table, len(known), 1)
        sizes.add(len(table))
        row = seek(table, *pair)
        assert table[row, VALUE] == known.get(pair, 0)
        table[row] = *pair, known.setdefault(pair, len(known) + 1)
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
