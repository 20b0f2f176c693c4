"""Spoilt dialogues: turns exchanged, said again, or answered with what answers anything."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from dialeval.selfeval.construction.replacing import Texts

GENERIC: Final = (
    "I don't know.",
    "I'm not sure what you mean.",
    "OK.",
    "That's nice.",
    "I see.",
    "Yes, of course.",
    "Really?",
    "I think so.",
    "Maybe.",
    "Oh, that's great!",
    "Thank you.",
    "No, I don't think so.",
    "I like that too.",
    "What do you mean?",
    "That sounds good.",
    "I have no idea.",
)
"""Replies that fit almost anything and say almost nothing."""


def swap_turns(turns: Sequence[str], draw: random.Random) -> Texts:
    """Two turns of one speaker exchanged; the same dialogue where nobody spoke twice."""
    own = [(first, first + 2 * gap) for first in range(len(turns)) for gap in range(1, len(turns))]
    pairs = [(a, b) for a, b in own if b < len(turns) and turns[a] != turns[b]]
    if not pairs:
        return tuple(turns)
    first, second = draw.choice(pairs)
    swapped = list(turns)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    return tuple(swapped)


def shuffle_turns(turns: Sequence[str], draw: random.Random) -> Texts:
    """All turns in another order; the same dialogue where all turns are the same."""
    if len(set(turns)) < 2:
        return tuple(turns)
    shuffled = tuple(turns)
    while shuffled == tuple(turns):
        shuffled = tuple(draw.sample(list(turns), len(turns)))
    return shuffled


def repeat_turn(turns: Sequence[str], draw: random.Random) -> Texts:
    """The last turn is one that was said before, by either speaker."""
    return (*turns[:-1], draw.choice(turns[:-1])) if len(turns) > 1 else tuple(turns)


def reply_generically(turns: Sequence[str], draw: random.Random) -> Texts:
    """The last turn is a reply that fits anything."""
    return (*turns[:-1], draw.choice([reply for reply in GENERIC if reply != turns[-1]]))
