from __future__ import annotations

import pytest

from dialeval.metrics.meteor.lexicon import lines_of
from dialeval.metrics.meteor.metric import load_tables
from dialeval.metrics.meteor.words import Synonyms, stem

SYNONYMS = Synonyms(
    {
        "run": "1 2",
        "goose": "3",
        "geese": "4",
        "box": "5",
        "bake": "6",
        "fly": "7",
        "wide": "8",
        "glass": "9",
        "as": "10",
    },
    {"geese": ["goose"], "ran": ["run", "missing"]},
)


@pytest.mark.parametrize(
    ("word", "synsets"),
    [
        ("run", {1, 2}),
        ("runs", {1, 2}),
        ("geese", {3, 4}),  # as it stands, and by its irregular base
        ("ran", {1, 2}),
        ("boxes", {5}),
        ("baking", {6}),
        ("flies", {7}),
        ("wider", {8}),
        ("widest", {8}),
        ("glass", {9}),  # a double s is no plural
        ("as", {10}),  # nor is a word of two letters
        ("running", set()),  # WordNet's rules do not undouble; its list of irregular forms does
        ("unknown", set()),
    ],
)
def test_synsets_of_a_word_and_its_base(word: str, synsets: set[int]) -> None:
    assert SYNONYMS.of(word) == synsets


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # From the algorithm's own page and its sample vocabulary.
        ("consign", "consign"),
        ("consigned", "consign"),
        ("consistency", "consist"),
        ("consolingly", "consol"),
        ("knightly", "knight"),
        ("knots", "knot"),
        ("generate", "generat"),
        ("generically", "generic"),
        ("communism", "communism"),
        ("arsenal", "arsenal"),
        ("hopping", "hop"),
        ("hoping", "hope"),
        ("luxuriating", "luxuri"),
        ("gas", "gas"),
        ("this", "this"),
        ("kiwis", "kiwi"),
        ("ties", "tie"),
        ("cries", "cri"),
        ("say", "say"),
        ("by", "by"),
        ("cry", "cri"),
        ("youth", "youth"),
        ("enjoying", "enjoy"),
        ("dying", "die"),
        ("news", "news"),
        ("exceed", "exceed"),
        ("exceeding", "exceed"),
        ("agreed", "agre"),
        ("feed", "feed"),
        ("bowl", "bowl"),
        ("controlling", "control"),
        ("adoption", "adopt"),
        ("apologist", "apologist"),
        ("'tis", "tis"),
        ("cat's", "cat"),
        ("'s", "'s"),
    ],
)
def test_stems_as_published(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_the_words_of_the_paraphrases_have_the_stems_of_nltk_but_for_its_slips(meteor_folder) -> None:
    snowball = pytest.importorskip("nltk.stem.snowball").SnowballStemmer("english")
    words = [word for word in lines_of(load_tables()["words"]) if word.isascii() and word.isalpha()]
    assert len(words) > 40_000
    # NLTK goes on from a longer word than it should; the jar's own stemmer gives realiz, irrat, ioniz, iodiz, sensat.
    slips = {
        *("realization", "realizations", "irrationally", "irrationality", "ionization", "iodization"),
        "sensationalism",
    }
    assert {word for word in words if stem(word) != snowball.stem(word)} == slips
