"""The word sequences by which a value can be said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from dialeval.nlg.slots.dates import date_spellings
from dialeval.nlg.slots.durations import duration_spellings
from dialeval.nlg.slots.phrases import FILLERS, PARTS, SAID_AS, SYNONYMS
from dialeval.text.spelling.daytime import half_of_value
from dialeval.text.spelling.spoken import CURRENCIES
from dialeval.text.spelling.tokens import Words, number_of, tokenise, word_of

_BELOW: Final = ("less than", "under", "below", "lower than", "up to")
_ABOVE: Final = ("more than", "over", "above", "higher than", "at least")
_BOUND: Final = re.compile(r"(less than|under|below|more than|over|above)\b(.*\d.*)", re.IGNORECASE)
_RANGE: Final = re.compile(
    r"\D{0,12}?([£$€]?)\s*(\d[\d.,]*)\s*(?:-|–|to|and)\s*[£$€]?\s*(\d[\d.,]*)\s*(\w*)", re.IGNORECASE
)
_SHARE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(?:out of|of|/)\s*(\d+)")
_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_TIME: Final = re.compile(r"\d{1,2}:\d{2}")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s/]+")
_JOINED: Final = re.compile(r"\s+(?:and|or)\s+|\s*,\s*|\s*/\s*")
_COUNTS: Final = frozenset({"number", "num", "count"})
"""Words in the names of slots that say how many there are."""
_CURRENCIES: Final = frozenset(CURRENCIES)
_HUNDREDTHS: Final = re.compile(r"(\d+)\.(\d{1,2})")
_ORDINALS: Final = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth")


@lru_cache(maxsize=10_000)
def words_of_name(slot: str, vocabulary: frozenset[str] = frozenset()) -> Words:
    """The words of a slot's name, also where it is written without spaces.

    >>> words_of_name("familyFriendly"), words_of_name("hasusbport")
    (('family', 'friendly'), ('has', 'usb', 'port'))
    """
    parts = [part for part in _CAMEL.split(slot) if part]
    return tuple(word_of(word) for part in parts for word in _segmented(part.lower(), vocabulary))


def _segmented(text: str, vocabulary: frozenset[str]) -> list[str]:
    """The fewest words that make up ``text``: general ones, else also those of the texts; the text itself if none."""
    if text in PARTS or not text.isalpha():
        return [text]
    return (
        _split(text, PARTS) or ([text] if text in vocabulary else _split(text, PARTS | vocabulary)) or [text]
    )


def _split(text: str, known: frozenset[str]) -> list[str] | None:
    best: list[list[str] | None] = [[]] + [None] * len(text)
    for end in range(2, len(text) + 1):
        for start in range(max(0, end - 14), end - 1):
            before, word = best[start], text[start:end]
            if before is None or word not in known or (len(word) < 4 and word not in PARTS):
                continue
            if (held := best[end]) is None or len(before) + 1 < len(held):
                best[end] = [*before, word]
    return best[len(text)]


def content_words(slot: str, vocabulary: frozenset[str] = frozenset()) -> Words:
    """The words of a slot's name that say something; all of them where none does."""
    words = words_of_name(slot, vocabulary)
    return tuple(word for word in words if word not in FILLERS) or words


def keywords(slot: str, vocabulary: frozenset[str] = frozenset()) -> frozenset[str]:
    """Words that show that a value beside them belongs to the slot."""
    words = content_words(slot, vocabulary)
    return frozenset(said for word in words for said in (word, *map(word_of, SAID_AS.get(word, ()))))


def spellings(slot: str, value: str, aliases: Mapping[tuple[str, str], tuple[str, ...]]) -> Iterator[Words]:
    """Every word sequence that says the value, the value's words first.

    ``aliases`` has further phrases for a slot and a value, or for ``*`` and a value.
    """
    words = tokenise(value).words
    if not words:
        return
    yield words
    yield from _rewritten(value, words)
    for phrase in _synonyms(slot, value):
        yield tokenise(phrase).words
    if words == ("1",) and _COUNTS.intersection(words_of_name(slot)):
        yield from ((article, word) for article in ("a", "an") for word in content_words(slot))
    lower = value.strip().lower()
    for key in ((slot.lower(), lower), ("*", lower)):
        for phrase in aliases.get(key, ()):
            yield tokenise(phrase).words


def _rewritten(value: str, words: Words) -> Iterator[Words]:
    if words[0] in ("the", "a", "an") and len(words) > 1:
        yield words[1:]
    if 1 < len(words) < 4 and all(word.isalpha() for word in words):
        yield ("".join(words),)
    if any(word in _CURRENCIES for word in words):
        yield from _prices(words)
    if words[-1] in ("am", "pm") and len(words) == 2:
        yield words[:1]
    if _TIME.fullmatch(words[0]) and len(words) < 3:
        yield from _times(value, words[0])
    if words[-1] == "television" and len(words) == 1:
        yield ("tv",)
    yield from _numbers(value, words)


def _times(value: str, clock: str) -> Iterator[Words]:
    """A full hour without its minutes, noon and midnight."""
    hour, _, minute = clock.partition(":")
    if minute != "00":
        return
    yield from (("at", hour), ("by", hour), ("until", hour))
    if hour == "12" and half_of_value(value) != "am" and not value.strip().startswith(("0", "24")):
        yield from (("noon",), ("midday",))
    elif hour == "12":
        yield ("midnight",)


def _prices(words: Words) -> Iterator[Words]:
    """The currency before the number and after it."""
    for index, (left, right) in enumerate(pairwise(words)):
        if (left in _CURRENCIES) != (right in _CURRENCIES):
            yield (*words[:index], right, left, *words[index + 2 :])
    if words[0] in ("between", "from"):
        yield words[1:]
    numbers = [word for word in words if word not in _CURRENCIES]
    if len(words) == 2 and len(numbers) == 1 and (parts := _HUNDREDTHS.fullmatch(numbers[0])):
        yield parts[1], str(int(parts[2].ljust(2, "0")))  # nineteen ninety-nine


def _numbers(value: str, words: Words) -> Iterator[Words]:
    """Bounds, ranges, shares, dates, durations and small numbers in other words."""
    if bound := _BOUND.fullmatch(value.strip()):
        below = bound[1].lower() in _BELOW
        for phrase in _BELOW if below else _ABOVE:
            rest = tokenise(bound[2]).words
            for tail in (rest, *_prices(rest)):
                yield (*phrase.split(), *tail)
    elif (given := _RANGE.fullmatch(value.strip())) and not _DATE.match(value.strip()):
        low, high = tokenise(given[2]).words, tokenise(given[3]).words
        money = tokenise(given[1] or given[4]).words
        for joint in ((), ("to",), ("and",)):
            yield (*low, *joint, *high)
            yield (*money, *low, *joint, *money, *high)
            yield (*low, *money, *joint, *high, *money)
            yield (*low, *joint, *high, *money)
    if share := _SHARE.fullmatch(value.strip()):
        part, whole = number_of(share[1]), number_of(share[2])
        yield from ((part, whole), (part, "of", whole), (part, "star"), (part, "out", "of", whole))
    yield from date_spellings(value)
    yield from duration_spellings(value)
    if len(words) == 1 and words[0].isdigit() and int(words[0]) < len(_ORDINALS):
        yield (_ORDINALS[int(words[0])],)


def _synonyms(slot: str, value: str) -> Iterator[str]:
    name = frozenset(words_of_name(slot))
    shape = re.sub(r"[£$€]?\s*\d[\d.,]*", "#", value.strip().lower())
    shape = re.sub(r"\s*-\s*", "-", shape).split(" pound")[0]
    for group in SYNONYMS:
        if name & group.slots and (value.strip().lower() in group.values or shape in group.values):
            yield from group.phrases


def general_phrases(slot: str) -> Iterator[tuple[str, str]]:
    """Phrases for values that slots of this kind have in general, each with such a value."""
    name = frozenset(words_of_name(slot))
    for group in SYNONYMS:
        if name & group.slots:
            yield from ((group.values[0], phrase) for phrase in group.phrases)


def parts_of(value: str) -> tuple[Words, ...]:
    """The parts of a value that lists several, such as ``a and b``; none where it lists one."""
    parts = [tokenise(part).words for part in _JOINED.split(value)]
    return tuple(part for part in parts if part) if len(parts) > 1 else ()
