"""SelF-Eval turn by turn, without torch: how well each turn follows those before it.

A small network on vectors of single turns, which a frozen encoder makes once for all uses. Replacing a turn costs
nothing once it is encoded, so the network (`turnwise_trainer`) meets a hundred times the replacements that an encoder
of whole dialogues could be trained on in the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Dialogue, Turn
from dialeval.encoder.adapters import Adapted
from dialeval.encoder.files import Vectors
from dialeval.encoder.model import to_units
from dialeval.selfeval.subjects import Exchange, Subject, exchanges_of

REACH: Final = 4
"""Number of turns before a turn that are looked at."""
SCALARS: Final = 5
"""Cosines with the turn before, with the mean of those before, with one's own, the highest, and whether one spoke."""
LAST, MEAN, LEARNT = 10.0, 5.0, 3.0
"""Weights of the cosines with the turn before and with the mean, and the most that the network may add or take away.

Plain cosines agree with people about as well as anything learnt from so few dialogues; the network only corrects them.
"""
REPEAT: Final = 0.97
"""A turn whose cosine with an earlier one is higher says the same again: that is not an answer."""

Head = Mapping[str, Vectors]


class Before(NamedTuple):
    """The turns before a turn, as vectors."""

    last: Floats
    """The turn that it answers, shape (d,)."""
    mean: Floats
    """Of the last turns, at length 1."""
    own: Floats
    """Of the same speaker's turns among them, at length 1; 0 if there is none."""
    turns: Floats
    """The last turns themselves, latest first, filled up with 0, shape (REACH, d)."""


def before(units: Floats, place: int) -> Before:
    """Vectors before the turn at ``place``, of a dialogue whose turns are unit vectors; ``place`` is 1 or more."""
    turns = units[max(place - REACH, 0) : place][::-1]
    filled = np.zeros((REACH, units.shape[1]))
    filled[: len(turns)] = turns
    return Before(units[place - 1], _unit(turns.mean(axis=0)), _unit(turns[1::2].sum(axis=0)), filled)


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def relevance_logits(head: Head, turns: Floats, contexts: Sequence[Before]) -> Floats:
    """Logits that each turn, a unit vector, follows what stands before it, shape (n,)."""
    last, mean, own = (
        np.stack([getattr(each, name) for each in contexts]) for name in ("last", "mean", "own")
    )
    highest = np.einsum("nd,nkd->nk", turns, np.stack([each.turns for each in contexts])).max(axis=1)
    said = turns @ _wide(head, "said").T
    sides = ((last, "last"), (mean, "mean"), (own, "own"))
    products = [said * (side @ _wide(head, name).T) for side, name in sides]
    cosines = [(turns * side).sum(1) for side, _ in sides]
    scalars = np.stack([*cosines, highest, (own != 0).any(axis=1).astype(np.float64)], axis=1)
    features = np.concatenate([*products, scalars], axis=1)
    hidden = np.tanh(features @ _wide(head, "hidden.weight").T + _wide(head, "hidden.bias"))
    learnt = hidden @ _wide(head, "out.weight")[0] + _wide(head, "out.bias")[0]
    logits: Floats = LAST * cosines[0] + MEAN * cosines[1] + LEARNT * np.tanh(learnt)
    return np.where(highest > REPEAT, logits - LAST - MEAN, logits)


def _wide(head: Head, name: str) -> Floats:
    tensor = head[name if "." in name else f"{name}.weight"]
    return tensor.astype(np.float64)


def judged_scores(adapted: Adapted, subjects: Sequence[Subject]) -> list[list[float]]:
    """For each judged response of each subject, how probable it is that it is the next turn, not a stranger's."""
    exchanges = [exchanges_of(subject) for subject in subjects]
    scores = iter(response_scores(adapted, [exchange for own in exchanges for exchange in own]).tolist())
    return [[next(scores) for _ in own] for own in exchanges]


def response_scores(adapted: Adapted, exchanges: Sequence[Exchange]) -> Floats:
    """The score of each response after its context."""
    if not exchanges:
        return np.zeros(0)
    asked = [tuple(texts) for texts in _dialogues(exchanges)]
    # In one order, whatever the order of the subjects, so that rounding cannot show it.
    dialogues = sorted(set(asked))
    units = text_units(adapted, dialogues)
    scores = vector_scores(adapted, [np.stack([units[text] for text in texts]) for texts in dialogues])
    rows = {texts: row for row, texts in enumerate(dialogues)}
    ordered: Floats = scores[[rows[texts] for texts in asked]]
    return ordered


def vector_scores(adapted: Adapted, dialogues: Sequence[Floats]) -> Floats:
    """The score of each dialogue's last turn, of turns as unit vectors, two or more in each."""
    contexts = [before(units, len(units) - 1) for units in dialogues]
    responses = np.stack([units[-1] for units in dialogues])
    slope, shift = (float(adapted.about.facts[name]) for name in ("slope", "shift"))
    return _sigmoid(slope * relevance_logits(adapted.head, responses, contexts) + shift)


def exchange_units(adapted: Adapted, exchanges: Sequence[Exchange]) -> tuple[Floats, Floats]:
    """The vectors of responses, (n, d), and of the turns before each, latest first, (n, REACH, d)."""
    dialogues = _dialogues(exchanges)
    units = text_units(adapted, dialogues)
    stacks = [np.stack([units[text] for text in texts]) for texts in dialogues]
    return (
        np.stack([stack[-1] for stack in stacks]),
        np.stack([before(stack, len(stack) - 1).turns for stack in stacks]),
    )


def _dialogues(exchanges: Sequence[Exchange]) -> list[list[str]]:
    """The last turns before each response that say something, and the response."""
    return [
        [*[turn.text for turn in exchange.context if turn.text.strip()][-REACH:], exchange.response]
        for exchange in exchanges
    ]


def text_units(adapted: Adapted, dialogues: Iterable[Sequence[str]]) -> dict[str, Floats]:
    """The unit vector of each text of these dialogues, each different text encoded once."""
    texts = sorted({text for texts in dialogues for text in texts})
    tokens = adapted.encoder.tokens(texts, longest=adapted.about.longest)
    states = adapted.encoder.states(tokens, keep=lambda states: states.mean(axis=0))
    return dict(zip(texts, to_units(np.stack(states)), strict=True))


def _sigmoid(logits: Floats) -> Floats:
    values: Floats = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    return values


def replace_speakers(dialogue: Dialogue) -> Dialogue:
    """The dialogue with speakers of whom none is the assistant, or the system by name, so that every turn is judged."""
    turns = tuple(Turn("AB"[place % 2], turn.text) for place, turn in enumerate(dialogue.turns))
    return replace(dialogue, turns=turns, system="")
