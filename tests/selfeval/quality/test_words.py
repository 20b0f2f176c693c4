"""Words and their information."""

from __future__ import annotations

import math

import pytest

from dialeval.selfeval.quality.words import information, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Well , I 'd go .", ("well", "i'd", "go")),
        ("It’s 9 o'clock!", ("it's", "9", "o'clock")),
        ("Ça va?", ("ça", "va")),
        ("... ?!", ()),
    ],
)
def test_words_are_the_same_however_a_corpus_spaces_them(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


def test_information_is_the_log_of_how_rare_each_different_word_is() -> None:
    # The table's head: 229,858 utterances, 83,663 of them with "i" and 63,851 with "the".
    assert information(["i", "the", "i"]) == pytest.approx(
        math.log(229_858 / 83_664) + math.log(229_858 / 63_852)
    )


def test_an_unknown_word_counts_as_if_it_had_occurred_once() -> None:
    assert information(["zyxwvut"]) == pytest.approx(math.log(229_858 / 2))
    assert information([]) == 0
