"""Pairs of utterances as a detector's model reads them."""

from __future__ import annotations

from dialeval.consistency.pairs.types import Pair


def segments_of(pair: Pair) -> tuple[str, ...]:
    """Earlier utterance, response, then the other speaker's turn between them where it is known.

    The two that may contradict each other come first, so that pairs with and without a turn between look alike.
    """
    return (
        (pair.earlier, pair.response, pair.between) if pair.between.strip() else (pair.earlier, pair.response)
    )
