"""Word sequences that say a duration in hours or minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dialeval.text.spelling.tokens import Words, tokenise

_DURATION: Final = re.compile(
    r"(?:(?P<hours>\d{1,3})\s*(?:h|hrs?|hours?)\.?)?(?:\s*(?:and|,)?\s*(?P<minutes>\d{1,4})\s*(?:min|mins|minutes?)\.?)?"
    r"|(?P<short_hours>\d{1,3})\s*h\s*(?P<short_minutes>\d{1,2})\s*m?"
)
_PARTS: Final = {
    15: ("quarter of an hour",),
    30: ("half an hour", "half a hour"),
    45: ("three quarters of an hour",),
}


def duration_spellings(value: str) -> Iterator[Words]:
    """Every word sequence that says the duration; none of other values.

    >>> [" ".join(words) for words in duration_spellings("90 minutes")][:4]
    ['90 minute', '1 hour 30 minute', '1 hour and 30 minute', '1 hour 30']
    """
    match = _DURATION.fullmatch(value.strip().lower())
    if match is None or not any(match.groups()):
        return
    hours, minutes = (match[part] or match[f"short_{part}"] or "0" for part in ("hours", "minutes"))
    total = 60 * int(hours) + int(minutes)
    for phrase in dict.fromkeys(_phrases(total)):
        yield tokenise(phrase).words


def _phrases(total: int) -> Iterator[str]:
    yield f"{total} minutes"
    yield from _PARTS.get(total, ())
    hours, minutes = divmod(total, 60)
    if not hours:
        return
    for whole in (f"{hours} hours", *(("an hour", "a hour") if hours == 1 else ())):
        if not minutes:
            yield whole
            continue
        yield from (f"{whole} {minutes} minutes", f"{whole} and {minutes} minutes", f"{whole} {minutes}")
        if minutes == 30:
            yield f"{whole} and a half"
    if minutes:
        yield from (
            f"{hours}h{minutes}m",
            f"{hours}h {minutes}m",
            f"{hours}h{minutes:02}",
            f"{hours} h {minutes}",
        )
        yield from (f"{hours}h{minutes}min", f"{hours} h {minutes} min")
    if minutes == 30:
        yield from (f"{hours}.5 hours", f"{hours} and a half hours")
