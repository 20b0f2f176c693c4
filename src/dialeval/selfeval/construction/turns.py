"""Spoilt dialogues: turns exchanged, said again, answered with what answers anything, or ended by a language model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from dialeval.core import Generator
from dialeval.data.types import Context
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


def fill_in_wrong_context(
    responses: Sequence[str], wrong: Sequence[Context], model: Generator, *, seed: int, kept: float = 0.4
) -> list[str | None]:
    """Each response with its beginning kept and the rest as the model continues another dialogue (Gupta et al., 2021).

    A language model that reads from left to right cannot fill a gap, so the gap is the end. None where the response has
    fewer than four words or the model added nothing.
    """
    draw = random.Random(seed)
    beginnings = []
    for response in responses:
        words = response.split()
        least = max(round(kept * len(words)), 2)
        beginnings.append(" ".join(words[: least + draw.randint(0, 1)]) if len(words) > 3 else "")
    asked = [row for row, beginning in enumerate(beginnings) if beginning]
    answers = model.generate([wrong[row] for row in asked], n=1, seed=seed)
    filled: list[str | None] = [None] * len(responses)
    for row, answer in zip(asked, answers, strict=True):
        said = answer[0].text.split() if answer else []
        size = len(responses[row].split()) - len(beginnings[row].split())
        if said:
            filled[row] = " ".join([beginnings[row], *said[: max(size, 1)]])
    return filled
