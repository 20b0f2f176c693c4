"""When two utterances count as the same, and when lengths are too far apart."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.selection.drafting.retrieval import CandidateRules
from dialeval.selection.repository.words import words

TEXTS = st.lists(st.sampled_from("abcde"), max_size=8)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("I'm fine, thanks.", "i am fine , thanks !", True),  # Dice 6 / 7
        ("Thank you very much.", "Thank you very much, sir.", True),  # Dice 8 / 9
        (
            "Thank you very much.",
            "Oh, well, thank you very much indeed, doctor.",
            True,
        ),  # all of it, 8 <= 2 * 4
        ("Thank you very much.", "I would like to thank you very much for all of it.", False),  # 12 > 2 * 4
        ("I believe it happened last night.", "I thought that would happen last night.", False),
        ("Mom, I'll be finished soon.", "You are to be finished very soon.", False),
        ("See you next week.", "Same time next week?", False),
        ("", "", True),
        ("", "Yes.", False),
    ],
)
def test_the_same_by_example(one, other, alike):
    assert CandidateRules().alike(words(one), words(other)) is alike


@pytest.mark.parametrize(("length", "fits"), [(5, False), (6, True), (9, True), (13, True), (14, False)])
def test_a_candidate_for_nine_words_has_six_to_thirteen(length, fits):
    assert CandidateRules().fits(["w"] * length, ["w"] * 9) is fits


@given(TEXTS, TEXTS)
def test_likeness_goes_both_ways_and_each_is_like_itself(one, other):
    rules = CandidateRules()
    assert rules.alike(one, other) == rules.alike(other, one)
    assert rules.alike(one, one)
    assert rules.repeats(one, [other, one])
    assert not rules.repeats(one, [])
