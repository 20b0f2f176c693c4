"""Dates, days of the week and times of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from dialeval.metrics.facts.passage import Fact, Passage
from dialeval.text.spelling.daytime import half_said
from dialeval.text.spelling.months import MONTHS, ORDINALS

_MONTHS: Final = {
    spelling: number
    for number, name in enumerate(MONTHS, start=1)
    for spelling in (name, name[:3], *(("sept",) if name == "september" else ()))
}
_WEEK: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAYS: Final = {
    **{day: day for day in _WEEK},
    **{day[:3]: day for day in _WEEK if day[:3] not in ("sun", "sat", "wed")},
    **{"tues": "tuesday", "tue": "tuesday", "weds": "wednesday", "thur": "thursday", "thurs": "thursday"},
    **{"tomorrow": "tomorrow", "yesterday": "yesterday"},
}
_GROUPS: Final = {"weekday": _WEEK[:5], "weekend": _WEEK[5:], "daily": _WEEK, "everyday": _WEEK}
_ORDINALS: Final = {word: number for number, word in enumerate(ORDINALS, start=1)} | {"thirtieth": 30}
_ISO: Final = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_NUMERIC: Final = re.compile(r"(?<![\d/.])(\d{1,2})([/.])(\d{1,2})(?:\2(\d{4}|\d{2}))?(?![\d/]|\.\d)")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})")
_DAYTIME: Final = frozenset({"morning", "afternoon", "evening", "night", "tonight"})
_JOINTS: Final = frozenset({"to", "and", "until", "till", "or"})
_BEFORE: Final = frozenset({"at", "until", "till", "by", "from", "to", "before", "after", "between", "and"})


def moments_in(passage: Passage) -> Iterator[Fact]:
    """Dates first, then days of the week, then times, so that no digit counts twice."""
    yield from _in_digits(passage)
    yield from _in_words(passage)
    yield from _weekdays(passage)
    yield from _times(passage)


def _in_digits(passage: Passage) -> Iterator[Fact]:
    for match in _ISO.finditer(passage.plain):
        year, month, day = map(int, match.groups())
        if _is_date(month, day):
            yield _dated(passage, match.span(), ((year, month, day),))
    for match in _NUMERIC.finditer(passage.plain):
        one, other, year_said = int(match[1]), int(match[3]), match[4]
        # Without a year 3.5 is a number and 24/7 a habit; a year decides, else only a slash and a day above 12.
        if not year_said and (match[2] == "." or not max(one, other) > 12 or match[0] == "24/7"):
            continue
        year_meant = None if not year_said else int(year_said) + (2000 if len(year_said) == 2 else 0)
        orders = ((one, other), (other, one)) if match[2] == "/" else ((other, one),)
        dates = tuple(
            dict.fromkeys((year_meant, month, day) for month, day in orders if _is_date(month, day))
        )
        if dates and passage.free_span(*match.span()):
            yield _dated(passage, match.span(), dates)


def _is_date(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _dated(passage: Passage, span: tuple[int, int], dates: tuple[object, ...]) -> Fact:
    passage.take_span(*span)
    return Fact("date", passage.text[span[0] : span[1]], *span, dates, "")


def _in_words(passage: Passage) -> Iterator[Fact]:
    for index, word in enumerate(passage.words):
        month = _MONTHS.get(word)
        if month is None or passage.taken[index]:
            continue
        first = last = index
        day = _day(passage, index + 1 + (passage.word(index + 1) == "the"))
        if day is not None and _near(passage, index + 1):
            last = (
                index + 1 + (passage.word(index + 1) == "the") + (day > 20 and _two_words(passage, index + 1))
            )
        else:
            before = index - 1 - (passage.word(index - 1) == "of")
            day = _day_before(passage, before) if _near(passage, index) else None
            first = index if day is None else before - (day > 20 and not passage.in_digits(before))
        year = _year(passage, last + 1)
        last += year is not None
        if day is None and year is None and not _is_month(passage, index):
            continue
        passage.take(first, last)
        yield passage.fact("date", (first, last), ((year, month, day),))


def _near(passage: Passage, index: int) -> bool:
    return index < len(passage.words) and not passage.gap(index).strip(" ,.\t")


def _two_words(passage: Passage, index: int) -> bool:
    at = index + (passage.word(index) == "the")
    return passage.word(at) in ("20", "30") and passage.word(at + 1) in _ORDINALS


def _day(passage: Passage, index: int) -> int | None:
    """The day of the month at a word: 3, third, and twenty-first as two words."""
    word = passage.word(index)
    if index < len(passage.words) and passage.taken[index]:
        return None
    if word in ("20", "30") and passage.word(index + 1) in _ORDINALS and not passage.in_digits(index):
        return int(word) + _ORDINALS[passage.word(index + 1)]
    if word in _ORDINALS:
        return _ORDINALS[word]
    return int(word) if word.isdecimal() and len(word) < 3 and 1 <= int(word) <= 31 else None


def _day_before(passage: Passage, index: int) -> int | None:
    if index < 0:
        return None
    word = passage.word(index)
    if (
        word in _ORDINALS
        and index
        and passage.word(index - 1) in ("20", "30")
        and not passage.in_digits(index - 1)
    ):
        return int(passage.word(index - 1)) + _ORDINALS[word]
    return _day(passage, index)


def _year(passage: Passage, index: int) -> int | None:
    word = passage.word(index)
    return int(word) if re.fullmatch(r"(?:19|20)\d\d", word) and _near(passage, index) else None


def _is_month(passage: Passage, index: int) -> bool:
    """Whether the name of a month stands alone for the month: "may" and "march" are also other words."""
    written = passage.written(index)
    return written[0].isupper() and len(written) > 3 and not passage.starts_sentence(index)


def _weekdays(passage: Passage) -> Iterator[Fact]:
    for index, word in enumerate(passage.words):
        if passage.taken[index]:
            continue
        if word in _WEEKDAYS and (len(word) > 4 or passage.written(index)[0].isupper()):
            passage.take(index, index)
            yield passage.fact("weekday", (index, index), (_WEEKDAYS[word],))
        named = "everyday" if word == "every" and passage.word(index + 1) == "day" else word
        for day in _GROUPS.get(named, ()):
            yield passage.fact("weekday", (index, index), (day,), soft=True)


def _times(passage: Passage) -> Iterator[Fact]:
    for index, word in enumerate(passage.words):
        if passage.taken[index]:
            continue
        if word in ("noon", "midday", "midnight"):
            passage.take(index, index)
            yield passage.fact("time", (index, index), (0, "am" if word == "midnight" else "pm"))
        elif clock := _CLOCK.fullmatch(word):
            yield from _time(passage, index, int(clock[1]), int(clock[2]))
        elif (
            word.isdecimal()
            and len(word) < 3
            and 1 <= int(word) <= 12
            and (_says_half(passage, index) or _begins_range(passage, index))
        ):
            yield from _time(passage, index, int(word), 0)
        elif (
            word.isdecimal() and len(word) < 3 and 1 <= int(word) <= 24 and passage.word(index - 1) in _BEFORE
        ):
            yield passage.fact("time", (index, index), (int(word) % 12 * 60, ""), soft=True)


def _time(passage: Passage, index: int, hour: int, minute: int) -> Iterator[Fact]:
    half = half_said(passage.plain, passage.tokens, index, index + 1)
    last = index + (passage.word(index + 1) in ("am", "pm", "o'clock"))
    passage.take(index, last)
    if not minute:  # "from 9 to 5" says the same hours
        for number in (hour, hour % 12 + 12):
            yield passage.fact("number", (index, last), (float(number), "", float(number)), soft=True)
    yield passage.fact("time", (index, last), (hour % 12 * 60 + minute, half))


def _says_half(passage: Passage, index: int) -> bool:
    """Whether a plain hour is followed by its half of the day: nine in the morning."""
    following = [passage.word(index + 1), passage.word(index + 2), passage.word(index + 3)]
    return (following[:2] == ["in", "the"] and following[2] in _DAYTIME) or following[:2] == ["at", "night"]


def _begins_range(passage: Passage, index: int) -> bool:
    """Whether a plain hour begins a range of times: 7 to 10 am, 9-5pm."""
    following = index + 1
    if passage.word(following) in _JOINTS:
        following += 1
    elif passage.gap(following).strip() not in ("-", "–"):
        return False
    return _CLOCK.fullmatch(passage.word(following)) is not None
