"""Numbers of a text with their units, dates, days of the week and times of day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from dialeval.metrics.facts.passage import Fact, Kind, Passage
from dialeval.text.english import MONTHS, ORDINALS, PLAIN_WORDS, half_said


class _Unit(NamedTuple):
    family: str
    factor: float


_FAMILIES: Final[Mapping[str, Mapping[str, float]]] = {
    "second": {"second": 1, "sec": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800},
    "month": {"month": 1, "year": 12, "yr": 12},
    "gram": {"g": 1, "gram": 1, "kg": 1000, "tonne": 1e6},
    "ounce": {"oz": 1, "ounce": 1, "lb": 16},
    "metre": {"mm": 0.001, "cm": 0.01, "m": 1, "metre": 1, "meter": 1, "km": 1000},
    "inch": {"inch": 1, "foot": 12, "yard": 36},
    "mile": {"mile": 1},
    "litre": {"ml": 0.001, "millilitre": 0.001, "litre": 1, "liter": 1},
    "byte": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    "hertz": {"mhz": 1e6, "ghz": 1e9},
    "watt": {"watt": 1, "kw": 1000},
    "degree": {"degree": 1, "celsius": 1},
    "fahrenheit": {"fahrenheit": 1},
}
UNITS: Final = {
    name: _Unit(family, factor) for family, units in _FAMILIES.items() for name, factor in units.items()
}
"""Units that convert into each other within a family; others are words like any."""
_CURRENCIES: Final = {
    **{sign: sign for sign in "$£€¥₹"},
    **dict.fromkeys(("yen", "jpy"), "¥"),
    **dict.fromkeys(("rupee", "inr"), "₹"),
    **dict.fromkeys(("pence", "penny"), "£"),
    **{code: code for code in ("chf", "cad", "aud", "sek", "nok", "dkk", "pln", "brl", "mxn")},
    "franc": "chf",
}
_CENTS: Final = {"cent": "", "pence": "£", "penny": "£"}
"""Hundredths, and of which currency; cents are of several."""
_SCALES: Final = {"k": 1e3, "thousand": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9}
_ADJECTIVES: Final = frozenset({"business", "working", "calendar", "full", "whole", "more", "additional"})
_JOINTS: Final = frozenset({"to", "and", "or", "through", "until"})
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_EXACT: Final = 15
"""Digits that a float holds; longer numbers are codes, not quantities."""
_MARKER: Final = re.compile(r"(?:^|\n)[ \t]*$")
_SMALL_WORDS: Final = {
    "both": 2.0,
    "couple": 2.0,
    "twice": 2.0,
    "once": 1.0,
    "first": 1.0,
    "second": 2.0,
    "third": 3.0,
    "1": 1.0,
}


class _UnitPhrase(NamedTuple):
    """Unit of a number, and the last word that says so."""

    kind: Kind
    unit: str
    factor: float
    """Of the unit within its family, and of a word such as million."""
    scale: float
    """Of the word alone."""
    last: int


def quantities_in(passage: Passage) -> Iterator[Fact]:
    """The numbers that are neither dates nor times, in order; "a week", "half" and "twice" only confirm."""
    index = 0
    while index < len(passage.words):
        if passage.taken[index]:
            index += 1
        elif len(passage.words[index]) > _EXACT and passage.words[index].isdecimal():
            passage.take(index, index)
            yield passage.fact("address", (index, index), (passage.words[index],), "code")
            index += 1
        elif _NUMBER.fullmatch(passage.words[index]) and not _is_marker(passage, index):
            facts, index = _read(passage, index)
            yield from facts
        else:
            yield from _loose(passage, index)
            index += 1


def _is_marker(passage: Passage, index: int) -> bool:
    """Whether the number only counts the lines of a list."""
    end = passage.tokens.ends[index]
    following = passage.plain[end : end + 2]
    return (
        passage.in_digits(index)
        and following[:1] in (".", ")")
        and (following[1:] or " ").isspace()
        and _MARKER.search(passage.gap(index)) is not None
        and end + 1 < len(passage.plain.rstrip())
    )


def _read(passage: Passage, index: int) -> tuple[list[Fact], int]:
    """The quantity at a word, or the two ends of a range, and the next word to look at."""
    if passage.words[index] == "1" and not passage.in_digits(index) and not _counts_unit(passage, index):
        return list(_loose(passage, index)), index + 1  # "this one", "one of us"
    other = _range_end(passage, index)
    measured = _measured(passage, index)
    if other is None:
        fact, last = _quantity(passage, index, measured)
        return [fact], last + 1
    ends = _measured(passage, other)
    if measured.kind == "number" and not measured.unit:
        measured = ends._replace(last=index)
    elif ends.kind == "number" and not ends.unit:
        ends = measured._replace(last=other)
    first, _ = _quantity(passage, index, measured)
    second, last = _quantity(passage, other, ends)
    return [first._replace(cue=second.cue), second], last + 1


def _counts_unit(passage: Passage, index: int) -> bool:
    following = _measured(passage, index)
    return bool(following.unit) or following.kind != "number"


def _range_end(passage: Passage, index: int) -> int | None:
    """The number at the other end of a range that begins here: 5-7, five to seven."""
    following = index + 1
    if passage.word(following) in _JOINTS and passage.joined(following):
        following += 1
    elif passage.gap(following).strip() not in ("-", "–", "—"):
        return None
    number = _NUMBER.fullmatch(passage.word(following))
    return following if number and not passage.taken[following] and passage.joined(following) else None


def _measured(passage: Passage, index: int) -> _UnitPhrase:
    gap = passage.gap(index + 1)
    if gap.lstrip().startswith("%") or passage.word(index + 1) in ("percent", "pct"):
        last = index + (not gap.lstrip().startswith("%"))
        return _UnitPhrase("percent", "%", 1, 1, last)
    if passage.word(index + 1) == "per" and passage.word(index + 2) == "cent":
        return _UnitPhrase("percent", "%", 1, 1, index + 2)
    scale, last = _scale(passage, index)
    sign = _CURRENCIES.get(passage.word(index - 1)) or _CURRENCIES.get(passage.gap(index)[-1:].strip())
    if sign and passage.joined(index):
        if not scale and passage.gap(index + 1) == "" and passage.word(index + 1) in ("m", "b"):
            scale, last = {"m": 1e6, "b": 1e9}[passage.word(index + 1)], index + 1
        return _UnitPhrase("money", sign, scale or 1, scale or 1, last)
    scale = scale or 1
    following = passage.word(last + 1) if passage.joined(last + 1) else ""
    if following in _CENTS:
        return _UnitPhrase("money", _CENTS[following], scale / 100, scale, last + 1)
    if following in _CURRENCIES or passage.gap(last + 1).strip()[:1] in ("¥", "₹"):
        sign = _CURRENCIES.get(following) or passage.gap(last + 1).strip()[:1]
        return _UnitPhrase("money", sign, scale, scale, last + (following in _CURRENCIES))
    if following in _ADJECTIVES and passage.joined(last + 2):
        last, following = last + 1, passage.word(last + 2)
    if following in UNITS and (following != "m" or passage.in_digits(index)):
        unit = UNITS[following]
        return _UnitPhrase("number", unit.family, scale * unit.factor, scale, last + 1)
    return _UnitPhrase("number", "", scale, scale, last)


def _scale(passage: Passage, index: int) -> tuple[float | None, int]:
    following = passage.word(index + 1)
    if (
        following in _SCALES
        and passage.joined(index + 1)
        and (following != "k" or not passage.gap(index + 1))
    ):
        return _SCALES[following], index + 1
    return None, index


def _quantity(passage: Passage, index: int, measured: _UnitPhrase) -> tuple[Fact, int]:
    """The quantity whose number stands at a word, smaller units after it included, and its last word."""
    amount, last = float(passage.words[index]) * measured.factor, measured.last
    more = last + 1 + (passage.word(last + 1) == "and")
    following = passage.word(more)
    if _NUMBER.fullmatch(following) and passage.joined(more) and not passage.taken[more]:
        smaller = _measured(passage, more)
        hundredths = measured.kind == "money" and not passage.in_digits(more) and smaller.last == more
        if (
            smaller.kind == measured.kind == "number"
            and smaller.unit == measured.unit != ""
            and smaller.factor < measured.factor
        ) or (measured.kind == smaller.kind == "money" and smaller.factor == measured.factor / 100):
            amount, last = amount + float(following) * smaller.factor, smaller.last
        elif hundredths and last > index and more == last + 1 and float(following) < 100:
            amount, last = amount + float(following) * measured.factor / 100, more
    first = index - (
        measured.kind == "money" and passage.word(index - 1) in _CURRENCIES and passage.joined(index)
    )
    passage.take(first, last)
    cue = "" if measured.unit else _cue(passage, index, last)
    value = (float(f"{amount:.9g}"), measured.unit, float(passage.words[index]) * measured.scale)
    return passage.fact(measured.kind, (first, last), value, cue), last


def _cue(passage: Passage, first: int, last: int) -> str:
    """The thing that is counted, else the word before the number: guests, gate."""
    if passage.joined(last + 1) and passage.word(last + 1) not in PLAIN_WORDS:
        return f"{passage.word(last + 1)}+"
    before = passage.word(first - 1) if passage.joined(first) else ""
    return before if before not in PLAIN_WORDS else ""


def _loose(passage: Passage, index: int) -> Iterator[Fact]:
    """Yield quantities that a word says without a number: half an hour, a week, both."""
    word, following = passage.words[index], passage.word(index + 1)
    if word == "half":
        unit = UNITS.get(passage.word(index + 2)) if following in ("a", "an") else None
        if unit is not None:
            passage.take(index, index + 2)
            yield passage.fact("number", (index, index + 2), (unit.factor / 2, unit.family, 0.5))
            return
        yield passage.fact("percent", (index, index), (50.0, "%", 50.0), soft=True)
        yield passage.fact("number", (index, index), (0.5, "", 0.5), soft=True)
    elif word in ("a", "an", "1", "each", "every", "per") and following in UNITS:
        unit = UNITS[following]
        yield passage.fact("number", (index, index + 1), (unit.factor, unit.family, 1.0), soft=True)
    elif word in _SMALL_WORDS:
        yield passage.fact("number", (index, index), (_SMALL_WORDS[word], "", _SMALL_WORDS[word]), soft=True)


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
_BETWEEN_TIMES: Final = frozenset({"to", "and", "until", "till", "or"})
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
    if passage.word(following) in _BETWEEN_TIMES:
        following += 1
    elif passage.gap(following).strip() not in ("-", "–"):
        return False
    return _CLOCK.fullmatch(passage.word(following)) is not None
