"""Requirements of an act on its sentence: each slot with a value, and how that can be checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from dialeval.nlg.acts.types import Meaning, slots_of
from dialeval.nlg.slots.hours import Hours, hours_of
from dialeval.nlg.slots.lexicon import Lexicon, Pair, pair_of, sense_of
from dialeval.nlg.slots.phrases import ADDRESSES, CONDITIONS, NAMES
from dialeval.nlg.slots.spellings import parts_of, words_of_name
from dialeval.text.spelling.daytime import Half, half_of_value
from dialeval.text.spelling.spoken import CURRENCIES
from dialeval.text.spelling.tokens import Words, tokenise

Sort: TypeAlias = Literal["plain", "yes", "no", "either", "dontcare", "none"]
"""How a value is checked; ``either`` where an act asks about yes or no."""

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
    """How often the act has this slot with this value."""
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
    """Of the day, where the value is a time and says so."""
    hours: Hours | None = None
    """From one time to another."""
    condition: frozenset[str] = frozenset()
    """Words one of which must be said beside the property, if the value says more than yes: breakfast=included."""


@lru_cache(maxsize=100_000)
def needs_of(meaning: Meaning) -> tuple[Need, ...]:
    """What must be said; slots without a value (what is asked for) cannot be checked and are left out."""
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
    """What must be said, without values that people never say in so many words (``type=placetoeat``)."""
    needs = needs_of(meaning)
    if not lexicon.unsaid:
        return needs
    return tuple(need for need in needs if need.pair not in lexicon.unsaid)
