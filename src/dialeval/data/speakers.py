"""Who said what, where a source does not tell."""

from __future__ import annotations

from collections.abc import Sequence

from dialeval.data.types import Context, Turn


def alternating(texts: Sequence[str], *, last: str = "user") -> Context:
    """Turns of two speakers who take turns, ``last`` speaking last.

    >>> [turn.speaker for turn in alternating(["Hi.", "Hello.", "Tea?"])]
    ['user', 'assistant', 'user']
    """
    other = "assistant" if last == "user" else "user"
    ends = len(texts) - 1
    return tuple(Turn(last if (ends - at) % 2 == 0 else other, text) for at, text in enumerate(texts))
