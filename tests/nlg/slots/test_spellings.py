"""Dates in other words, by hand; durations in other words, by hand."""

from __future__ import annotations

import pytest

from dialeval.nlg.slots.spellings import date_spellings, duration_spellings
from dialeval.text.spelling import tokenise


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3 May", "May 3rd"),
        ("3 May", "the third of May"),
        ("March 12th", "the 12th of March"),
        ("12th of March", "12 Mar"),
        ("Sept. 4, 2024", "4 September 2024"),
        ("Sept 4 2024", "September the 4th"),
        ("2024-05-21", "May twenty-first"),
        ("2024-05-30", "the thirtieth of May"),
    ],
)
def test_the_same_date(value: str, text: str) -> None:
    said = tokenise(text.removeprefix("the ")).words
    assert said in set(date_spellings(value))


@pytest.mark.parametrize("value", ["", "3", "mayor 3", "May", "May 45", "2024-13-01", "3 mad dogs", "2024"])
def test_other_values_are_no_dates(value: str) -> None:
    assert list(date_spellings(value)) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1 hour 5 minutes", "an hour and five minutes"),
        ("1 hour and 5 minutes", "65 minutes"),
        ("90 minutes", "an hour and a half"),
        ("150 min", "two and a half hours"),
        ("2 h 10 min", "two hours and ten minutes"),
        ("2h10", "2 hours 10 minutes"),
        ("130 minutes", "2h10m"),
        ("1 hour", "an hour"),
        ("30 minutes", "half an hour"),
        ("45 mins", "three quarters of an hour"),
        ("2 hours", "120 minutes"),
    ],
)
def test_the_same_duration(value: str, text: str) -> None:
    assert tokenise(text).words in set(duration_spellings(value))


@pytest.mark.parametrize("value", ["", "5", "5 m", "an hour", "10:05", "2 hotels", "8 GB", "happy hour"])
def test_other_values_are_no_durations(value: str) -> None:
    assert list(duration_spellings(value)) == []
