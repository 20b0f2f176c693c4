from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.metrics.embedding.metric import each_lower_word, lower_words, treebank_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Isn't it GREAT?", ["isn", "t", "it", "great"]),
        ("Straße", ["straße"]),  # lower-cased, not folded to strasse
        ("Λόγος", ["λόγος"]),  # the final sigma stays
        ("東京へGo", ["東", "京", "へ", "go"]),
        ("İstanbul", ["i̇stanbul"]),
        ("?! ...", []),
        ("", []),
    ],
)
def test_words_by_hand(text: str, words: list[str]) -> None:
    assert lower_words(text) == words
    assert list(each_lower_word(text)) == words


@given(st.text())
def test_words_are_the_same_all_at_once_or_one_by_one(text: str) -> None:
    assert list(each_lower_word(text)) == lower_words(text)


def test_treebank_words_keep_case_and_punctuation() -> None:
    assert treebank_words(["Don't go.", ""]) == [["Do", "n't", "go", "."], []]
