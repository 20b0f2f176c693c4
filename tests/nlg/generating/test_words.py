from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.nlg.generating.words import join_words, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the price is 7.50 .", ["the", "price", "is", "7.50", "."]),
        ("at SLOT_ADDR, isn't it?", ["at", "SLOT_ADDR", "##,", "isn't", "it", "##?"]),
        ("(SLOT_NAME_2)", ["(", "##SLOT_NAME_2", "##)"]),
        ("£SLOT_PRICE", ["£", "##SLOT_PRICE"]),
        ("open at 10:30, daily", ["open", "at", "10:30", "##,", "daily"]),
        ("", []),
    ],
)
def test_words_by_hand(text: str, words: list[str]) -> None:
    assert list(split_words(text)) == words
    assert join_words(words) == text


pieces = st.sampled_from(
    ["SLOT_NAME", "SLOT_A_2", "cheap", ",", ".", "3", "?", "'s", "(", ")", "é", " ", " ", "-"]
)


@given(st.lists(pieces, max_size=20).map("".join))
def test_a_sentence_can_be_had_back(text: str) -> None:
    assert join_words(split_words(text)) == " ".join(text.split())


@given(st.text(max_size=30).filter(lambda text: "##" not in text))
def test_any_text_can_be_had_back(text: str) -> None:
    assert join_words(split_words(text)) == " ".join(text.split())
