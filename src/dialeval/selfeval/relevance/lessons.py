"""Pairs of a context and what was said next, from dialogues; and how a bi-encoder reads them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from dialeval.data.types import Context, Dialogue

TURNS: Final = 3
"""Turns of a context that are read at most."""


class Pair(NamedTuple):
    """A context, oldest turn first, and its next turn."""

    context: tuple[str, ...]
    response: str
    source: str
    """The corpus it comes from, where its dialogue says so: pairs of one corpus make the harder false responses."""


def context_segments(context: Sequence[str]) -> list[str]:
    """A context as the encoder reads it: its last turns, and an empty segment, which marks that a turn is to come."""
    return [*context[-TURNS:], ""]


def response_segments(response: str) -> list[str]:
    """A response as the encoder reads it."""
    return [response]


def spoken_texts(context: Context) -> list[str]:
    """The turns that say something."""
    return [turn.text for turn in context if turn.text.strip()]


def pairs_of(dialogues: Iterable[Dialogue], *, seed: int) -> list[Pair]:
    """Every turn after the first with one to three turns before it, the number drawn by ``seed``."""
    draw = random.Random(seed)
    pairs = []
    for dialogue in dialogues:
        texts = spoken_texts(dialogue.turns)
        source = str(dialogue.metadata.get("corpus", ""))
        for place in range(1, len(texts)):
            before = min(place, draw.choice(range(1, TURNS + 1)))
            pairs.append(Pair(tuple(texts[place - before : place]), texts[place], source))
    return pairs
