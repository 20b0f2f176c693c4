"""Delexicalised sentences as words, from which they can be had back letter by letter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

JOINED: Final = "##"
"""What stands before a word that has no space before it."""
_PIECES: Final = re.compile(
    r"SLOT_[A-Z0-9_]+|[.,;:!?()\"]|(?:(?!SLOT_[A-Z0-9])[^.,;:!?()\"]|[.,:](?<=\d.)(?=\d))+"
)
"""A placeholder, a mark, or a run of anything else; a mark between digits is part of the number."""


def split_words(text: str) -> tuple[str, ...]:
    """The words of a sentence; marks and placeholders are words, whatever they are attached to.

    >>> split_words("try SLOT_NAME, it is cheap.")
    ('try', 'SLOT_NAME', '##,', 'it', 'is', 'cheap', '##.')
    """
    words: list[str] = []
    for run in text.split():
        first, *rest = _PIECES.findall(run)
        words += [first, *(JOINED + piece for piece in rest)]
    return tuple(words)


def join_words(words: Iterable[str]) -> str:
    """The sentence of these words.

    >>> join_words(("try", "SLOT_NAME", "##,", "it", "is", "cheap", "##."))
    'try SLOT_NAME, it is cheap.'
    """
    text = ""
    for word in words:
        joined = word.startswith(JOINED) and len(word) > len(JOINED)
        text += word.removeprefix(JOINED) if joined else f" {word}"
    return text.strip()
