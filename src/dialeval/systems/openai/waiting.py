"""Waiting times between retries."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

LONGEST: Final = 300.0
"""Seconds; a server that asks for more is not waited for."""

_CEILING: Final = 30.0


def back_off(first: float, attempt: int) -> float:
    """Seconds before attempt ``attempt`` + 1: twice as long each time, up to half a minute, and then a random share.

    At least half of it is waited, so that the server gets its rest; the random half keeps clients from coming back all
    at once.
    """
    longest = min(_CEILING, first * 2.0 ** min(attempt, 16))
    return longest * (0.5 + 0.5 * random.random())


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds the server asks to be left alone, given as a number or a date (RFC 9110, section 10.2.3)."""
    asked = headers.get("retry-after", "").strip()
    if not asked:
        return None
    try:
        return max(0.0, float(asked)) if float(asked) == float(asked) else None
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(asked)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
