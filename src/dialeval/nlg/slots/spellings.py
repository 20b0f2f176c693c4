"""Word sequences by which a value can be said, dates and durations among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Final

from dialeval.nlg.slots.phrases import FILLERS, PARTS, SAID_AS, SYNONYMS
from dialeval.text.english import MONTHS, ORDINALS, half_of_value
from dialeval.text.spelling import CURRENCIES, Words, number_of, tokenise, word_of

_ISO: Final = re.compile(r"(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})")
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_MONTH: Final = r"(?P<month>[a-z]{3,9})\.?"
_REST: Final = r"(?:,?\s+(?P<year>\d{4}))?"
_WRITTEN: Final = (
    re.compile(rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}{_REST}"),
    re.compile(rf"{_MONTH}\s+(?:the\s+)?{_DAY}{_REST}"),
)


def date_spellings(value: str) -> Iterator[Words]:
    """Every word sequence that says the date, with its year if it has one and without; none of other values.

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


_DURATION: Final = re.compile(
    r"(?:(?P<hours>\d{1,3})\s*(?:h|hrs?|hours?)\.?)?(?:\s*(?:and|,)?\s*(?P<minutes>\d{1,4})\s*(?:min|mins|minutes?)\.?)?"
    r"|(?P<short_hours>\d{1,3})\s*h\s*(?P<short_minutes>\d{1,2})\s*m?"
)
_PARTS: Final = {
    15: ("quarter of an hour",),
    30: ("half an hour", "half a hour"),
    45: ("three quarters of an hour",),
}


def duration_spellings(value: str) -> Iterator[Words]:
    """Every word sequence that says the duration; none of other values.

    >>> [" ".join(words) for words in duration_spellings("90 minutes")][:4]
    ['90 minute', '1 hour 30 minute', '1 hour and 30 minute', '1 hour 30']
    """
    match = _DURATION.fullmatch(value.strip().lower())
    if match is None or not any(match.groups()):
        return
    hours, minutes = (match[part] or match[f"short_{part}"] or "0" for part in ("hours", "minutes"))
    total = 60 * int(hours) + int(minutes)
    for phrase in dict.fromkeys(_phrases(total)):
        yield tokenise(phrase).words


def _phrases(total: int) -> Iterator[str]:
    yield f"{total} minutes"
    yield from _PARTS.get(total, ())
    hours, minutes = divmod(total, 60)
    if not hours:
        return
    for whole in (f"{hours} hours", *(("an hour", "a hour") if hours == 1 else ())):
        if not minutes:
            yield whole
            continue
        yield from (f"{whole} {minutes} minutes", f"{whole} and {minutes} minutes", f"{whole} {minutes}")
        if minutes == 30:
            yield f"{whole} and a half"
    if minutes:
        yield from (
            f"{hours}h{minutes}m",
            f"{hours}h {minutes}m",
            f"{hours}h{minutes:02}",
            f"{hours} h {minutes}",
        )
        yield from (f"{hours}h{minutes}min", f"{hours} h {minutes} min")
    if minutes == 30:
        yield from (f"{hours}.5 hours", f"{hours} and a half hours")


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
_JOINED: Final = re.compile(r"(?<!\s)\s+(?:and|or)\s+|(?:(?<!\s)\s+)?[,/]\s*")
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
    """The words of a slot's name that say something; all of them if none does."""
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
    """The parts of a value that lists several, such as ``a and b``; none if it lists one."""
    parts = [tokenise(part).words for part in _JOINED.split(value)]
    return tuple(part for part in parts if part) if len(parts) > 1 else ()
