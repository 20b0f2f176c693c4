"""Meanings that sentences express: dialogue acts with slots and values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

SPECIAL: Final = frozenset({"yes", "no", "dontcare", "none"})
"""Values that are said in many words, so they are never delexicalised."""

_SPELLINGS: Final = {
    "true": "yes",
    "false": "no",
    "dont_care": "dontcare",
    "don't care": "dontcare",
    "dont care": "dontcare",
    "do not care": "dontcare",
    "do n't care": "dontcare",
}


@dataclass(frozen=True, slots=True)
class Slot:
    """One slot of an act."""

    name: str
    value: str | None = None
    """As it was written; None if the act names the slot without a value, as in ``request(area)``."""

    @property
    def special(self) -> str | None:
        """The special value that this value spells (``true`` is yes, ``dont_care`` dontcare), or None."""
        return special_value(self.value)


def special_value(value: str | None) -> str | None:
    """Special value that a value spells, if any.

    >>> special_value("dont_care"), special_value("True"), special_value("centre")
    ('dontcare', 'yes', None)
    """
    if value is None:
        return None
    lower = value.strip().lower()
    known = _SPELLINGS.get(lower, lower)
    return known if known in SPECIAL else None


@dataclass(frozen=True, slots=True)
class Act:
    """One dialogue act, its slots in the order in which they were written; a slot may occur several times."""

    act: str
    slots: tuple[Slot, ...] = ()


Meaning: TypeAlias = tuple[Act, ...]
"""All acts of one sentence, in order; most data have one."""


def slots_of(meaning: Meaning) -> Iterator[Slot]:
    """Every slot of every act, in order."""
    for act in meaning:
        yield from act.slots
