from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.metrics.meteor.lexicon import Lexicon, Normaliser, Table
from dialeval.metrics.meteor.words import Describer, java_hashes

NORMALISER = Normaliser(always={"Mr", "A", "etc"}, before_numbers={"No"})
WORDS = ("a", "b", "mr", "mr.", "s", ".", ",")


def tables() -> dict[str, Table]:
    texts = {
        "function_words": "a",
        "wordnet": "b\n0 1",
        "exceptions": "b\nbs",
        "prefixes": "# abbreviations\nMr\nA\netc\nNo #NUMERIC_ONLY#",
        "words": "\n".join(WORDS),
    }
    facts = Describer(*(texts[name].split("\n") for name in list(texts)[:3])).describe(WORDS)
    return {
        **{name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()},
        **facts._asdict(),
    }


LEXICON = Lexicon(tables())


def assert_words_are_the_normalisers(lexicon: Lexicon, texts: list[str]) -> None:
    """By their hashes, when words are new and again when they are known."""
    expected = [NORMALISER.words(text) for text in texts]
    for _ in range(2):
        words, ends, facts = lexicon.encode(texts)
        assert np.diff(ends).tolist() == [len(each) for each in expected]
        hashes = java_hashes([word for each in expected for word in each])
        np.testing.assert_array_equal(facts.key[words], hashes)


TEXTS = st.text(st.sampled_from("aB1.,'`-‘’“”– \u00a0\x0b?s\"京éMr:$("), max_size=14)


@settings(max_examples=500)
@given(st.lists(TEXTS, max_size=4))
def test_texts_have_the_words_that_the_normaliser_finds(texts: list[str]) -> None:
    assert_words_are_the_normalisers(LEXICON, texts)


PARTS = (
    "Mr",
    "no",
    "No",
    "don",
    "3",
    "x9",
    "'",
    "\u2019",
    "-",
    ".",
    "..",
    ",",
    "?",
    ")",
    "(",
    '"',
    "`",
    "é",
    "\x7f",
)


@pytest.mark.parametrize("length", [1, 2, 3])
def test_every_short_piece_has_the_words_that_the_normaliser_finds(length: int) -> None:
    pieces = ["".join(parts) for parts in product(PARTS, repeat=length)]
    assert_words_are_the_normalisers(
        LEXICON, [piece + after for piece in pieces for after in ("", " a", "  B", " 5", ' "a')]
    )


def test_no_text_and_empty_texts_have_no_words() -> None:
    assert LEXICON.encode([]).ends.tolist() == [0]
    assert LEXICON.encode(["", "  "]).ends.tolist() == [0, 0, 0]


def test_more_words_than_there_was_room_for_are_known() -> None:
    lexicon = Lexicon(tables())
    assert_words_are_the_normalisers(lexicon, [f"word{number} and {number}" for number in range(500)])


def test_what_was_met_is_forgotten_when_it_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon = Lexicon(tables())
    lexicon.encode(["quite new words here"])
    monkeypatch.setattr("dialeval.metrics.meteor.lexicon._MOST", 5)
    assert_words_are_the_normalisers(lexicon, ["a new word"])
    assert len(lexicon.encode(["a"]).facts.key) == len(WORDS)


def test_an_interruption_confuses_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon = Lexicon(tables())

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(lexicon._known, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            lexicon.encode(["one two"])
    with monkeypatch.context() as patch:
        patch.setattr(lexicon._pieces, "_ends", _Cut(lexicon._pieces._ends))
        with pytest.raises(KeyboardInterrupt):
            lexicon.encode(["three"])
    assert_words_are_the_normalisers(lexicon, ["four five", "two one", "three six"])


class _Cut(list[int]):
    """Ends of pieces; whoever adds one is interrupted."""

    def append(self, _end: int) -> None:
        raise KeyboardInterrupt


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


PIECE_PARTS = ("Mr", "No", "don", "3", "x9", "'", "\u2019", "-", ".", "..", ",", "?", ")", "(", '"', "s", "é")


@pytest.mark.parametrize("length", [1, 2, 3])
def test_every_short_piece_gives_the_words_that_the_searches_find(length: int) -> None:
    for parts in product(PIECE_PARTS, repeat=length):
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
