"""Denials: whether a sentence says that a thing lacks a property, or that a value is absent or does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dialeval.nlg.slots.phrases import (
    ABSENT,
    AFTER,
    CONTRAST,
    DENIED_CARE,
    EXCEPTIONS,
    INDIFFERENT,
    LINKS,
    QUALIFIERS,
)
from dialeval.text.english import is_negation, is_not
from dialeval.text.spelling import Tokens

_REACH: Final = 7
"""Most words between a denial and the property that it denies."""
_ENDED: Final = frozenset({"stopped", "ceased", "discontinued"})
_UNABLE: Final = frozenset({"unable", "refuse", "refused", "decline", "declined"})
_LONGEST: Final = 4
"""Most words of an item of a list."""


def is_denied(text: str, tokens: Tokens, start: int, end: int) -> bool:
    """Whether the words from ``start`` up to ``end`` are denied in their clause, before or after them."""
    words = tokens.words
    for index in range(start - 1, max(start - _REACH - 1, -1), -1):
        if words[index] in CONTRAST or _clause_ends(text, tokens.ends[index], tokens.starts[index + 1]):
            break
        # "No restaurants that allow kids" denies restaurants: a bare "no" reaches the next words only.
        if is_negation(words[index]):
            if words[index] == "no" and start - index > 2 and not _no_longer(words, index):
                continue
            if words[index] == "not" and words[index + 1] == "only":
                continue
            return not (words[index] == "without" and _is_denied_itself(words, index))
        if words[index] in _ENDED and words[index + 1].endswith("ing"):  # stopped offering
            return True
        if words[index] in _UNABLE and words[index + 1] == "to":
            return True
    for index in range(end, min(end + 4, len(words))):
        if words[index] in CONTRAST or _clause_ends(text, tokens.ends[index - 1], tokens.starts[index]):
            break
        if words[index] in AFTER or words[index].endswith("n't") or _no_longer(words, index):
            return True
    return _in_denied_list(text, tokens, start, end)


def _no_longer(words: Sequence[str], index: int) -> bool:
    return words[index] == "no" and words[index + 1 : index + 2] == ("longer",)


def _in_denied_list(text: str, tokens: Tokens, start: int, end: int) -> bool:
    """Whether the words stand in a list with "or" whose beginning is denied: "no pool, gym or sauna"."""
    words = tokens.words
    listed, size = _or_follows(text, tokens, end), 0
    for index in range(start - 1, -1, -1):
        gap = text[tokens.ends[index] : tokens.starts[index + 1]]
        if words[index] in CONTRAST or any(mark in gap for mark in ".;:!?"):
            return False
        if "," in gap:
            size = 0
        if words[index] in ("or", "nor"):
            listed, size = True, 0
            continue
        if is_negation(words[index]):
            reaches = words[index] != "no" or size < 3
            return listed and reaches and not (words[index] == "without" and _is_denied_itself(words, index))
        size += 1
        if size > _LONGEST:
            return False
    return False


def _or_follows(text: str, tokens: Tokens, end: int) -> bool:
    """Whether "or" comes after these words in their clause, commas aside."""
    words = tokens.words
    for index in range(end, min(end + _REACH, len(words))):
        gap = text[tokens.ends[index - 1] : tokens.starts[index]]
        if words[index] in CONTRAST or any(mark in gap for mark in ".;:!?"):
            return False
        if words[index] in ("or", "nor"):
            return True
    return False


def _is_denied_itself(words: Sequence[str], index: int) -> bool:
    """Whether a denial is taken back by one before it: "you won't be without internet"."""
    return any(map(is_not, words[max(0, index - 3) : index]))


def denies_value(text: str, tokens: Tokens, start: int, end: int) -> bool:
    """Whether a value is denied by what stands right before it: "not in the north", "does not serve thai".

    Not if the denial is of something else: "not only cheap", "whether or not cheap", "no pub except this one",
    "not a pub for kids".

    >>> from dialeval.text.spelling import tokenise
    >>> [denies_value(text, tokenise(text), 3, 4) for text in ("not in the north", "not only the north")]
    [True, False]
    """
    words = tokens.words
    if words[end : end + 1] and words[end] in QUALIFIERS and not _ends_before(text, tokens, end):
        return False
    for index in range(start - 1, max(start - _REACH - 1, -1), -1):
        if _ends_before(text, tokens, index + 1):
            return False
        if is_not(words[index]):
            return not EXCEPTIONS.intersection(words) and (index == 0 or words[index - 1] != "or")
        if words[index] not in LINKS:
            return False
    return False


def _ends_before(text: str, tokens: Tokens, index: int) -> bool:
    """Whether a clause ends before this word."""
    return _clause_ends(text, tokens.ends[index - 1], tokens.starts[index])


def _clause_ends(text: str, left: int, right: int) -> bool:
    gap = text[left:right]
    return bool(gap) and not gap.isspace() and any(mark in gap for mark in ".;:!?,")


def says_absence(words: Sequence[str], index: int, sort: str) -> bool:
    """Whether the word there says that there is no value (``none``), or that any will do (``dontcare``)."""
    word = words[index]
    if sort == "none":
        return word in ABSENT or is_negation(word)
    if word in INDIFFERENT:
        return True
    return word in DENIED_CARE and any(is_negation(before) for before in words[max(0, index - 4) : index])
