"""Words that deny what stands beside them (English)."""

from __future__ import annotations

from typing import Final

_NEGATIONS: Final = (
    "not no non none never without cannot lack neither nor unsuitable prohibited isnt doesnt dont "
    "unwelcome banned unavailable forbidden"
)
NEGATIONS: Final = frozenset(_NEGATIONS.split())
"""Words that deny; so does any that ends in n't."""


def is_not(word: str) -> bool:
    """Whether a word denies what comes after it."""
    return word in ("not", "never") or word.endswith("n't")


def is_negation(word: str) -> bool:
    """Whether a word denies."""
    return word in NEGATIONS or word.endswith("n't")
