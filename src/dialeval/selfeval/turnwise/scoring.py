"""Scores of the turnwise network for examples and dialogues, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Dialogue, Turn
from dialeval.encoder.adapters import Adapted
from dialeval.encoder.sentences import to_units
from dialeval.selfeval.subjects import Exchange, Judged, exchanges_of
from dialeval.selfeval.turnwise.network import REACH, before, relevance_logits


def judged_scores(adapted: Adapted, subjects: Sequence[Judged]) -> list[list[float]]:
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
    units = _units(adapted, dialogues)
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
    units = _units(adapted, dialogues)
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


def _units(adapted: Adapted, dialogues: Sequence[Sequence[str]]) -> dict[str, Floats]:
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
