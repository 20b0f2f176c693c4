"""Amounts in other units, by hand."""

from __future__ import annotations

import pytest

from dialeval.nlg.slots.amounts import amount_of, amounts_in
from dialeval.text.spelling import tokenise


@pytest.mark.parametrize(
    ("slot", "value", "text"),
    [
        ("warranty", "24 months", "two years"),
        ("warranty_months", "24", "two years"),
        ("warranty", "18 months", "a year and a half"),
        ("warranty", "18 months", "one and a half years"),
        ("warranty", "18 months", "one year and six months"),
        ("wait", "30 minutes", "half an hour"),
        ("wait", "30 min", "a half hour"),
        ("waiting_minutes", "75", "an hour and a quarter"),
        ("wait", "45 minutes", "three quarters of an hour"),
        ("wait", "165 minutes", "two and three quarter hours"),
        ("return", "14 days", "a fortnight"),
        ("notice", "48 hours", "two days"),
        ("flour", "250 g", "a quarter of a kilo"),
        ("milk", "0.5 l", "500 millilitres"),
        ("distance", "1.1 km", "1,100 metres"),
        ("height", "6 feet", "two yards"),
    ],
)
def test_the_same_amount(slot: str, value: str, text: str) -> None:
    amount = amount_of(slot, value)
    assert amount is not None
    tokens = tokenise(text)
    assert amounts_in(tokens, amount.dimension) == [(0, len(tokens.words), amount)]


@pytest.mark.parametrize(
    ("slot", "value"),
    [
        ("year", "2012"),
        ("day", "14"),
        ("hours", "9:00-17:00"),
        ("stay", "3"),
        ("size", "5-7 days"),
        ("x", ""),
    ],
)
def test_other_values_are_no_amounts(slot: str, value: str) -> None:
    assert amount_of(slot, value) is None


@pytest.mark.parametrize(
    ("text", "dimension", "said"),
    [
        ("It is 20 euros a month", "calendar", []),
        ("open 8 hours a day", "time", ["8 hours"]),
        ("an hour and a half a day", "time", ["an hour and a half"]),
        ("a second hotel", "time", []),
        ("2 hours and 3 kg", "time", ["2 hours"]),
        ("30 days or one month", "calendar", ["one month"]),
    ],
)
def test_rates_and_ordinals_are_no_amounts(text: str, dimension: str, said: list[str]) -> None:
    tokens = tokenise(text)
    found = amounts_in(tokens, dimension)
    assert [text[tokens.starts[each.start] : tokens.ends[each.end - 1]] for each in found] == said
