"""Statements as the listener would say them: first person becomes second, and second becomes first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_PHRASES: Final[Mapping[str, str]] = {
    "i am": "you are",
    "i was": "you were",
    "am i": "are you",
    "was i": "were you",
    "i'm": "you're",
    "i've": "you've",
    "i'd": "you'd",
    "i'll": "you'll",
    "you are": "I am",
    "you were": "I was",
    "are you": "am I",
    "were you": "was I",
    "you're": "I'm",
    "you've": "I've",
    "you'd": "I'd",
    "you'll": "I'll",
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "our": "your",
    "us": "you",
    "we": "you",
    "your": "my",
    "yours": "mine",
    "yourself": "myself",
}
_OBJECTS: Final = re.compile(
    r"\b(to|for|with|about|from|of|at|by|like|than|see|saw|tell|told|ask|asked|help|thank|love|miss|know|meet|met"
    r"|hear|give|gave|show|let|call)\s+you\b",
    re.IGNORECASE,
)
_FENCE: Final = "\0"
_ALL: Final = re.compile(
    r"\b(" + "|".join(sorted(map(re.escape, _PHRASES), key=len, reverse=True)) + r"|you)\b", re.IGNORECASE
)


def as_heard(sentence: str) -> str:
    """The statement with its persons exchanged, for a question about it.

    >>> as_heard("I am sure that my dog told you.")
    'You are sure that your dog told me.'
    """
    plain = sentence.replace("’", "'")
    # "you" is an object after these words, a subject elsewhere; the fence keeps it from being exchanged twice.
    fenced = _OBJECTS.sub(lambda match: f"{match[1]} {_FENCE}", plain)
    changed = _ALL.sub(_exchanged, fenced).replace(_FENCE, "me")
    return changed[:1].upper() + changed[1:]


def _exchanged(match: re.Match[str]) -> str:
    return _PHRASES.get(match[0].lower(), "I")
