"""Hours from one time to another, by hand."""

from __future__ import annotations

import pytest

from dialeval.nlg.slots.needs import find_hours, hours_of
from dialeval.text.spelling import tokenise


@pytest.mark.parametrize(
    ("value", "text", "said"),
    [
        ("11:00-17:00", "from 11 am to 5 pm", True),
        ("11:00 - 17:00", "11:00–17:00", True),
        ("11am-5pm", "between eleven and five", True),
        ("11 a.m. to 5 p.m.", "11-5 pm", False),  # 11 alone may be any number
        ("11:00-17:00", "from 11 to 17", True),
        ("11:00-17:00", "from 11 pm to 5 am", False),
        ("11:00-17:00", "from 5 pm to 11 am", False),
        ("09:00-12:00", "from nine until noon", True),
        ("18:00-24:00", "from 6 pm to midnight", True),
        ("12:00-15:00", "from noon to 3 pm", True),
        ("12:00-15:00", "from midnight to 3 pm", False),
        ("8-10 pm", "from 8 to 10 pm", True),
    ],
)
def test_ends(value: str, text: str, said: bool) -> None:
    hours = hours_of(value)
    assert hours is not None
    assert (find_hours(text, tokenise(text), hours) is not None) is said


@pytest.mark.parametrize(
    "value", ["20-25", "£20-25", "2019-03-01", "17:00", "Monday-Friday", "25:00-26:00", ""]
)
def test_other_values_are_no_hours(value: str) -> None:
    assert hours_of(value) is None
