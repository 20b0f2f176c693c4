"""Words of a sentence in one spelling: case, accents, plurals, numbers, times, prices, units and phone numbers.

Times, numbers and prices may also take several words: half past seven, two hundred and fifty, two euros fifty.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

Words: TypeAlias = tuple[str, ...]


class Tokens(NamedTuple):
    """The words of a text in one spelling, and their places in it."""

    words: Words
    starts: tuple[int, ...]
    ends: tuple[int, ...]


_OTHERS: Final = (
    r"|(?P<phone>\(?\b\d{3}\)?[ .\-]+\d{3}[ .\-]+\d{4}\b)"
    r"|(?P<time>\d{1,2}[:.]\d{2}(?=\s?[ap]\.?m\b)|\b\d{1,2}:\d{2}\b|\b\d{1,2}(?=\s?(?:[ap]\.?m\b|o'clock)))"
    r"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)(?:(?:st|nd|rd|th)\b)?"
    r"|(?P<currency>[£$€])"
)
_TOKEN: Final = re.compile(r"(?P<word>[^\W\d_]+\d*(?:'[^\W\d_]+|\+{1,2})?)" + _OTHERS)
_UNSPACED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    r"\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"  # Chinese, Japanese
    r"\uac00-\ud7a3"  # Korean, whose particles are joined to the word before them
)
"""Letters of scripts in which a value need not stand between spaces."""
_TOKEN_OF_ANY: Final = re.compile(
    rf"(?P<word>[{_UNSPACED}]|(?:(?![{_UNSPACED}])[^\W\d_])+\d*(?:'[^\W\d_]+|\+{{1,2}})?)" + _OTHERS
)
"""Tokens if a letter of these scripts is a word by itself, so that a value is found within a sentence."""
_HAS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_WORD: Final = 1
"""The group of words, by far the most common."""
_MARKS: Final = frozenset(",.;:!?()")
_MERIDIEM: Final = re.compile(r"\b([ap])\.m\b(\.?)")
_SUFFIXES: Final = re.compile(r"(?<= )-(?:s|es|er|ly)\b")
"""RNNLG writes plurals as two words: restaurant -s."""

_UNITS: Final = {
    **dict.fromkeys(("pound", "gbp", "£", "quid"), "£"),
    **dict.fromkeys(("dollar", "usd", "$", "buck"), "$"),
    **dict.fromkeys(("euro", "eur", "€"), "€"),
    **dict.fromkeys(("inche",), "inch"),
    **dict.fromkeys(("kilogram", "kilo"), "kg"),
    **dict.fromkeys(("gigabyte",), "gb"),
    **dict.fromkeys(("terabyte",), "tb"),
    **dict.fromkeys(("megabyte",), "mb"),
    **dict.fromkeys(("gigahertz",), "ghz"),
    **dict.fromkeys(("kilometre", "kilometer"), "km"),
    **dict.fromkeys(("centimetre", "centimeter"), "cm"),
    **dict.fromkeys(("millimetre", "millimeter"), "mm"),
    **dict.fromkeys(("feet", "ft"), "foot"),
    **dict.fromkeys(("sq",), "square"),
    **dict.fromkeys(("hr",), "hour"),
    **dict.fromkeys(("min",), "minute"),
    "center": "centre",
    "theater": "theatre",
    "color": "colour",
    "children": "child",
    "cheaply": "cheap",
    "highly": "high",
    "expensively": "expensive",
    "moderately": "moderate",
    "reasonably": "reasonable",
    "tv": "television",
    "ave": "avenue",
    "st": "street",
    "rd": "road",
    "blvd": "boulevard",
    "o'clock": "o'clock",
}
_UNITS_AND_TEENS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_SMALL: Final = _UNITS_AND_TEENS.split()
_ALL_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS: Final = {word: 10 * number for number, word in enumerate(_ALL_TENS.split(), start=2)}
_NUMBERS: Final = {word: str(number) for number, word in enumerate(_SMALL)} | {
    word: str(number) for word, number in _TENS.items()
}


@lru_cache(maxsize=200_000)
def word_of(text: str) -> str:
    """One word in its spelling: lower case, no accents, singular, numbers as digits."""
    plain = text.casefold()
    if not plain.isascii():
        plain = "".join(
            mark for mark in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(mark)
        )
    plain = plain.removesuffix("'s")
    if plain in _NUMBERS:
        return _NUMBERS[plain]
    return _UNITS.get(plain) or _UNITS.get(single := _singular(plain)) or single


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=100_000)
def tokenise(text: str) -> Tokens:
    """The words of a text.

    >>> tokenise("It's £20-25 at 3 pm, with two cafés").words
    ('it', '£', '20', '25', 'at', '3:00', 'pm', 'with', '2', 'cafe')
    """
    lower = text.lower().replace("’", "'")
    if len(lower) != len(text):  # a few letters change their length in lower case, and places would shift
        lower = text.replace("’", "'")
    if ".m" in lower:
        lower = _MERIDIEM.sub(lambda match: f"{match[1]}m " + " " * len(match[2]), lower)
    if " -" in lower:
        lower = _SUFFIXES.sub(lambda match: " " * len(match[0]), lower)
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    form = _TOKEN if lower.isascii() or not _HAS_UNSPACED.search(lower) else _TOKEN_OF_ANY
    for match in form.finditer(lower):
        word = word_of(match[0]) if match.lastindex == _WORD else _spelt(match.lastgroup or "", match)
        if (
            word in _UNIT_DIGITS
            and words
            and words[-1] in _TEN_DIGITS
            and _in_words(lower, match, starts[-1], ends[-1])
        ):
            words[-1], ends[-1] = str(int(words[-1]) + int(word)), match.end()
            continue
        words.append(word)
        starts.append(match.start())
        ends.append(match.end())
    if SPOKEN.search(lower) or may_have_price(words):
        gaps = [lower[end:start] for end, start in zip([0, *ends], starts, strict=False)]
        letters = (not lower[start].isdigit() for start in starts)
        marks = (bool(_MARKS & set(gap)) for gap in gaps)
        joined = join_spoken(list(map(Piece, words, starts, ends, letters, marks)))
        return Tokens(
            tuple(piece.word for piece in joined),
            tuple(piece.start for piece in joined),
            tuple(piece.end for piece in joined),
        )
    return Tokens(tuple(words), tuple(starts), tuple(ends))


_UNIT_DIGITS: Final = frozenset("123456789")
_TEN_DIGITS: Final = frozenset(str(number) for number in _TENS.values())


def _in_words(text: str, match: re.Match[str], start: int, end: int) -> bool:
    """Whether a ten and a unit stand together as words, as in twenty-five."""
    gap = text[end : match.start()]
    return not text[start].isdigit() and not match[0][0].isdigit() and gap in (" ", "-")


def _spelt(kind: str, match: re.Match[str]) -> str:
    text = match[0]
    if kind == "phone":
        return re.sub(r"\D", "", text)
    if kind == "time":
        return clock(text)
    return number_of(match["number"]) if kind == "number" else text


def clock(text: str) -> str:
    """A time on the clock of twelve hours, with minutes.

    >>> clock("15:05"), clock("3")
    ('3:05', '3:00')
    """
    hour, _, minute = text.replace(".", ":").partition(":")
    return f"{(int(hour) - 1) % 12 + 1}:{minute or '00'}"


def number_of(text: str) -> str:
    """A number without commas, and without zeros at the end of its decimals.

    >>> number_of("1,000.50")
    '1000.5'
    """
    plain = text.replace(",", "")
    return (
        plain.rstrip("0").rstrip(".")
        if "." in plain
        else plain.lstrip("0") or "0"
        if len(plain) < 5
        else plain
    )


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
    """A word of a text in one spelling, and its place."""

    word: str
    start: int
    end: int
    in_letters: bool
    after_mark: bool
    """Whether a comma or the like parts it from the word before."""


class _Phrase(NamedTuple):
    """Meaning of the first of some words together, and their number."""

    word: str
    size: int


_Rule: TypeAlias = Callable[[Sequence[str], Sequence[bool], int], _Phrase | None]


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
    """Count the words from here that say a price with hundredths; 0 if none do."""
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


def _parted(words: Sequence[str], letters: Sequence[bool], index: int) -> _Phrase | None:
    """Half past seven, a quarter to eight, five past six, ten minutes to nine."""
    minutes = {"half": "30", "quarter": "15"}.get(words[index], words[index])
    if minutes not in _MINUTES:
        return None
    named = _at(words, index + 1) == "minute"
    joint, hour = _at(words, index + 1 + named), _at(words, index + 2 + named)
    if hour not in _HOURS:
        return None
    if joint == "past" or (joint == "after" and words[index] == "quarter"):
        return _Phrase(_clock(int(hour), int(minutes)), 3 + named)
    certain = (
        named or words[index] == "quarter" or (_at(words, index - 1) in _AT - {"from"} and letters[index])
    )
    if joint == "to" and certain and int(minutes) < 31:
        return _Phrase(_clock(int(hour) - 1, 60 - int(minutes)), 3 + named)
    return None


def _told(words: Sequence[str], letters: Sequence[bool], index: int) -> _Phrase | None:
    """Seven o'clock, seven pm, at seven thirty, seven thirty pm."""
    if not letters[index] or words[index] not in _HOURS:
        return None
    hour, following = int(words[index]), _at(words, index + 1)
    if following == "o'clock" or following in _HALVES:
        return _Phrase(_clock(hour, 0), 1)
    is_told = following in _MINUTES and letters[index + 1] and (int(following) > 9)
    if is_told and (_at(words, index - 1) in _AT or _at(words, index + 2) in _HALVES):
        return _Phrase(_clock(hour, int(following)), 2)
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


def _counted(words: Sequence[str], letters: Sequence[bool], index: int) -> _Phrase | None:
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
            return _Phrase(str(total), place - index)
        place += joint


def _decimal(words: Sequence[str], letters: Sequence[bool], index: int) -> _Phrase | None:
    """Four point five."""
    whole, point, part = words[index], _at(words, index + 1), _at(words, index + 2)
    if point == "point" and whole.isdigit() and part.isdigit() and letters[index]:
        return _Phrase(f"{whole}.{part}", 3)
    return None


_RULES: Final[tuple[_Rule, ...]] = (_parted, _told, _counted, _decimal)
