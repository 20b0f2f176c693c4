"""Stored answers in a few words, for lists of answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dialeval.annotation.items import Item
from dialeval.annotation.kinds.kind import Answer
from dialeval.annotation.web.texts import text

LONGEST: Final = 60
"""Characters of a comment that a list shows."""


def brief(language: str, answer: Answer, item: Item | None = None) -> str:
    """An answer in a few words; candidates by their letters if their item is known."""
    if answer.get("text") is not None:
        written = str(answer["text"])
        return written if len(written) <= LONGEST else f"{written[: LONGEST - 1]}…"
    value = next(iter(answer.values()), None)
    if value is None:
        return text(language, "cannot_say")
    if isinstance(value, Mapping):
        return ", ".join(f"{_named(str(part), item)}: {_short(own)}" for part, own in value.items())
    if isinstance(value, (list, tuple)):
        return _list(language, answer, value)
    return _choice(language, str(value), item) if "choice" in answer else _short(value)


def letter(place: int) -> str:
    """The name of the candidate at a place from 1: A, B and so on, then A2.

    >>> letter(1), letter(26), letter(27)
    ('A', 'Z', 'A2')
    """
    round_, index = divmod(place - 1, 26)
    return chr(ord("A") + index) + (str(round_ + 1) if round_ else "")


def _list(language: str, answer: Answer, values: Sequence[object]) -> str:
    if not values:
        return text(language, "brief.none")
    return (" ↔ " if "turns" in answer else ", ").join(map(str, values))


def _choice(language: str, choice: str, item: Item | None) -> str:
    known = {"tie": "pairwise.tie", "both_bad": "pairwise.both_bad", "none": "best_of.none"}
    if choice in known:
        return text(language, known[choice])
    return text(language, "brief.chosen") if item is None else _named(choice, item)


def _named(part: str, item: Item | None) -> str:
    ids = [candidate.id for candidate in item.candidates] if item is not None else []
    return letter(ids.index(part) + 1) if part in ids else part


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else "–" if value is None else str(value)
