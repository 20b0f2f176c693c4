"""Features of a whole dialogue beside the means of its responses' own, one small function each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.files import EMBEDDED
from dialeval.encoder.sentences import unit_vectors
from dialeval.selfeval.quality.moments import Said, Talk

# Written for this purpose; by its likeness to these a reaction is known to be puzzled or pleased.
PUZZLED: Final = (
    "What are you talking about?",
    "That doesn't make any sense.",
    "That's not what I asked.",
    "You already said that.",
    "You didn't answer my question.",
    "I don't understand you.",
    "Are you a robot?",
    "You are weird.",
    "Stop repeating yourself.",
    "Huh? What?",
    "I just told you that.",
    "That has nothing to do with what I said.",
)
PLEASED: Final = (
    "That's really interesting!",
    "Wow, that's so cool!",
    "I love that too!",
    "Haha, that's funny!",
    "It was nice talking to you.",
    "Tell me more about it!",
    "That makes sense.",
    "You're right, good point.",
    "That sounds great!",
    "Thanks, that is very helpful.",
)


class DialogueFeature(NamedTuple):
    """A number for a talk; NaN where it is undefined."""

    measure: Callable[[Talk], float]
    direction: int
    """1 where more is better, -1 where less is."""


def variety(talk: Talk) -> float:
    """Different words of the judged turns over the root of all their words (Guiraud, 1954); NaN without words."""
    words = [word for moment in talk.moments for word in moment.response.words]
    return len(set(words)) / math.sqrt(len(words)) if words else math.nan


def reaction(talk: Talk) -> float:
    """How much more the other side's later turns resemble pleased than puzzled ones, on average."""
    turns = partner_turns(talk)
    return float(np.mean([_pleasure(turn) for turn in turns])) if turns else math.nan


def partner_turns(talk: Talk) -> list[Said]:
    """What the other side said after it was first answered; nothing where both sides are judged."""
    judged = {moment.response.speaker for moment in talk.moments}
    first = len(talk.moments[0].earlier) if talk.moments else 0
    return [turn for turn in talk.turns[first:] if turn.speaker not in judged]


def _pleasure(turn: Said) -> float:
    pleased, puzzled = _reactions()
    return float((pleased @ turn.unit).max() - (puzzled @ turn.unit).max())


@cache
def _reactions() -> tuple[Floats, Floats]:
    """Unit vectors of pleased and of puzzled utterances, one row each."""
    units = unit_vectors((*PLEASED, *PUZZLED), EMBEDDED)
    return np.stack([units[text] for text in PLEASED]), np.stack([units[text] for text in PUZZLED])


DIALOGUE_FEATURES: Final[Mapping[str, DialogueFeature]] = {
    "variety": DialogueFeature(variety, 1),
    "reaction": DialogueFeature(reaction, 1),
}
