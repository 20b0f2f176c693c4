"""Faults of simulated users that were planted, every one found, and none in talks without any."""

from __future__ import annotations

import pytest

from dialeval.data.types import Dialogue, alternating
from dialeval.talks.faults import find_faults
from dialeval.talks.scenarios import Scenario

SCENARIO = Scenario.model_validate(
    {
        "id": "s",
        "goal": "Get a refund of 3500 euros for the lamp.",
        "facts": {
            "order number": {"value": "A-4471", "when": "asked"},
            "name": {"value": "Ada Lovelace", "when": "asked", "asked_by": ["name", "who"]},
        },
        "first": ["My lamp is broken."],
        "least": 2,
    }
)


def found(*texts, end="user", success=None, scenario=SCENARIO):
    turns = alternating(texts, last="user" if len(texts) % 2 else "assistant")
    talk = Dialogue("s/1", turns, "bot", {"scenario": "s", "end": end, "success": success})
    return [(fault.turn, fault.kind, fault.evidence) for fault in find_faults(talk, scenario)]


def test_a_faultless_talk_has_none():
    assert (
        found(
            "My lamp is broken.",
            "What is your order number, and who are you? We refund 20% from 2 May on.",
            "It is A-4471, my name is Ada Lovelace. I paid 3,500 euros, not 20% of it, on 2 May.",
            "Your refund is booked.",
            "Great, thanks!",
            success=True,
        )
        == []
    )


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        (["My lamp is broken.", "When?", "On 17 June at 9:15.", "I see.", "ok"], (3, "invented", "17")),
        (["My lamp is broken.", "How?", "Ask me at ada@x.org", "I see.", "ok"], (3, "invented", "ada@x.org")),
        (["My lamp is broken.", "How?", "I live in Berlin.", "I see.", "ok"], (3, "invented", "Berlin")),
        (
            ["My lamp is broken.", "How?", "Order A-4471.", "I see.", "ok"],
            (3, "early", "order number: A-4471"),
        ),
        (
            ["My lamp is broken.", "How?", "My lamp is broken!", "I see.", "ok"],
            (3, "repeated", "the same as turn 1"),
        ),
        (
            [
                "My lamp is broken.",
                "How?",
                "Das weiß ich nicht, es ist einfach so und nicht anders.",
                "I see.",
                "ok",
            ],
            (3, "language", "de in place of en"),
        ),
        (
            ["My lamp is broken.", "Which one?", "Bye."],
            (3, "ended_early", "the system had asked a question"),
        ),
        (["My lamp is broken."], (1, "ended_early", "1 turns of at least 2")),
        (
            ["My lamp is broken.", "Yes.", "It is a 4471.", "I see.", "ok"],
            (3, "early", "order number: A-4471"),
        ),
        (
            ["My lamp is broken.", "The order of things?", "A-4471", "I see.", "ok"],
            (3, "early", "order number: A-4471"),
        ),
    ],
)
def test_each_planted_fault_is_found(texts, fault):
    assert fault in found(*texts)


def test_a_user_who_goes_on_after_success_is_seen():
    talk = ("My lamp is broken.", "Refunded.", "ok", "Anything else?")
    assert found(*talk, end="limit", success=True) == [(4, "never_ended", "went on to the limit of 12 turns")]
    assert found(*talk, end="limit", success=False) == []


def test_scripted_turns_are_the_scenarios_own():
    scripted = SCENARIO.model_copy(update={"first": ("I am Bob, order 99.", "Room 7.")})
    assert found("I am Bob, order 99.", "Yes.", "Room 7.", "Fine.", "ok", scenario=scripted) == []


def test_what_only_looks_like_a_fault_is_none():
    five = SCENARIO.facts["order number"].model_copy(update={"value": "5"})
    room = SCENARIO.model_copy(update={"facts": {"room": five}})
    assert (
        found("My lamp is broken.", "Yes, 15:30.", "No problem, merci, 15:30", "Ok.", "ok", scenario=room)
        == []
    )
    german = Scenario.model_validate({"id": "s", "goal": "Eine Lampe kaufen.", "language": "de"})
    said = (
        "Guten Tag, ich suche eine Lampe.",
        "Gern.",
        "Haben Sie auch kleine Tische und Stühle?",
        "Ja.",
        "Danke",
    )
    assert found(*said, scenario=german) == []
