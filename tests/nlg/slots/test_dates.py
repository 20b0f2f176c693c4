"""Dates in other words, by hand."""

from __future__ import annotations

import pytest

from dialeval.nlg.slots.dates import date_spellings
from dialeval.text.spelling.tokens import tokenise


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
