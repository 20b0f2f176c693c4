"""Word sequences that say a date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dialeval.text.spelling.months import MONTHS, ORDINALS
from dialeval.text.spelling.tokens import Words

_ISO: Final = re.compile(r"(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})")
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_MONTH: Final = r"(?P<month>[a-z]{3,9})\.?"
_REST: Final = r"(?:,?\s+(?P<year>\d{4}))?"
_WRITTEN: Final = (
    re.compile(rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}{_REST}"),
    re.compile(rf"{_MONTH}\s+(?:the\s+)?{_DAY}{_REST}"),
)


def date_spellings(value: str) -> Iterator[Words]:
    """Every word sequence that says the date, with its year where it has one and without; none of other values.

    >>> list(date_spellings("3 May"))[:3]
    [('may', '3'), ('3', 'may'), ('3', 'of', 'may')]
    """
    text = value.strip().lower()
    for form in (_ISO, *_WRITTEN):
        date = form.fullmatch(text)
        if date and (month := _month_of(date.groupdict())) and 1 <= int(date["day"]) <= 31:
            year = date["year"]
            for words in _days(month, int(date["day"])):
                yield words
                if year:
                    yield (*words, year)
            return


def _month_of(parts: dict[str, str]) -> str | None:
    if number := parts.get("number"):
        return MONTHS[int(number) - 1] if 1 <= int(number) <= 12 else None
    start = parts["month"].removesuffix("t") if parts["month"] == "sept" else parts["month"]
    named = (month for month in MONTHS if start in (month, month[:3]))
    return next(named, None)


def _days(month: str, day: int) -> Iterator[Words]:
    for name in (month, month[:3]):
        for number in ((str(day),), _ordinal(day)):
            yield from ((name, *number), (*number, name), (*number, "of", name), (name, "the", *number))


def _ordinal(day: int) -> Words:
    """The day as `tokenise` writes it: third, and 20 first for twenty-first."""
    if day <= len(ORDINALS):
        return (ORDINALS[day - 1],)
    return ("thirtieth",) if day == 30 else (str(day - day % 10), ORDINALS[day % 10 - 1])
