"""Requirements of an act on its sentence: each slot with a value, hours among them, and how that can be checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.nlg.acts.types import Meaning, slots_of
from dialeval.nlg.slots.amounts import Amount, amount_of
from dialeval.nlg.slots.lexicon import Lexicon, Pair, pair_of, sense_of
from dialeval.nlg.slots.phrases import ADDRESSES, CONDITIONS, NAMES
from dialeval.nlg.slots.spellings import parts_of, words_of_name
from dialeval.text.english import Half, half_of_value, half_said
from dialeval.text.spelling import CURRENCIES, Tokens, Words, clock, tokenise

_TIME: Final = r"\d{1,2}(?:[:.]\d{2})?(?:\s*[ap]\.?m\b\.?)?|noon|midday|midnight"
_HOURS: Final = re.compile(rf"(?:from|between)?\s*({_TIME})\s*(?:-|–|—|to|until|till|and)\s*({_TIME})")
_IS_TIME: Final = re.compile(r":\d{2}|[ap]\.?m|noon|mid")
_ON_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}")
_NAMED: Final[dict[str, Half]] = {"noon": "pm", "midday": "pm", "midnight": "am"}
_CUES: Final = frozenset({"from", "between", "to", "until", "till", "at", "and", "by", "through", "open"})
"""Words before a number that may be an hour."""
_APART: Final = 9
"""Most words between the two times."""


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


Sort: TypeAlias = Literal["plain", "yes", "no", "either", "dontcare", "none"]
"""Way in which a value is checked; ``either`` if an act asks about yes or no."""

_EITHER: Final = frozenset({"yes", "or", "no"})


@dataclass(frozen=True, slots=True)
class Need:
    """One slot of an act that the sentence must say."""

    slot: str
    value: str
    """As the act has it."""
    sort: Sort
    pair: Pair
    times: int = 1
    """Number of times that the act has this slot with this value."""
    words: Words = ()
    parts: tuple[Words, ...] = ()
    """The parts of a value that lists several."""
    cuts: tuple[tuple[Words, ...], ...] = ()
    """Every way to part an address in two: the town may come before the street."""
    shapes: tuple[Words, ...] = ()
    """The words with every number as ``#``, if there is one, and those of its parts."""
    compact: str = ""
    """Letters and digits of a code, such as a phone number or a postcode, which may be spaced in any way."""
    is_name: bool = False
    half: Half = ""
    """Of the day, if the value is a time and says so."""
    hours: Hours | None = None
    """From one time to another."""
    amount: Amount | None = None
    """So much of something: it may be said in another unit."""
    condition: frozenset[str] = frozenset()
    """Words one of which must be said beside the property, if the value says more than yes: breakfast=included."""


@lru_cache(maxsize=100_000)
def needs_of(meaning: Meaning) -> tuple[Need, ...]:
    """Needs of an act; slots without a value (what is asked for) cannot be checked and are left out."""
    slots = [slot for slot in slots_of(meaning) if slot.value is not None and slot.value.strip()]
    counts: Mapping[Pair, int] = Counter(map(pair_of, slots))
    needs: dict[Pair, Need] = {}
    for slot in slots:
        pair, value = pair_of(slot), slot.value or ""
        if pair in needs or (not pair.value and not slot.special):
            continue
        if special := sense_of(slot):
            condition = frozenset[str]() if special == "no" else CONDITIONS.get(pair.value, frozenset())
            needs[pair] = Need(slot.name, value, special, pair, condition=condition)  # type: ignore[arg-type]  # of SPECIAL
            continue
        words = tokenise(value).words
        if words == ("0",):
            needs[pair] = Need(slot.name, value, "none", pair)  # "there are no hotels"
            continue
        if frozenset(words) == _EITHER:
            needs[pair] = Need(slot.name, value, "either", pair)
            continue
        hours = hours_of(value)
        compact = re.sub(r"[^a-z0-9]", "", value.lower())
        is_short = len(words) < 5 or all(word.isdigit() for word in words)
        is_code = len(compact) >= 5 and any(mark.isdigit() for mark in compact) and is_short
        needs[pair] = Need(
            *(slot.name, value, "plain", pair, counts[pair], words, parts_of(value)),
            shapes=() if hours else tuple(_shapes(words, parts_of(value))),
            compact=compact if is_code and not hours else "",
            is_name=words_of_name(slot.name)[-1] in NAMES,
            half=half_of_value(value),
            hours=hours,
            amount=None if hours else amount_of(slot.name, value),
            cuts=_cuts(slot.name, words),
        )
    return tuple(needs.values())


def _cuts(slot: str, words: Words) -> tuple[tuple[Words, ...], ...]:
    if len(words) < 3 or not ADDRESSES.intersection(words_of_name(slot)):
        return ()
    return tuple((words[:place], words[place:]) for place in range(1, len(words)))


def _shapes(words: Words, parts: Sequence[Words]) -> Iterator[Words]:
    """The shapes of a value and of its parts that have numbers; of a price also with the currency on the other side."""
    for one in (words, *parts):
        shape = tuple("#" if word[0].isdigit() else word for word in one)
        if "#" in shape:
            yield shape
            if len(shape) == 2 and any(word in CURRENCIES for word in shape):
                yield shape[::-1]


def checked_needs(lexicon: Lexicon, meaning: Meaning) -> tuple[Need, ...]:
    """Needs of an act without values that people never say in so many words (``type=placetoeat``)."""
    needs = needs_of(meaning)
    if not lexicon.unsaid:
        return needs
    return tuple(need for need in needs if need.pair not in lexicon.unsaid)
