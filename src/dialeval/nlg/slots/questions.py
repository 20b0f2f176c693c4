"""Yes-no questions: a sentence that asks whether a thing has a property offers both answers."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from dialeval.text.spelling.tokens import Tokens, word_of

_VERBS: Final = (
    "do does did is are was were am would will should shall could can may might must has have had want need "
    "don't doesn't didn't isn't aren't wouldn't shouldn't won't can't"
)
_ASKING: Final = frozenset(map(word_of, _VERBS.split()))
"""Words with which a yes-no question begins."""
_BEFORE: Final = "sorry ok okay please so and well sure hello hi alright also just then or"
_OPENERS: Final = frozenset(_BEFORE.split())
"""Words that may stand before them."""
_INDIRECT: Final = frozenset({"whether", "if"})
_EITHER: Final = frozenset({("or", "not"), ("or", "no"), ("not", "or"), ("or", "without")})
_END: Final = re.compile(r"[.!?;]")


def asks_whether(text: str, tokens: Tokens, start: int, end: int) -> bool:
    """Whether the sentence around the words from ``start`` up to ``end`` asks yes or no, or offers both answers.

    >>> from dialeval.text.spelling.tokens import tokenise
    >>> [asks_whether(text, tokenise(text), 2, 3) for text in ("are your kids coming", "we like kids")]
    [True, False]
    """
    first, last = _sentence(text, tokens, start, end)
    words = tokens.words[first:last]
    if text[tokens.ends[last - 1] :].lstrip(" )\"'").startswith("?"):
        return True
    if _INDIRECT & set(words) or any(pair in _EITHER for pair in pairwise(words)):
        return True
    opening = next((word for word in words if word not in _OPENERS), "")
    return opening in _ASKING


def _sentence(text: str, tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """The words of the sentence that holds these."""
    while start and not _END.search(text, tokens.ends[start - 1], tokens.starts[start]):
        start -= 1
    while end < len(tokens.words) and not _END.search(text, tokens.ends[end - 1], tokens.starts[end]):
        end += 1
    return start, end
