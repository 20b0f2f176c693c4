from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from dialeval.systems.openai.sending import back_off, retry_after

NOON = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("-3", None),
        ("Sun, 15 Nov 2026 12:01:30 GMT", 90.0),
        ("Sun, 15 Nov 2026 11:00:00 GMT", 0.0),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_servers_say_when_to_come_back_by_number_or_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, NOON) == seconds
    assert retry_after({}, NOON) is None


@pytest.mark.parametrize("wrong", [NOON, NOON.replace(year=2025), NOON.replace(year=2027)])
def test_a_date_to_come_back_is_counted_from_the_servers_own_clock(wrong: datetime) -> None:
    headers = {"retry-after": "Sun, 15 Nov 2026 12:01:30 GMT", "date": "Sun, 15 Nov 2026 12:01:00 GMT"}
    assert retry_after(headers, wrong) == 30.0
    assert retry_after(headers | {"date": "yesterday"}, NOON) == 90.0


@given(first=st.floats(0, 10), attempt=st.integers(0, 5000))
def test_waits_double_up_to_half_a_minute_and_half_of_each_is_chance(first: float, attempt: int) -> None:
    longest = min(30.0, first * 2.0 ** min(attempt, 16))
    assert longest / 2 <= back_off(first, attempt) <= longest


def test_waits_are_not_all_the_same() -> None:
    assert len({back_off(1.0, 3) for _ in range(20)}) > 1
