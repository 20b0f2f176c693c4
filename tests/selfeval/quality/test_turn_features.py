"""Features of responses, by hand on vectors of two dimensions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.data.types import Dialogue, Example, Response, alternating
from dialeval.selfeval.metric import SelfEval
from dialeval.selfeval.quality import turn_features as features
from dialeval.selfeval.quality.moments import Moment, Said
from dialeval.selfeval.quality.rows import feature_rows
from dialeval.selfeval.quality.words import information


def said(speaker: str, text: str, degrees: float) -> Said:
    angle = math.radians(degrees)
    return Said(speaker, text, np.array([math.cos(angle), math.sin(angle)]))


MOMENT = Moment(
    said("assistant", "I like old films a lot", 0),
    (
        said("user", "Hello there", 90),
        said("assistant", "I like films", 60),
        said("user", "Which ones do you like?", 60),
    ),
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("last_cosine", 0.5),
        ("recent_cosine", (0 + 0.5 + 0.5) / 3),
        ("partner_cosine", (0 + 0.5) / 2),
        ("own_cosine", 0.5),
        (
            "own_overlap",
            information(["i", "like", "films"]) / information(["i", "like", "old", "films", "a", "lot"]),
        ),
        ("own_repeat", 0.0),
        ("repeated_bigrams", 0.0),
        ("response_information", math.log1p(information(["i", "like", "old", "films", "a", "lot"]))),
        ("asks", 0.0),
    ],
)
def test_every_feature_by_hand(name: str, value: float) -> None:
    assert features.TURN_FEATURES[name].measure(MOMENT) == pytest.approx(value)


def test_no_feature_lacks_a_value_by_hand() -> None:
    marks = test_every_feature_by_hand.pytestmark[0].args[1]  # type: ignore[attr-defined]
    # The network of `selfeval` takes vectors of its own encoder alone; its test follows.
    assert {name for name, _ in marks} == set(features.TURN_FEATURES) - {"next_turn"}


def test_next_turn_is_the_score_of_selfeval() -> None:
    texts = [
        "Hi!",
        "Hello, how are you?",
        "Tired, I ran a race.",
        "How long was it?",
        "Ten miles.",
        "I like tea.",
    ]
    turns = alternating(texts, last="assistant")
    subjects = [Example("1", "s", turns[:-1], Response(texts[-1])), Dialogue("2", turns, "s")]
    expected = SelfEval().values(subjects)
    assert feature_rows(subjects, ["next_turn"])[:, 0] == pytest.approx(expected, abs=1e-5)
    assert expected[0] < expected[1]


def test_only_the_last_four_turns_are_recent() -> None:
    old = [said("user", f"turn {number}", 0) for number in range(3)]
    recent = [said("user", f"late {number}", 90) for number in range(4)]
    moment = Moment(said("assistant", "yes", 0), (*old, *recent))
    assert features.recent_cosine(moment) == pytest.approx(0)


def test_an_echo_of_the_other_side_gains_nothing_by_its_likeness() -> None:
    moment = Moment(said("assistant", "Which ones?", 0), (said("user", "which ones ?", 0),))
    assert features.last_cosine(moment) == 0
    assert features.partner_cosine(moment) == 0


def test_repeating_oneself_is_seen_whatever_the_punctuation() -> None:
    moment = Moment(said("a", "Oh, well.", 0), (said("a", "oh well", 0), said("b", "What?", 90)))
    assert features.own_repeat(moment) == 1
    assert features.own_cosine(moment) == pytest.approx(1)


def test_repeated_bigrams_are_those_after_the_first() -> None:
    # Pairs: so-so, so-so, so-so: one kind among three.
    moment = Moment(said("a", "so so so so", 0), (said("b", "What?", 90),))
    assert features.repeated_bigrams(moment) == pytest.approx(2 / 3)


def test_without_own_turns_likeness_to_them_is_undefined() -> None:
    moment = Moment(said("a", "yes", 0), (said("b", "What?", 90),))
    assert math.isnan(features.own_cosine(moment))
    assert features.own_overlap(moment) == 0
