"""Halves of the day: whether a time is said to be in the morning or after noon."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from dialeval.text.spelling.tokens import Tokens

Half: TypeAlias = Literal["am", "pm", ""]
"""The half of the day, or nothing where it is not known."""

_MORNING: Final = frozenset({"am", "morning"})
_LATER: Final = frozenset({"pm", "afternoon", "evening", "tonight", "night"})
_BETWEEN: Final = frozenset({"o'clock", "in", "the", "at", "this", "tomorrow", "on", "sharp"})
"""Words that may stand between a time and its half of the day."""


def half_of_value(value: str) -> Half:
    """The half of the day in a value that is a time.

    >>> [half_of_value(value) for value in ("17:15", "5:15 p.m.", "05:15", "5:15", "7 am", "5 stars")]
    ['pm', 'pm', 'am', '', 'am', '']
    """
    text = value.strip().lower()
    if named := re.fullmatch(r"\d{1,2}(?:[:.]\d{2})?\s*([ap])\.?m\.?", text):
        return "am" if named[1] == "a" else "pm"
    clock = re.fullmatch(r"(\d{1,2}):\d{2}(?::\d{2})?", text)
    return _on_the_clock(clock[1]) if clock else ""


def _on_the_clock(hour: str) -> Half:
    """A clock of 24 hours shows the half after noon by its number and the one before by a zero in front."""
    if 13 <= int(hour) <= 23:
        return "pm"
    return "am" if hour.startswith("0") and len(hour) == 2 else ""


def half_said(text: str, tokens: Tokens, start: int, end: int) -> Half:
    """The half of the day that a sentence says of the time from word ``start`` up to ``end``."""
    for word in (*tokens.words[start:end], *_after(tokens, end)):
        if word in _MORNING:
            return "am"
        if word in _LATER:
            return "pm"
    written = text[tokens.starts[start] : tokens.ends[end - 1]]
    clock = re.match(r"(\d{1,2}):\d{2}", written)
    return _on_the_clock(clock[1]) if clock else ""


def _after(tokens: Tokens, end: int) -> list[str]:
    """The words after a time, up to the first that cannot stand between it and its half of the day."""
    words: list[str] = []
    for word in tokens.words[end : end + 4]:
        words.append(word)
        if word not in _BETWEEN:
            break
    return words
