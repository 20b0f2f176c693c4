"""Times and numbers in words, halves of the day, and values that are swapped: by hand."""

from __future__ import annotations

import pytest

from dialeval.nlg.acts.notations import parse_act
from dialeval.nlg.slots.lexicon import build_lexicon
from dialeval.nlg.slots.matcher import match

CASES: list[tuple[str, str, dict[str, str]]] = [
    # Halves of the day.
    ("inform(departure_time=17:15)", "at 5:15 am", {"departure_time": "wrong:5:15"}),
    ("inform(departure_time=17:15)", "at 5:15 in the morning", {"departure_time": "wrong:5:15"}),
    ("inform(departure_time=17:15)", "at 5:15 in the evening", {}),
    ("inform(departure_time=05:15)", "at 5:15 p.m.", {"departure_time": "wrong:5:15"}),
    ("inform(departure_time='5:15 am')", "at 17:15", {"departure_time": "wrong:17:15"}),
    ("inform(departure_time=5:15)", "at 5:15 pm", {}),
    # Times and numbers in words.
    ("inform(departure_time=19:30)", "it leaves at half past seven", {}),
    (
        "inform(departure_time=19:30)",
        "at half past seven in the morning",
        {"departure_time": "wrong:half past seven"},
    ),
    ("inform(departure_time=7:45pm)", "at a quarter to eight", {}),
    ("inform(departure_time=18:05)", "at five past six", {}),
    ("inform(departure_time=8:50)", "at ten to nine", {}),
    ("inform(departure_time=7:30)", "it leaves at seven thirty", {}),
    ("inform(departure_time='7 pm')", "at seven", {}),
    ("inform(departure_time='7 pm')", "seven o'clock in the evening", {}),
    ("inform(departure_time=12:00)", "at noon", {}),
    ("inform(departure_time=00:00)", "at midnight", {}),
    ("inform(departure_time=00:00)", "at noon", {"departure_time": "missing"}),
    ("inform(price='250 dollars')", "two hundred and fifty dollars", {}),
    ("inform(price='1200 dollars')", "it is one thousand two hundred dollars", {}),
    ("inform(price='1200 dollars')", "a thousand dollars", {"price": "wrong:a thousand dollars"}),
    ("inform(customer rating=4.5)", "a rating of four point five", {}),
    # The two ends of a journey, and numbers of two things.
    (
        "inform(from_stop='Wall Street';to_stop='City Hall')",
        "from City Hall to Wall Street",
        {"from_stop": "wrong:City Hall", "to_stop": "wrong:Wall Street"},
    ),
    ("inform(from_stop='Wall Street';to_stop='City Hall')", "to City Hall, leaving Wall Street", {}),
    (
        "inform(departure_time=11:02am;arrival_time=11:40am)",
        "it arrives at 11:02 and leaves at 11:40",
        {"departure_time": "wrong:11:40", "arrival_time": "wrong:11:02"},
    ),
    ("inform(departure_time=11:02am;arrival_time=11:40am)", "departs 11:02, arrives 11:40", {}),
    (
        "inform(adults=3;children=2)",
        "for 2 adults and 3 children",
        {"adults": "wrong:2", "children": "wrong:3"},
    ),
    ("inform(adults=3;children=2)", "for three adults and two children", {}),
    (
        "inform(ram='8 GB';storage='256 GB')",
        "256 GB of RAM and 8 GB of storage",
        {"ram": "wrong:256 GB", "storage": "wrong:8 GB"},
    ),
    ("inform(ram='8 GB';storage='256 GB')", "256 GB of storage and 8 GB of RAM", {}),
    # What is in a place and what is near one.
    (
        "inform(area='Nob Hill';near='Union Square')",
        "it is in Union Square near Nob Hill",
        {"area": "wrong:Union Square", "near": "wrong:Nob Hill"},
    ),
    ("inform(area='Nob Hill';near='Union Square')", "near Union Square in the Nob Hill area", {}),
    ("inform(area=X;near=X)", "in x near x", {}),
    # Names of slots that are written without spaces.
    ("inform(bookstay=3;bookpeople=2)", "for 2 people and 3 nights", {}),
    (
        "inform(bookstay=3;bookpeople=2)",
        "for 3 people and 2 nights",
        {"bookstay": "wrong:2", "bookpeople": "wrong:3"},
    ),
    # A half of the day as a slot of its own.
    ("inform(time=7:30;ampm=pm)", "half past seven in the evening", {}),
    ("inform(time=7:30;ampm=pm)", "half past seven", {"ampm": "missing"}),
    # Two denials, and another phone number.
    ("inform(hasinternet=yes)", "you won't be without internet", {}),
    ("inform(hasinternet=no)", "you will be without internet", {}),
    ("inform(phone=4159223200)", "call 415 922 3201", {"phone": "wrong:415 922 3201"}),
    ("inform(pricerange=cheap)", "it is not expensive", {}),
]


@pytest.mark.parametrize(("act", "text", "expected"), CASES)
def test_by_hand(act: str, text: str, expected: dict[str, str]) -> None:
    meaning = parse_act(act)
    found = {
        finding.slot: f"{finding.outcome}:{' '.join(span.text for span in finding.spans)}".rstrip(":")
        for finding in match(build_lexicon([meaning]), meaning, text)
        if finding.outcome != "said"
    }
    assert found == expected
