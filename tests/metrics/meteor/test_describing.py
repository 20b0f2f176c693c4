from __future__ import annotations

import pytest

from dialeval.metrics.meteor.describing import Synonyms

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
