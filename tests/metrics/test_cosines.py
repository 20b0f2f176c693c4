from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from dialeval.data.types import Example, Response
from dialeval.encoder.model import Vectors
from dialeval.metrics.sentence_cosine import best_cosines

TABLE = {
    "east": (2.0, 0.0),
    "north": (0.0, 3.0),
    "slant": (0.6, 0.8),
    "west": (-1.0, 0.0),
    "nowhere": (0.0, 0.0),
}


def look_up(texts: Sequence[str]) -> Vectors:
    return np.array([TABLE[text] for text in texts], np.float32)


@pytest.mark.parametrize(
    ("text", "references", "expected"),
    [
        ("east", ["slant"], 0.6),
        ("east", ["west"], -1.0),
        ("east", ["north", "slant", "west"], 0.6),  # the nearest reference counts
        (" east\n", ["east"], 1.0),
        ("", ["east"], 0.0),
        ("east", ["", "west"], 0.0),
        ("", [" "], 1.0),
        ("nowhere", ["east"], 0.0),  # a vector without direction is like nothing
    ],
)
def test_cosines_by_hand(text: str, references: list[str], expected: float) -> None:
    example = Example("i", "s", (), Response(text), tuple(references))
    assert best_cosines([example], look_up) == pytest.approx([expected], abs=1e-7)


def test_each_text_is_encoded_once_and_in_order() -> None:
    asked: list[Sequence[str]] = []

    def note(texts: Sequence[str]) -> Vectors:
        asked.append(texts)
        return look_up(texts)

    pairs = [("north", "east"), ("east", "north"), ("east ", "slant")]
    best_cosines([Example("i", "s", (), Response(a), (b,)) for a, b in pairs], note)
    assert asked == [["east", "north", "slant"]]


def test_blank_texts_alone_ask_for_no_vectors() -> None:
    assert best_cosines([Example("i", "s", (), Response(""), ("",))], look_up) == [1.0]
    assert best_cosines([], look_up) == []
