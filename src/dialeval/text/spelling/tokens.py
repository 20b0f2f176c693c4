"""Words of a sentence in one spelling: case, accents, plurals, numbers, times, prices, units and phone numbers."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from dialeval.text.spelling.spoken import SPOKEN, Piece, join_spoken, may_have_price

Words: TypeAlias = tuple[str, ...]


class Tokens(NamedTuple):
    """The words of a text in one spelling, and where each stands in it."""

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
"""The same where a letter of these scripts is a word by itself, so that a value is found within a sentence."""
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
