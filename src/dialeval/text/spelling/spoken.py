"""Times, numbers and prices in several words: half past seven, two hundred and fifty, two euros fifty."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

SPOKEN: Final = re.compile(
    r"\b(?:past|quarter|hundred|thousand|point|o'clock|minutes? to|dozen)\b"
    r"|\b(?:at|by|until|till|before|after|around|about|from) "
    r"[a-z]+[ -](?:to|five|ten|fifteen|twenty|thirty|for?ty|fifty)\b"
    r"|\b[a-z]+(?: [a-z-]+)? [ap]m\b"
)
"""Whether a text may have any; most have none, and are not looked at further."""
_HOURS: Final = frozenset(map(str, range(1, 13)))
_MINUTES: Final = frozenset(map(str, range(1, 60)))
_AT: Final = frozenset({"at", "by", "until", "till", "before", "after", "around", "about", "from"})
_HALVES: Final = frozenset({"am", "pm"})


class Piece(NamedTuple):
    """A word of a text in one spelling, and where it stands."""

    word: str
    start: int
    end: int
    in_letters: bool
    after_mark: bool
    """Whether a comma or the like parts it from the word before."""


class _Read(NamedTuple):
    """What the first of some words say together, and how many they are."""

    word: str
    size: int


_Rule: TypeAlias = Callable[[Sequence[str], Sequence[bool], int], _Read | None]


def join_spoken(pieces: Sequence[Piece]) -> list[Piece]:
    """The words with each time and each number of several words as one: 7:30, 250, 4.5; a price as two: 12.5, €."""
    edges = [index for index, piece in enumerate(pieces) if piece.after_mark]
    runs = pairwise([0, *edges, len(pieces)])
    return [piece for start, end in runs for piece in _join_prices(list(_join(pieces[start:end])))]


def may_have_price(words: Sequence[str]) -> bool:
    """Whether a number and its currency stand before what may be hundredths."""
    for currency in CURRENCIES:
        if currency in words:
            for index in range(1, len(words) - 1):
                if words[index] == currency and words[index - 1].isdigit():
                    following = words[index + 1]
                    if following == "and" or following.isdigit():
                        return True
    return False


def _join_prices(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Twelve euros fifty, three pounds and five pence, 12 € 50."""
    words = [piece.word for piece in pieces]
    index = 0
    while index < len(pieces):
        size = _price_size(pieces, words, index)
        if not size:
            yield pieces[index]
            index += 1
            continue
        whole, currency, last = pieces[index], pieces[index + 1], pieces[index + size - 1]
        minor = next(int(word) for word in words[index + 2 :] if word.isdigit())
        yield whole._replace(word=f"{whole.word}.{minor:02}".rstrip("0").rstrip("."))
        yield currency._replace(end=last.end)
        index += size


def _price_size(pieces: Sequence[Piece], words: Sequence[str], index: int) -> int:
    """How many words from here say a price with hundredths; 0 if none do."""
    if not words[index].isdigit() or _at(words, index + 1) not in CURRENCIES:
        return 0
    if _at(words, index - 1) in CURRENCIES:  # £20-£25
        return 0
    joint = _at(words, index + 2) == "and"
    place = index + 2 + joint
    minor, following = _at(words, place), _at(words, place + 1)
    if not minor.isdigit() or not 0 < int(minor) < 100:
        return 0
    if following in _HUNDREDTHS:
        return place + 2 - index
    in_letters = pieces[place].in_letters
    is_plain = int(minor) > 9 and (following not in _COUNTED if in_letters else following in _AFTER_PRICE)
    return place + 1 - index if is_plain and not joint else 0


def _join(pieces: Sequence[Piece]) -> Iterator[Piece]:
    words, letters = [piece.word for piece in pieces], [piece.in_letters for piece in pieces]
    index = 0
    while index < len(pieces):
        read = next((found for rule in _RULES if (found := rule(words, letters, index))), None)
        if read is None:
            yield pieces[index]
            index += 1
            continue
        yield pieces[index]._replace(word=read.word, end=pieces[index + read.size - 1].end)
        index += read.size


def _at(words: Sequence[str], index: int) -> str:
    return words[index] if 0 <= index < len(words) else ""


def _parted(words: Sequence[str], letters: Sequence[bool], index: int) -> _Read | None:
    """Half past seven, a quarter to eight, five past six, ten minutes to nine."""
    minutes = {"half": "30", "quarter": "15"}.get(words[index], words[index])
    if minutes not in _MINUTES:
        return None
    named = _at(words, index + 1) == "minute"
    joint, hour = _at(words, index + 1 + named), _at(words, index + 2 + named)
    if hour not in _HOURS:
        return None
    if joint == "past" or (joint == "after" and words[index] == "quarter"):
        return _Read(_clock(int(hour), int(minutes)), 3 + named)
    certain = (
        named or words[index] == "quarter" or (_at(words, index - 1) in _AT - {"from"} and letters[index])
    )
    if joint == "to" and certain and int(minutes) < 31:
        return _Read(_clock(int(hour) - 1, 60 - int(minutes)), 3 + named)
    return None


def _told(words: Sequence[str], letters: Sequence[bool], index: int) -> _Read | None:
    """Seven o'clock, seven pm, at seven thirty, seven thirty pm."""
    if not letters[index] or words[index] not in _HOURS:
        return None
    hour, following = int(words[index]), _at(words, index + 1)
    if following == "o'clock" or following in _HALVES:
        return _Read(_clock(hour, 0), 1)
    is_told = following in _MINUTES and letters[index + 1] and (int(following) > 9)
    if is_told and (_at(words, index - 1) in _AT or _at(words, index + 2) in _HALVES):
        return _Read(_clock(hour, int(following)), 2)
    return None


def _clock(hour: int, minute: int) -> str:
    return f"{(hour - 1) % 12 + 1}:{minute:02}"


CURRENCIES: Final = ("£", "$", "€")
_HUNDREDTHS: Final = frozenset({"cent", "pence", "penny", "p", "c"})
_COUNTED: Final = frozenset(
    {"minute", "hour", "people", "person", "guest", "percent", "kg", "km", "metre", "page"}
)
"""Words after a number that is counted for itself."""
_AFTER_PRICE: Final = frozenset(
    {"", "a", "per", "each", "and", "for", "in", "on", "at", "with", "or", "but", "to"}
)
"""Words after the digits of a price's hundredths; "" is the end of the clause."""
_SCALES: Final[Mapping[str, int]] = {"dozen": 12, "hundred": 100, "thousand": 1000}


def _counted(words: Sequence[str], letters: Sequence[bool], index: int) -> _Read | None:
    """A hundred, two hundred and fifty, three thousand, two dozen."""
    first = words[index]
    if _at(words, index + 1) not in _SCALES or not (first == "a" or first.isdigit()):
        return None
    total, place = 0, index
    while True:
        number = 1 if _at(words, place) == "a" else int(words[place])
        scale = _SCALES.get(_at(words, place + 1))
        total += number * (scale or 1)
        place += 2 if scale else 1
        joint = _at(words, place) == "and"
        following = _at(words, place + joint)
        smaller = _SCALES.get(_at(words, place + joint + 1), 1)  # "a hundred and two hundred" are two numbers
        is_more = scale is not None and following.isdigit() and int(following) * smaller < scale
        if not is_more or not letters[place + joint]:
            return _Read(str(total), place - index)
        place += joint


def _decimal(words: Sequence[str], letters: Sequence[bool], index: int) -> _Read | None:
    """Four point five."""
    whole, point, part = words[index], _at(words, index + 1), _at(words, index + 2)
    if point == "point" and whole.isdigit() and part.isdigit() and letters[index]:
        return _Read(f"{whole}.{part}", 3)
    return None


_RULES: Final[tuple[_Rule, ...]] = (_parted, _told, _counted, _decimal)
