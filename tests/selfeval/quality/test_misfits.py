"""Turns that fit neither what was said before them nor what was said next."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.data.types import Dialogue, alternating
from dialeval.encoder.files import Weights
from dialeval.selfeval.crossencoder.reading import fit_logits
from dialeval.selfeval.quality.metric import Quality
from dialeval.selfeval.quality.misfits import MOST, misfits
from dialeval.selfeval.scorer import worst_turn

TALK = (
    "Where did you go on holiday?",
    "We spent two weeks by the sea in Portugal.",
    "Oh, how was the weather there?",
    "Yes, the printer is out of paper again.",
    "I love the beaches of Portugal.",
    "So do we, the children swam all day long.",
)


def test_the_odds_of_both_sides_are_multiplied_and_a_last_turn_has_one_side_twice(deberta: Weights) -> None:
    before, after, last = fit_logits([TALK[:4], TALK[3:5], TALK])
    expected = [MOST / (1 + np.exp(before + after)), MOST / (1 + np.exp(2 * last))]
    assert misfits(TALK, [3, 5]) == pytest.approx(expected, abs=1e-4)
    assert misfits(TALK, []).tolist() == []


def test_a_turn_about_something_else_is_the_worst_and_a_users_is_never(deberta: Weights) -> None:
    dialogue = Dialogue("d", alternating(TALK, last="assistant"), "bot")
    metric = Quality()
    assert worst_turn(dialogue, metric.turn_effects(dialogue)) == 3
    plain = Quality(base="minilm").turn_effects(dialogue)
    assert len(plain) == len(TALK)


def test_silent_turns_are_passed_over(deberta: Weights) -> None:
    with_silence = Dialogue("d", alternating((*TALK[:2], " ", *TALK[3:]), last="assistant"), "bot")
    effects = Quality().turn_effects(with_silence)
    assert len(effects) == len(TALK)
    assert np.isfinite(effects).all()
