"""Features of a response in its context, one small function each, with the direction that is good."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from dialeval.encoder.adapters import Adapted, AdapterFile, load_adapter
from dialeval.selfeval.metric import EMBEDDED, adapter_file
from dialeval.selfeval.quality.moments import Moment, Said
from dialeval.selfeval.quality.words import information
from dialeval.selfeval.turnwise.network import REACH
from dialeval.selfeval.turnwise.scoring import vector_scores

RECENT: Final = 4
"""How many turns count as recent."""


class TurnFeature(NamedTuple):
    """A number for a moment; NaN where it is undefined."""

    measure: Callable[[Moment], float]
    direction: int
    """1 where more is better, -1 where less is."""


def last_cosine(moment: Moment) -> float:
    """Likeness in meaning to the turn that is answered."""
    return _cosines(moment.response, [moment.last])[0]


def recent_cosine(moment: Moment) -> float:
    """Mean likeness to the last four turns of either side."""
    return float(np.mean(_cosines(moment.response, moment.earlier[-RECENT:])))


def partner_cosine(moment: Moment) -> float:
    """Mean likeness to all that the other side said."""
    return float(np.mean(_cosines(moment.response, moment.others))) if moment.others else math.nan


def own_cosine(moment: Moment) -> float:
    """Likeness to the closest of one's own earlier turns: above all, repetition in other words."""
    return max(_cosines(moment.response, moment.own), default=math.nan)


def own_overlap(moment: Moment) -> float:
    """Share of the response's information in words that one has used before; 0 where it has no words."""
    said = {word for turn in moment.own for word in turn.words}
    whole = information(moment.response.words)
    return information(said.intersection(moment.response.words)) / whole if whole else 0.0


def own_repeat(moment: Moment) -> float:
    """1 where one has said the very same before, else 0."""
    return float(any(turn.words == moment.response.words for turn in moment.own))


def repeated_bigrams(moment: Moment) -> float:
    """Share of the response's word pairs that are not the first of their kind in it; 0 where it has none."""
    words = moment.response.words
    pairs = Counter(itertools.pairwise(words))
    return 1 - len(pairs) / pairs.total() if pairs else 0.0


def response_information(moment: Moment) -> float:
    """Logarithm of 1 plus the information in the response's words."""
    return math.log1p(information(moment.response.words))


def asks(moment: Moment) -> float:
    """1 where the response has a question mark, else 0."""
    return float(moment.response.asks)


def next_turn(moment: Moment) -> float:
    """How probably this is the next turn and not a stranger's, as `selfeval` has learnt it, of turns as a whole."""
    units = [said.unit for said in (*moment.earlier[-REACH:], moment.response)]
    return float(vector_scores(_network(), [np.stack(units)])[0])


def embedded_adapter() -> AdapterFile:
    """The adapter of `selfeval` that comes with dialeval."""
    return adapter_file(EMBEDDED, "selfeval")


@cache
def _network() -> Adapted:
    return load_adapter(embedded_adapter())


def _cosines(response: Said, turns: Sequence[Said]) -> list[float]:
    """Cosines in [-1, 1], but 0 for another's turn in the very same words: an echo does not answer."""
    return [
        0.0 if _echoes(response, turn) else float(np.clip(turn.unit @ response.unit, -1, 1)) for turn in turns
    ]


def _echoes(response: Said, turn: Said) -> bool:
    return turn.speaker != response.speaker and turn.words == response.words


TURN_FEATURES: Final[Mapping[str, TurnFeature]] = {
    "last_cosine": TurnFeature(last_cosine, 1),
    "recent_cosine": TurnFeature(recent_cosine, 1),
    "partner_cosine": TurnFeature(partner_cosine, 1),
    "own_cosine": TurnFeature(own_cosine, -1),
    "own_overlap": TurnFeature(own_overlap, -1),
    "own_repeat": TurnFeature(own_repeat, -1),
    "repeated_bigrams": TurnFeature(repeated_bigrams, -1),
    "response_information": TurnFeature(response_information, 1),
    "asks": TurnFeature(asks, 1),
    "next_turn": TurnFeature(next_turn, 1),
}
