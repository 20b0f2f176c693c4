from __future__ import annotations

import pytest

from dialeval.metrics.meteor.lexicon import lines_of
from dialeval.metrics.meteor.stemming import stem
from dialeval.metrics.meteor.tables import load_tables


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
