"""Hours from one time to another, as of opening: 11:00-17:00, 11 am to 5 pm, opens at eleven and closes at five."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from dialeval.text.spelling.daytime import Half, half_of_value, half_said
from dialeval.text.spelling.tokens import Tokens, clock

_TIME: Final = r"\d{1,2}(?:[:.]\d{2})?(?:\s*[ap]\.?m\b\.?)?|noon|midday|midnight"
_HOURS: Final = re.compile(rf"(?:from|between)?\s*({_TIME})\s*(?:-|–|—|to|until|till|and)\s*({_TIME})")
_IS_TIME: Final = re.compile(r":\d{2}|[ap]\.?m|noon|mid")
_ON_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}")
_NAMED: Final[dict[str, Half]] = {"noon": "pm", "midday": "pm", "midnight": "am"}
_CUES: Final = frozenset({"from", "between", "to", "until", "till", "at", "and", "by", "through", "open"})
"""Words before a number that may be an hour."""
_APART: Final = 9
"""How many words may stand between the two times."""


class Moment(NamedTuple):
    """A time on the clock of twelve hours, and the half of the day, if it is known."""

    clock: str
    half: Half

    def agrees(self, other: Moment) -> bool:
        """Whether both may be the same time."""
        return self.clock == other.clock and (not self.half or not other.half or self.half == other.half)


class Hours(NamedTuple):
    """The two ends of some hours."""

    first: Moment
    last: Moment


class _Place(NamedTuple):
    """A time in a sentence; a number without minutes is ``bare``."""

    word: int
    moment: Moment
    bare: bool


@lru_cache(maxsize=10_000)
def hours_of(value: str) -> Hours | None:
    """The hours that a value gives; None of any other value.

    >>> hours_of("11:00-17:00")
    Hours(first=Moment(clock='11:00', half='am'), last=Moment(clock='5:00', half='pm'))
    >>> hours_of("20-25") is None
    True
    """
    match = _HOURS.fullmatch(value.strip().lower())
    if match is None or not _IS_TIME.search(value.lower()):
        return None
    if any(int(hour) > 24 for hour in re.findall(r"(?<![:.\d])\d{1,2}", value)):
        return None
    first, last = (_moment_of(text) for text in match.groups())
    on_24 = re.search(r"\b(?:0\d|1[3-9]|2[0-4]):", value) and not re.search(r"[ap]\.?m", value.lower())
    if on_24:
        first, last = (moment._replace(half=moment.half or _before_one(moment)) for moment in (first, last))
    return Hours(first, last)


def _before_one(moment: Moment) -> Half:
    """The half of a time that a clock of 24 hours writes with 1 to 12."""
    return "pm" if moment.clock.startswith("12:") else "am"


def _moment_of(text: str) -> Moment:
    if text in _NAMED:
        return Moment("12:00", _NAMED[text])
    half = "am" if text.startswith("24") else half_of_value(text)
    return Moment(clock(re.sub(r"[^\d:.]", "", text).rstrip(".")), half)


def _places(text: str, tokens: Tokens) -> Iterator[_Place]:
    """Every time of the sentence, numbers among them that stand where an hour may."""
    words = tokens.words
    for index, word in enumerate(words):
        if word in _NAMED:
            yield _Place(index, Moment("12:00", _NAMED[word]), bare=False)
        elif _ON_CLOCK.fullmatch(word):
            yield _Place(index, Moment(word, half_said(text, tokens, index, index + 1)), bare=False)
        elif word.isdigit() and len(word) < 3 and int(word) < 25 and index and words[index - 1] in _CUES:
            half: Half = "pm" if int(word) > 12 else half_said(text, tokens, index, index + 1)
            yield _Place(index, Moment(clock(word), half), bare=True)


def find_hours(text: str, tokens: Tokens, hours: Hours) -> tuple[int, int] | None:
    """The places of the two words that say both ends, in this order and not far from each other."""
    places = list(_places(text, tokens))
    for one in places:
        if not one.moment.agrees(hours.first):
            continue
        for other in places:
            if 0 < other.word - one.word <= _APART and other.moment.agrees(hours.last):
                return one.word, other.word
    return None


def other_hours(text: str, tokens: Tokens, hours: Hours) -> tuple[int, int] | None:
    """The words that say other hours, or a time that is neither end."""
    places = list(_places(text, tokens))
    for one, other in pairwise(places):
        if other.word - one.word <= _APART:
            return one.word, other.word + 1
    for place in places:
        if not place.bare and not place.moment.agrees(hours.first) and not place.moment.agrees(hours.last):
            return place.word, place.word + 1
    return None


def says_hours(text: str, tokens: Tokens, start: int, end: int, hours: Hours) -> bool:
    """Whether times from word ``start`` up to ``end`` are in the halves of the day that the hours have."""
    inside = [place.moment for place in _places(text, tokens) if start <= place.word < end]
    return len(inside) != 2 or (inside[0].agrees(hours.first) and inside[1].agrees(hours.last))
