"""Amounts with units, compared as numbers: 24 months are two years, 30 minutes half an hour, 500 g half a kilo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from dialeval.nlg.slots.spellings import words_of_name
from dialeval.text.spelling import CURRENCIES, Tokens, Words, tokenise


class Amount(NamedTuple):
    """So much of something, in the smallest of its units."""

    dimension: str
    size: float


class AmountSaid(NamedTuple):
    """An amount in a sentence, from word ``start`` up to ``end``."""

    start: int
    end: int
    amount: Amount


class _Unit(NamedTuple):
    dimension: str
    size: int


_UNITS_OF: Final[Mapping[str, Mapping[tuple[str, ...], int]]] = {
    "time": {
        ("second", "sec"): 1,
        ("minute", "mins"): 60,
        ("hour", "h", "hrs"): 3_600,
        ("day",): 86_400,
        ("week",): 604_800,
        ("fortnight",): 1_209_600,
    },
    "calendar": {("month",): 1, ("year", "yr", "yrs"): 12, ("decade",): 120},
    "mass": {
        ("mg", "milligram"): 1,
        ("g", "gram", "gramme"): 1_000,
        ("kg", "kgs"): 10**6,
        ("tonne",): 10**9,
    },
    "volume": {
        ("ml", "millilitre", "milliliter"): 1,
        ("cl", "centilitre", "centiliter"): 10,
        ("dl", "decilitre", "deciliter"): 100,
        ("l", "litre", "liter"): 1_000,
    },
    "length": {("mm",): 1, ("cm",): 10, ("m", "metre", "meter"): 1_000, ("km", "kms"): 10**6},
    "feet": {("inch",): 1, ("foot",): 12, ("yard",): 36, ("mile",): 63_360},
    "power": {("watt", "w"): 1, ("kw", "kilowatt"): 1_000},
}
_UNITS: Final = {
    name: _Unit(dimension, size)
    for dimension, units in _UNITS_OF.items()
    for names, size in units.items()
    for name in names
}
"""Units by the words of `tokenise`. A month is no number of days."""
_ONE: Final = frozenset({"a", "an"})
_PARTS: Final = {"half": 0.5, "quarter": 0.25}
_RATES: Final = frozenset({"per", "once", "twice", "time", *CURRENCIES})
"""Words after which "a month" says how often, and not how long."""


@lru_cache(maxsize=10_000)
def amount_of(slot: str, value: str) -> Amount | None:
    """The amount that a value is, also if only the slot's name has its unit; None of any other value.

    >>> amount_of("warranty", "2 years") == amount_of("warranty_months", "24") == Amount("calendar", 24)
    True
    """
    words = tokenise(value).words
    said = next(iter(_amounts(words)), None)
    if said is not None:
        return said.amount if said[:2] == (0, len(words)) else None
    number = _number(words[0]) if len(words) == 1 else None
    unit = _unit_of_name(slot) if number is not None else None
    return None if number is None or unit is None else Amount(unit.dimension, _sized(number, unit))


def _unit_of_name(slot: str) -> _Unit | None:
    """The unit in which a slot's values are, as its name says; a month or a year, unlike months, may be a date's."""
    word = words_of_name(slot)[-1]
    is_date = word in ("second", "day", "week", "month", "year", "decade") and not slot.lower().endswith("s")
    return None if is_date else _UNITS.get(word)


def amounts_in(tokens: Tokens, dimension: str) -> list[AmountSaid]:
    """Every amount of a sentence that has this dimension."""
    return [said for said in _amounts(tokens.words) if said.amount.dimension == dimension]


@lru_cache(maxsize=10_000)
def _amounts(words: Words) -> tuple[AmountSaid, ...]:
    return tuple(_each_amount(words)) if not _UNITS.keys().isdisjoint(words) else ()


def _each_amount(words: Words) -> Iterator[AmountSaid]:
    start = ended = 0
    while start < len(words):
        said = _amount_at(words, start)
        if said is None or (start and start == ended and words[start] in _ONE):  # an hour and a half a day
            start += 1
            continue
        yield said
        start = ended = said.end


def _amount_at(words: Words, start: int) -> AmountSaid | None:
    """The amount that begins at a word, with a smaller one behind it: an hour and a half, 1 year 6 months."""
    first = _simple_at(words, start)
    if first is None:
        return None
    end, size, unit = first
    then = end + 1 if words[end : end + 1] == ("and",) else end
    more = _simple_at(words, then)
    if more is not None and more[2].dimension == unit.dimension and more[2].size < unit.size:
        return AmountSaid(start, more[0], Amount(unit.dimension, size + more[1]))
    if then > end and (part := _part_at(words, then)):
        return AmountSaid(start, part[1], Amount(unit.dimension, size + _sized(part[0], unit)))
    return AmountSaid(start, end, Amount(unit.dimension, size))


def _simple_at(words: Words, start: int) -> tuple[int, float, _Unit] | None:
    """Where an amount of one unit ends that begins at a word, its size, and the unit."""
    for times, place in _times_at(words, start):
        unit = _UNITS.get(words[place]) if place < len(words) else None
        if unit is not None:
            return place + 1, _sized(times, unit), unit
    return None


def _times_at(words: Words, start: int) -> Iterator[tuple[float, int]]:
    """How many of a unit are said from a word on, and where the unit must stand: 2, 2 and a half, half a, a."""
    if start >= len(words):
        return
    if (number := _number(words[start])) is not None:
        if words[start + 1 : start + 2] == ("and",) and (part := _part_at(words, start + 2)):
            yield number + part[0], part[1]
        if words[start + 1 : start + 2] == ("quarter",):
            yield number / 4, _behind_article(words, start + 2)
        yield number, start + 1
        return
    if part := _part_at(words, start):
        yield part[0], _behind_article(words, part[1])
    elif words[start] in _ONE and _is_one(words, start):
        yield 1.0, start + 1


def _is_one(words: Words, start: int) -> bool:
    """Whether the article there counts the unit behind it: an hour; not of a letter, of "a second hotel" or a rate."""
    unit = "".join(words[start + 1 : start + 2])
    return len(unit) > 2 and unit != "second" and not _is_rate(words, start)


def _part_at(words: Words, start: int) -> tuple[float, int] | None:
    """The part of a whole that is said from a word on, and where it ends: half, a half, a quarter, 3 quarters."""
    place = start + 1 if start < len(words) and words[start] in _ONE else start
    if place < len(words) and words[place] in _PARTS:
        return _PARTS[words[place]], place + 1
    if words[start : start + 2] == ("3", "quarter"):
        return 0.75, start + 2
    return None


def _behind_article(words: Words, place: int) -> int:
    """The place behind "of a" or "a", if these stand there."""
    if words[place : place + 1] == ("of",):
        place += 1
    return place + 1 if place < len(words) and words[place] in _ONE else place


def _is_rate(words: Sequence[str], start: int) -> bool:
    """Whether "a month" says how often: 20 euros a month, 8 hours a day, once a week."""
    before = words[start - 1] if start else ""
    return before in _RATES or before in _UNITS or _number(before) is not None


def _number(word: str) -> float | None:
    return float(word) if word.replace(".", "", 1).isdecimal() and word.isascii() else None


def _sized(times: float, unit: _Unit) -> float:
    """So many of the unit in the smallest one; rounded, so that 1.1 km are 1100 m."""
    return round(times * unit.size, 6)
