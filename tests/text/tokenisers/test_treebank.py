"""Treebank words against NLTK's own, on real lines and on text made to break the shortcuts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.text.tokenisers.treebank import word_tokenize_all

nltk = pytest.importorskip("nltk", reason="NLTK is the judge of these words; install dialeval[peers]")

PIECES = [
    *[
        "a",
        "Bc",
        ".",
        "..",
        "...",
        '"',
        "'",
        "''",
        "``",
        ",",
        ":",
        ";",
        "1",
        "2,3",
        "(",
        ")",
        "[",
        "]",
        "{",
        "<",
        ">",
        "“",
        "”",
        "‘",
        "’",
        "«",
        "»",
        "„",
        "--",
        "—",
        "?",
        "!",
        "*",
        "%",
        "$",
        "&",
        "@",
        "#",
        "_",
        "-",
    ],
    *[
        "'s",
        "'S",
        "'m",
        "'d",
        "n't",
        "N'T",
        "'ll",
        "'re",
        "'VE",
        "'n",
        "cannot",
        "wanna",
        "gonna",
        "gotta",
        "lemme",
        "Gimme",
        "more'n",
        "d'ye",
        "'tis",
        "'TWAS",
    ],
    *["é", "東京", "\u0301", "Ⓐ", "²", "\u200d", "ſ", "İ"],
    *[" ", " ", " ", "  ", "\t", "\n", "\r\n", "\x1c", "\xa0", "\u2028"],
]


def nltk_words(text: str) -> list[str]:
    return list(nltk.word_tokenize(text, preserve_line=True))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  ", []),
        ("Hi.", ["Hi", "."]),
        ("e.g. this", ["e.g.", "this"]),
        ("Dr. No.  ' )", ["Dr.", "No", ".", "'", ")"]),  # the last full stop, closing marks after it
        ("It's $3.88, isn't it?", ["It", "'s", "$", "3.88", ",", "is", "n't", "it", "?"]),
        ('"Gimme", she said', ["``", "Gim", "me", "''", ",", "she", "said"]),
        ('""', ["``", "``"]),  # only the very first mark is where a text begins
        ('a ""', ["a", "``", "''"]),
        ('a\t"b', ["a", "''", "b"]),  # a tab opens no quotation
        ("'Tis the dogs' 'bone'", ["'", "Tis", "the", "dogs", "'", "'", "bone", "'"]),
        ("I wanna", ["I", "wan", "na"]),
        ("東京です。", ["東京です。"]),
    ],
)
def test_words_by_hand(text: str, words: list[str]) -> None:
    assert word_tokenize_all([text]) == [words] == [nltk_words(text)]


def test_every_real_line_has_nltks_words(real_lines: list[str]) -> None:
    lines = real_lines[::9]
    assert len(lines) > 5000
    ours = word_tokenize_all(lines)
    unlike = [(line, words) for line, words in zip(lines, ours, strict=True) if words != nltk_words(line)]
    assert unlike == []


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=10).map("".join))
def test_awkward_text_has_nltks_words(text: str) -> None:
    assert word_tokenize_all([text]) == [nltk_words(text)]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=12))
def test_any_text_has_nltks_words(text: str) -> None:
    assert word_tokenize_all([text]) == [nltk_words(text)]


def test_texts_do_not_touch_each_other() -> None:
    words = word_tokenize_all(["cannot", "cannot"])
    words[0].append("more")
    assert words[1] == ["can", "not"]
    assert word_tokenize_all(["cannot"]) == [["can", "not"]]
