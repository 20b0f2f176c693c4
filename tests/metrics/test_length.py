from __future__ import annotations

import pytest

from dialeval import Length
from dialeval.data.types import Example, Response


@pytest.mark.parametrize(
    ("text", "words"), [("", 0), (" \n", 0), ("Well, yes.", 2), ("a  b\tc", 3), ("東京へ", 1)]
)
def test_words_are_counted_between_white_space(text: str, words: int) -> None:
    assert Length().statistics([Example("i", "s", (), Response(text))]).tolist() == [[words, 1]]


def test_no_direction_is_better_and_no_reference_is_needed() -> None:
    assert Length().higher_is_better is None
    assert Length().unscorable(Example("i", "s", (), Response(""))) is None
