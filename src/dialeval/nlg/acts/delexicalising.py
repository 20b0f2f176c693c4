"""Delexicalisation: values replaced by the names of their slots, and the inverse."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.nlg.acts.types import Meaning, slots_of

PREFIX: Final = "SLOT_"
_PLACEHOLDER: Final = re.compile(r"SLOT_[A-Z0-9_]+")
_NOT_WORD: Final = re.compile(r"[^A-Z0-9]+")
_NUMBERED: Final = re.compile(r"_\d+$")
_JOINED: Final = re.compile(r" (and|or) ")
_SAID: Final = {"DONTCARE": "any", "NONE": "no", "NO": "no"}
_ARTICLES: Final = frozenset({"a", "an", "the", "i", "it"})
"""Values that are also words of any sentence, such as the eco rating ``a``: replaced beside the slot's name only."""
_REACH: Final = 3
"""How many words away from a word of the slot's name such a value may stand."""

Loss: TypeAlias = Literal["placeholder in the sentence", "value in another order"]
"""Why a sentence cannot be had back from the delexicalised one and the act."""


class Filler(NamedTuple):
    """A placeholder, and the value of the act that belongs there."""

    placeholder: str
    slot: str
    value: str


@dataclass(frozen=True, slots=True)
class Delexicalised:
    """A sentence with placeholders."""

    text: str
    absent: tuple[Filler, ...]
    """Those of the act's values that do not stand in the sentence as they are written in the act."""
    loss: Loss | None
    """Why ``lexicalise`` does not give the sentence back, or None where it does."""


@lru_cache(maxsize=50_000)
def fillers(meaning: Meaning, keep: Collection[str] = frozenset()) -> tuple[Filler, ...]:
    """The placeholder of each value: ``SLOT_NAME``, for a slot's second value ``SLOT_NAME_2``.

    Special values (yes, no, dontcare, none), empty ones, and slots in ``keep`` have none.
    """
    counts: Counter[str] = Counter()
    named: list[Filler] = []
    for slot in slots_of(meaning):
        if not slot.value or not slot.value.strip() or slot.special or slot.name in keep:
            continue
        name = _named(slot.name)
        counts[name] += 1
        suffix = f"_{counts[name]}" if counts[name] > 1 else ""
        named.append(Filler(f"{PREFIX}{name}{suffix}", slot.name, slot.value))
    return tuple(named)


def delexicalise(
    meaning: Meaning, sentence: str, *, keep: Collection[str] = frozenset(), orders: bool = False
) -> Delexicalised:
    """The sentence with every value replaced by its placeholder, the longest value first, as whole words.

    With ``orders``, a value such as ``a and b`` is also found as ``b and a`` (or with ``or``), as RNNLG does; the order
    is then lost. Where two slots share a value, its occurrences go to them in the order of the act.
    """
    text, absent, reordered = sentence, [], False
    if _PLACEHOLDER.search(text):
        return Delexicalised(sentence, fillers(meaning, frozenset(keep)), "placeholder in the sentence")
    for same in _by_length(fillers(meaning, frozenset(keep))):
        for spelling in _spellings(same[0].value) if orders else (same[0].value,):
            replaced = _replace(text, spelling, same)
            if replaced != text:
                reordered |= spelling != same[0].value
                text = replaced
                break
        absent += [filler for filler in same if not _holds(text, filler.placeholder)]
    return Delexicalised(text, tuple(absent), "value in another order" if reordered else None)


def lexicalise(text: str, meaning: Meaning, *, keep: Collection[str] = frozenset()) -> str:
    """The sentence with the act's values in place of the placeholders; one that the act does not have stays."""
    values = {filler.placeholder: filler.value for filler in fillers(meaning, frozenset(keep))}
    return _PLACEHOLDER.sub(lambda match: values.get(match[0], match[0]), text)


def speak(text: str, meaning: Meaning) -> str:
    """As `lexicalise`, for readers: a placeholder that the act has no value for becomes a word.

    That word is *any* for a slot with ``dontcare``, *no* for ``no`` and ``none``, and else the slot's name.
    """
    special = {
        _named(slot.name): _SAID.get(_NOT_WORD.sub("", (slot.value or "").upper()), "")
        for slot in slots_of(meaning)
    }

    def word(match: re.Match[str]) -> str:
        name = _NUMBERED.sub("", match[0].removeprefix(PREFIX))
        return special.get(name) or name.lower().replace("_", " ")

    return _PLACEHOLDER.sub(word, lexicalise(text, meaning))


def _named(slot: str) -> str:
    return _NOT_WORD.sub("_", slot.upper()).strip("_")


def _by_length(given: Sequence[Filler]) -> Iterable[list[Filler]]:
    """Fillers that share a value together, the longest value first."""
    groups: dict[str, list[Filler]] = {}
    for filler in given:
        groups.setdefault(filler.value, []).append(filler)
    return sorted(groups.values(), key=lambda group: -len(group[0].value))


def _spellings(value: str) -> Iterable[str]:
    """The value, then its parts in other orders, joined by ``and`` or ``or``."""
    yield value
    parts = _JOINED.split(value)[::2]
    if 1 < len(parts) <= 4:
        for joint in (" and ", " or "):
            yield from (other for order in permutations(parts) if (other := joint.join(order)) != value)


def _replace(text: str, value: str, same: Sequence[Filler]) -> str:
    pattern = _pattern(value)
    if value.lower() in _ARTICLES:
        place = _beside_its_name(text, pattern, same[0].slot)
        return text if place is None else text[: place[0]] + same[0].placeholder + text[place[1] :]
    count = 0

    def placeholder(_: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return same[min(count, len(same)) - 1].placeholder

    return pattern.sub(placeholder, text)


@lru_cache(maxsize=50_000)
def _pattern(value: str) -> re.Pattern[str]:
    """The value as whole words; never inside a placeholder, whose letters are capitals after ``SLOT_``."""
    return re.compile(rf"(?<![\w]){re.escape(value)}(?!\w|\+)")


def _holds(text: str, placeholder: str) -> bool:
    return re.search(rf"{placeholder}(?![A-Z0-9_])", text) is not None


def _beside_its_name(text: str, pattern: re.Pattern[str], slot: str) -> tuple[int, int] | None:
    """The occurrence of an everyday word that is closest to a word of the slot's name, if any is close."""
    words = [(match.start(), match[0].lower()) for match in re.finditer(r"\S+", text)]
    squeezed = re.sub(r"\W", "", slot.lower())
    named = [index for index, (_, word) in enumerate(words) if len(word) > 2 and word.strip(".,") in squeezed]
    best: tuple[int, int, int] | None = None
    for match in pattern.finditer(text):
        index = sum(start < match.end() for start, _ in words) - 1
        distance = min((abs(index - place) for place in named), default=_REACH + 1)
        if distance <= _REACH and (best is None or distance < best[0]):
            best = (distance, match.start(), match.end())
    return None if best is None else best[1:]
