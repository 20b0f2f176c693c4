from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from dialeval.text.ngrams.symbols import Numbering, number_characters, number_ngrams, number_words


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
