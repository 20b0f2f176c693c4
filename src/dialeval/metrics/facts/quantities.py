"""Numbers of a text, with their units: counts, durations, weights, prices and percentages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from dialeval.metrics.facts.passage import Fact, Kind, Passage
from dialeval.text.spelling.function_words import PLAIN_WORDS


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


class _Measured(NamedTuple):
    """What a number counts, and the last word that says so."""

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


def _measured(passage: Passage, index: int) -> _Measured:
    gap = passage.gap(index + 1)
    if gap.lstrip().startswith("%") or passage.word(index + 1) in ("percent", "pct"):
        last = index + (not gap.lstrip().startswith("%"))
        return _Measured("percent", "%", 1, 1, last)
    if passage.word(index + 1) == "per" and passage.word(index + 2) == "cent":
        return _Measured("percent", "%", 1, 1, index + 2)
    scale, last = _scale(passage, index)
    sign = _CURRENCIES.get(passage.word(index - 1)) or _CURRENCIES.get(passage.gap(index)[-1:].strip())
    if sign and passage.joined(index):
        if not scale and passage.gap(index + 1) == "" and passage.word(index + 1) in ("m", "b"):
            scale, last = {"m": 1e6, "b": 1e9}[passage.word(index + 1)], index + 1
        return _Measured("money", sign, scale or 1, scale or 1, last)
    scale = scale or 1
    following = passage.word(last + 1) if passage.joined(last + 1) else ""
    if following in _CENTS:
        return _Measured("money", _CENTS[following], scale / 100, scale, last + 1)
    if following in _CURRENCIES or passage.gap(last + 1).strip()[:1] in ("¥", "₹"):
        sign = _CURRENCIES.get(following) or passage.gap(last + 1).strip()[:1]
        return _Measured("money", sign, scale, scale, last + (following in _CURRENCIES))
    if following in _ADJECTIVES and passage.joined(last + 2):
        last, following = last + 1, passage.word(last + 2)
    if following in UNITS and (following != "m" or passage.in_digits(index)):
        unit = UNITS[following]
        return _Measured("number", unit.family, scale * unit.factor, scale, last + 1)
    return _Measured("number", "", scale, scale, last)


def _scale(passage: Passage, index: int) -> tuple[float | None, int]:
    following = passage.word(index + 1)
    if (
        following in _SCALES
        and passage.joined(index + 1)
        and (following != "k" or not passage.gap(index + 1))
    ):
        return _SCALES[following], index + 1
    return None, index


def _quantity(passage: Passage, index: int, measured: _Measured) -> tuple[Fact, int]:
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
    """What a word says of a quantity without a number: half an hour, a week, both."""
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
