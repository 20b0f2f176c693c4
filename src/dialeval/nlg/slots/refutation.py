"""Values that stand in a sentence and yet are not said: denied, part of another amount, or swapped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, NamedTuple

from dialeval.nlg.acts.types import Meaning
from dialeval.nlg.slots.amounts import Amount, amounts_in
from dialeval.nlg.slots.lexicon import Occurrence
from dialeval.nlg.slots.needs import Need, says_hours
from dialeval.nlg.slots.negation import denies_value
from dialeval.nlg.slots.sentence import Sentence
from dialeval.nlg.slots.spellings import words_of_name
from dialeval.text.english import half_said, is_not

_NEGATIVE: Final = re.compile(
    r"(?:^|[^a-z])(?:no|not|none|nomatch|nooffer|nobook|cant\w*|cannot|deny|denies|negate|reject|sorry|fail\w*)"
    r"(?![a-z])"
)
"""In the name of an act that denies something: inform_no_match, canthelp, NoOffer, notify_failure."""
_REACH: Final = 4
"""Most words between a value and its preposition or verb."""


class _Role(NamedTuple):
    """An end of a journey, or where a thing is: in a place or near one."""

    group: str

    names: frozenset[str]
    """Words of slots' names."""
    cues: frozenset[str]
    """Words before its value."""


_ROLES: Final = (
    _Role(
        "journey",
        frozenset({"from", "departure", "depart", "origin", "source", "leave", "leaving", "pickup"}),
        frozenset({"from", "leaving", "leave", "departing", "depart", "departure"}),
    ),
    _Role(
        "journey",
        frozenset({"to", "arrival", "arrive", "destination", "dropoff", "towards"}),
        frozenset({"to", "toward", "arriving", "arrive", "arrival", "destination", "reach", "reaching"}),
    ),
    _Role("place", frozenset({"area", "location", "region"}), frozenset({"in"})),
    _Role("place", frozenset({"near"}), frozenset({"near", "by", "beside", "close", "next"})),
)


def refute(sentence: Sentence, needs: Sequence[Need], meaning: Meaning) -> None:
    """Move the hits of values that are not said after all from ``sentence.hits`` to ``sentence.refuted``.

    Denials count unless the act itself denies something: "no thai place in the north" for inform_no_match.
    """
    denials = any(map(is_not, sentence.tokens.words)) and not _denies(meaning, needs)
    for need in needs:
        hits = sentence.hits.get(need.pair)
        if not hits:
            continue
        kept = [hit for hit in hits if not _is_refuted(sentence, need, hit, denials=denials)]
        if need.amount:
            kept = [hit for hit in kept if not _is_part(sentence, need.amount, hit, needs)]
        if len(kept) < len(hits):
            _move(sentence, need, [hit for hit in hits if hit not in kept], kept)
    # Only values with a role, or numbers, can be swapped, so that few pairs are looked at.
    once = [
        need for need in needs if len(sentence.hits.get(need.pair, ())) == 1 and _may_swap(sentence, need)
    ]
    for first, second in combinations(once, 2):
        one, other = sentence.hits.get(first.pair), sentence.hits.get(second.pair)
        alike = first.slot == second.slot or first.pair.value == second.pair.value
        if one and other and not alike and _are_swapped(sentence, first, second):
            _move(sentence, first, other, [])
            _move(sentence, second, one, [])


def _move(sentence: Sentence, need: Need, gone: list[Occurrence], kept: list[Occurrence]) -> None:
    sentence.refuted[need.pair] = gone
    if kept:
        sentence.hits[need.pair] = kept
    else:
        del sentence.hits[need.pair]


def _denies(meaning: Meaning, needs: Sequence[Need]) -> bool:
    if any(need.sort == "none" or need.value.strip() == "0" for need in needs):
        return True
    return any(_NEGATIVE.search(_spaced(act.act)) for act in meaning)


def _spaced(name: str) -> str:
    """The name of an act in lower case, with a space before its capitals."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def _is_refuted(sentence: Sentence, need: Need, hit: Occurrence, *, denials: bool) -> bool:
    if denials and denies_value(sentence.text, sentence.tokens, hit.start, hit.end):
        return True
    if need.hours and not says_hours(sentence.text, sentence.tokens, hit.start, hit.end, need.hours):
        return True
    if not need.half:
        return False
    said = half_said(sentence.text, sentence.tokens, hit.start, hit.end)
    return said not in ("", need.half)


def _is_part(sentence: Sentence, amount: Amount, hit: Occurrence, needs: Sequence[Need]) -> bool:
    """Whether an amount is only a part of another one: 2 hours of "two hours and a half"; not if the act has both."""
    for start, end, said in amounts_in(sentence.tokens, amount.dimension):
        if start < hit.end and hit.start < end and said != amount:
            rest = said._replace(size=round(said.size - amount.size, 6))
            return all(need.amount != rest for need in needs)
    return False


def _may_swap(sentence: Sentence, need: Need) -> bool:
    return _role_of(need.slot) is not None or _is_number(sentence, sentence.hits[need.pair][0])


def _are_swapped(sentence: Sentence, first: Need, second: Need) -> bool:
    """Whether each of two values is said where the other belongs."""
    one, other = sentence.hits[first.pair][0], sentence.hits[second.pair][0]
    roles = _role_of(first.slot), _role_of(second.slot)
    if roles[0] and roles[1] and roles[0] != roles[1] and roles[0].group == roles[1].group:
        said = _role_said(sentence, one, roles[0].group), _role_said(sentence, other, roles[0].group)
        if roles[0].group == "place":
            return said == (roles[1], roles[0])
        agrees = any(found == role for found, role in zip(said, roles, strict=True))
        return not agrees and any(said)
    return _counts(sentence, one, second.slot) and _counts(sentence, other, first.slot)


@lru_cache(maxsize=1024)
def _role_of(slot: str) -> _Role | None:
    name = set(words_of_name(slot))
    return next((role for role in _ROLES if name & role.names), None)


def _role_said(sentence: Sentence, hit: Occurrence, group: str) -> _Role | None:
    """Role that the closest telling word before a value gives it."""
    roles = [role for role in _ROLES if role.group == group]
    said = (role for word in _before(sentence, hit) for role in roles if word in role.cues)
    return next(said, None)


def _before(sentence: Sentence, hit: Occurrence) -> Iterator[str]:
    """The words before a value, the closest first, up to another value."""
    for index in range(hit.start - 1, max(hit.start - 1 - _REACH, -1), -1):
        if sentence.taken[index]:
            return
        yield sentence.tokens.words[index]


def _counts(sentence: Sentence, hit: Occurrence, slot: str) -> bool:
    """Whether a value is a number, perhaps with a unit, before the name of this slot: "two adults", "8 GB of RAM"."""
    words, end = sentence.tokens.words, hit.end
    named = end + 1 if words[end : end + 1] == ("of",) else end
    keywords = sentence.lexicon.keywords.get(slot, ())
    return _is_number(sentence, hit) and named < len(words) and words[named] in keywords


def _is_number(sentence: Sentence, hit: Occurrence) -> bool:
    return hit.end - hit.start < 3 and sentence.tokens.words[hit.start].replace(".", "", 1).isdigit()
