"""Spoilt wording: words dropped, repeated, shuffled or exchanged with a neighbour; all deterministic by the draw."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

Spoiler = Callable[[str, random.Random], str]


def drop_words(text: str, draw: random.Random, share: float = 0.3) -> str:
    """Without some of its words; at least one word goes and at least one stays."""
    words = text.split()
    gone = set(draw.sample(range(len(words)), _some(len(words), share)))
    return " ".join(word for place, word in enumerate(words) if place not in gone)


def repeat_words(text: str, draw: random.Random, share: float = 0.3) -> str:
    """Some of its words twice in a row."""
    words = text.split()
    twice = set(draw.sample(range(len(words)), max(_some(len(words), share), min(1, len(words)))))
    return " ".join(word if place not in twice else f"{word} {word}" for place, word in enumerate(words))


def shuffle_words(text: str, draw: random.Random) -> str:
    """Its words in another order; a text of one word, or of one word many times, stays."""
    words = text.split()
    if len(set(words)) < 2:
        return text
    shuffled = words
    while shuffled == words:
        shuffled = draw.sample(words, len(words))
    return " ".join(shuffled)


def swap_words(text: str, draw: random.Random, share: float = 0.3) -> str:
    """Some neighbouring words exchanged."""
    words = text.split()
    for _ in range(max(_some(len(words), share), 1) if len(words) > 1 else 0):
        place = draw.randrange(len(words) - 1)
        words[place], words[place + 1] = words[place + 1], words[place]
    return " ".join(words)


def _some(count: int, share: float) -> int:
    return min(max(round(share * count), 1), count - 1) if count > 1 else 0


WORDINGS: Final[tuple[Spoiler, ...]] = (drop_words, repeat_words, shuffle_words, swap_words)
