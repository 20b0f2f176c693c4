from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, strategies as st

from dialeval.metrics.meteor.normalising import Normaliser

NORMALISER = Normaliser(always={"Mr", "A", "etc"}, before_numbers={"No"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # Each checked against the jar's own normaliser.
        ("Hello, world!", "hello , world !"),
        ("It isn't John's; it's the 1990's.", "it isn 't john 's ; it 's the 1990 's ."),
        ("'quoted' `words` ''twice''", "' quoted ' ' words ' \" twice \""),
        ("“curly” ‘quotes’ don’t", "\" curly \" ' quotes ' don 't"),
        ("1,000.50 of 3,a and b,4", "1,000.50 of 3 , a and b , 4"),
        ("a,b,c", "a , b,c"),
        ("x , ,y", "x , ,y"),
        ("well-known state-of-the-art -- yes – no — so", "well known state of the art - yes - no — so"),
        ("U.S.-based U.S. e.g. A. etc.", "us based us eg a. etc."),
        ("a-b-c", "a b-c"),
        ("Mr. Lee Inc. was No. 5. No. Then. then", "mr. lee inc. was no. 5 . no . then. then"),
        ("wait...what.. ok. . .", "wait ... what .. ok . . ."),
        ("50% of $3 (or #4) & a_b@c.de/f?", "50 % of $ 3 ( or # 4 ) & a _ b @ c.de / f ?"),
        ("Žižek Привет 東京 ᴀ café", "žižek привет 東 京 ᴀ café"),
        ("one\u00a0two\u3000three\ttabs", "one two three tabs"),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_words_are_those_of_the_jar(text: str, words: str) -> None:
    assert NORMALISER.words(text) == words.split()


PARTS = ("Mr", "No", "don", "3", "x9", "'", "\u2019", "-", ".", "..", ",", "?", ")", "(", '"', "s", "é")


@pytest.mark.parametrize("length", [1, 2, 3])
def test_every_short_piece_gives_the_words_that_the_searches_find(length: int) -> None:
    for parts in product(PARTS, repeat=length):
        piece = "".join(parts)
        assert NORMALISER.words_of_piece(piece) == NORMALISER.words(piece), piece
        for after in " a", " B", " 5":
            if piece.endswith("."):
                assert NORMALISER.words_of_piece(piece + after) == NORMALISER.words(piece + after)[:-1], piece


@pytest.mark.parametrize("text", ["a , ,b", "1' '2", "` ’", "tab\there", "no\u00a0break"])
def test_pieces_that_lean_on_one_blank_interact(text: str) -> None:
    assert NORMALISER.interact(text)


@given(st.text())
def test_any_text_has_words_without_blanks(text: str) -> None:
    assert all(word and not set(word) & set(" \t\n\r\f") for word in NORMALISER.words(text))
