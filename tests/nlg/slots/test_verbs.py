"""Verbs of properties, by hand."""

from __future__ import annotations

import pytest

from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.slots.lexicon import build_lexicon
from dialeval.nlg.slots.matcher import match


def outcome(slot: str, value: str, text: str) -> list[str]:
    act = parse_act({"act": "inform", "slots": {slot: value}})
    return [finding.outcome for finding in match(build_lexicon([act]), act, text)]


@pytest.mark.parametrize(
    ("slot", "yes", "no"),
    [
        ("delivery", "We deliver.", "We cannot deliver."),
        ("delivery", "It will be delivered.", "They never deliver."),
        ("home_delivery", "We can deliver it.", "We won't deliver it."),
        ("cancellation", "You can cancel it.", "It can't be cancelled."),
        ("installation", "They install it for you.", "We are unable to install it."),
        ("refund", "The fare is refundable.", "The fare is non-refundable."),
        ("refundable", "We refund the fare.", "We do not refund the fare."),
        ("parking", "You can park here.", "You cannot park here."),
        ("wrapping", "We wrap it.", "We don't wrap it."),
        ("insurance", "It is insured.", "It is uninsured."),
        ("repayment", "You may repay it early.", "You can't repay it early."),
    ],
)
def test_a_verb_says_what_the_noun_does(slot: str, yes: str, no: str) -> None:
    assert outcome(slot, "yes", yes) == outcome(slot, "no", no) == ["said"]
    assert outcome(slot, "no", yes) == outcome(slot, "yes", no) == ["wrong"]


@pytest.mark.parametrize(
    ("slot", "text"),
    [
        ("parking", "The park is near."),
        ("booking", "The book is in the room."),
        ("evening", "It is not even far."),
        ("linux_release", "It was released in 2012."),
    ],
)
def test_a_noun_that_looks_like_the_verb_says_nothing(slot: str, text: str) -> None:
    assert outcome(slot, "yes", text) == ["missing"]
