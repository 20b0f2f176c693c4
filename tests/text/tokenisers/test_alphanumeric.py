"""Google's ROUGE words and NLTK's Porter stems, against both."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.text.tokenisers.porter import stem
from dialeval.text.tokenisers.words import split_alphanumeric, split_stems

rouge = pytest.importorskip(
    "rouge_score.tokenizers", reason="the judge is rouge-score; install dialeval[peers]"
)
nltk = pytest.importorskip("nltk.stem", reason="the judge is NLTK; install dialeval[peers]")

SUFFIXES = [
    "ational",
    "tional",
    "enci",
    "anci",
    "izer",
    "bli",
    "alli",
    "entli",
    "eli",
    "ousli",
    "ization",
    "ation",
    "ator",
    "alism",
    "iveness",
    "fulness",
    "ousness",
    "aliti",
    "iviti",
    "biliti",
    "fulli",
    "logi",
    "icate",
    "ative",
    "alize",
    "iciti",
    "ical",
    "ful",
    "ness",
    "al",
    "ance",
    "ence",
    "er",
    "ic",
    "able",
    "ible",
    "ant",
    "ement",
    "ment",
    "ent",
    "ion",
    "ou",
    "ism",
    "ate",
    "iti",
    "ous",
    "ive",
    "ize",
    "ed",
    "ing",
    "eed",
    "ied",
    "ies",
    "sses",
    "ss",
    "s",
    "y",
    "e",
    "ll",
    "yy",
    "sed",
    "tting",
    "ying",
    "",
]
STEMS = [
    "",
    "b",
    "a",
    "st",
    "syl",
    "contr",
    "relat",
    "hop",
    "fall",
    "fil",
    "y",
    "oy",
    "enjo",
    "geo",
    "x",
    "tri",
    "sky",
]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("ties", "tie"),
        ("flies", "fli"),
        ("died", "die"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("sky", "sky"),
        ("enjoy", "enjoy"),
        ("geology", "geolog"),
        ("controlling", "control"),
        ("adoption", "adopt"),
        ("is", "is"),
    ],
)
def test_stems_by_hand(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_every_made_word_has_nltks_stem() -> None:
    stemmer = nltk.PorterStemmer()
    words = {start + one + two for start, one, two in product(STEMS, SUFFIXES, ("", "s", "ed", "ly", "ing"))}
    assert len(words) > 4000
    assert {word: stem(word) for word in words} == {word: stemmer.stem(word) for word in words}


@settings(max_examples=300, deadline=None)
@given(st.text("aeioubcstlyz", max_size=6), st.sampled_from(SUFFIXES))
def test_any_word_has_nltks_stem(start: str, suffix: str) -> None:
    assert stem(start + suffix) == nltk.PorterStemmer().stem(start + suffix)


@pytest.mark.parametrize("stemmed", [False, True])
def test_every_real_line_has_googles_words(stemmed: bool, real_lines: list[str]) -> None:
    lines, theirs = real_lines[::11], rouge.DefaultTokenizer(stemmed)
    ours = (split_stems if stemmed else split_alphanumeric)(lines)
    assert [line for line, words in zip(lines, ours, strict=True) if words != theirs.tokenize(line)] == []


@settings(deadline=None)
@given(st.text(max_size=15))
def test_any_text_has_googles_words(text: str) -> None:
    assert split_stems([text]) == [rouge.DefaultTokenizer(True).tokenize(text)]
