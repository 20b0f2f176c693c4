from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.text.tokenisers.words import folded, search_terms, split_spaces, split_whitespace


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  Hello,  world!\n", ["Hello,", "world!"]),  # case and punctuation stay
        ("a\tb\nc\u3000d\u00a0e", ["a", "b", "c", "d", "e"]),  # any white space, the ideographic one too
        (" \n", []),
    ],
)
def test_white_space_of_any_kind_and_length_parts_words(text: str, words: list[str]) -> None:
    assert split_whitespace(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  a b \n", ["a", "b"]),
        ("a  b", ["a", "", "b"]),  # the second blank makes an empty word
        ("a\tb\nc", ["a\tb\nc"]),
        ("", [""]),
        ("   ", [""]),
    ],
)
def test_single_blanks_part_words(text: str, words: list[str]) -> None:
    assert split_spaces(text) == words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Isn't it 3 o'clock, Straße?", ["isn", "t", "it", "3", "o", "clock", "strasse"]),
        ("東京へ行くabc！", ["東", "京", "へ", "行", "く", "abc"]),
        ("カラオケ・バー", ["カ", "ラ", "オ", "ケ", "バ", "ー"]),  # the middle dot is no letter
        ("한국어 문장", ["한국어", "문장"]),  # Korean has blanks
        ("İstanbul", ["i̇stanbul"]),  # folding adds a mark and must not cut the word
        ("...", []),
        ("", []),
    ],
)
def test_search_terms_are_folded_words(text: str, terms: list[str]) -> None:
    assert search_terms(text) == terms


@settings(deadline=None)
@given(st.text())
def test_case_never_matters_to_search(text: str) -> None:
    # Upper-casing can change letters for good (ß becomes SS), so the folded text is what must agree with itself.
    assert all(term == term.casefold() for term in search_terms(text))


@settings(deadline=None)
@given(st.text(alphabet="ab \t\n"))
def test_both_splits_agree_where_blanks_are_single(text: str) -> None:
    joined = " ".join(text.split())
    assert split_whitespace(text) == [word for word in split_spaces(joined) if word]


def test_folded_texts_are_equal_where_only_case_and_spacing_differ() -> None:
    assert folded(" How  ARE\nyou? ") == folded("how are you?") == "how are you?"
    assert folded("how are you") != folded("how are you?")
