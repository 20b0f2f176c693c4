"""Features of whole dialogues."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.data.types import Dialogue, Turn
from dialeval.selfeval.quality.dialogue_features import PLEASED, PUZZLED, partner_turns, reaction, variety
from dialeval.selfeval.quality.moments import talk_of
from dialeval.selfeval.quality.rows import feature_rows


def dialogue(*texts: str) -> Dialogue:
    speakers = ("user", "assistant")
    return Dialogue("1", tuple(Turn(speakers[place % 2], text) for place, text in enumerate(texts)), "s")


def test_variety_is_different_words_over_the_root_of_all() -> None:
    talk = talk_of(
        dialogue("Hi", "the cat sat", "Oh", "the cat ran"),
        dict.fromkeys(["Hi", "the cat sat", "Oh", "the cat ran"], np.zeros(2)),
    )
    assert variety(talk) == pytest.approx(4 / math.sqrt(6))


def test_the_other_side_reacts_only_after_it_was_answered() -> None:
    texts = ["Hi", "Hello", "Fine", "Good"]
    talk = talk_of(dialogue(*texts), dict.fromkeys(texts, np.zeros(2)))
    assert [said.text for said in partner_turns(talk)] == ["Fine"]


def test_where_both_sides_are_judged_nobody_reacts() -> None:
    turns = (Turn("A", "Hi"), Turn("B", "Hello"), Turn("A", "Bye"))
    talk = talk_of(Dialogue("1", turns, ""), dict.fromkeys(["Hi", "Hello", "Bye"], np.zeros(2)))
    assert math.isnan(reaction(talk))


def test_a_pleased_user_reacts_better_than_a_puzzled_one() -> None:
    pleased, puzzled = (
        dialogue("I saw a film.", "Which one was it?", text, "I see.") for text in (PLEASED[0], PUZZLED[1])
    )
    values = feature_rows([pleased, puzzled], ["reaction"])[:, 0]
    assert values[0] > 0.3 > -0.3 > values[1]
