"""Denials of properties, by hand."""

from __future__ import annotations

import pytest

from dialeval.nlg.slots.negation import is_denied
from dialeval.text.spelling import tokenise


@pytest.mark.parametrize(
    ("text", "word", "denied"),
    [
        ("it has no pool or gym", "gym", True),
        ("it has no pool, gym or sauna", "gym", True),
        ("it has no pool, gym or sauna", "sauna", True),
        ("it has no free wifi, pool, or heated sauna", "sauna", True),
        ("it doesn't have a pool, a gym or parking", "gym", True),
        ("neither a pool, a gym nor a sauna", "sauna", True),
        ("you won't be without a pool or gym", "gym", False),
        ("it has no pool, but a gym or sauna", "gym", False),
        ("it has no pool. A gym or sauna is near", "sauna", False),
        ("it has no pool; a gym or sauna is near", "sauna", False),
        ("it has no pool, the gym is open", "gym", False),
        ("no matter if you want a pool or gym", "gym", False),
        ("a pool or gym", "gym", False),
    ],
)
def test_lists(text: str, word: str, denied: bool) -> None:
    tokens = tokenise(text)
    place = tokens.words.index(word)
    assert is_denied(text, tokens, place, place + 1) is denied
