"""The worst dialogues of a system under a scorer, with the turn of each that lowers its score most."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from dialeval.core import Floats, WeighsTurns
from dialeval.data.types import Dialogue, Example
from dialeval.selfeval.document import WeighedDialogue, WeighedTurn
from dialeval.selfeval.subjects import turns_of

MOST: Final = 3
"""Dialogues of a system that are weighed turn by turn."""
_TURNS: Final = 20
"""Turns of a dialogue that are shown, the last ones."""
_CHARACTERS: Final = 1_000


def worst_dialogues(
    label: str, metric: WeighsTurns, subjects: Sequence[Any], values: Floats, *, most: int = MOST
) -> Iterator[WeighedDialogue]:
    """The ``most`` subjects with the lowest values, the lowest first; subjects without a value have no turns to weigh.

    What is neither an example nor a dialogue, such as several runs of one, is left out.
    """
    known = [
        (float(value), place)
        for place, (value, subject) in enumerate(zip(values.tolist(), subjects, strict=True))
        if not math.isnan(value) and isinstance(subject, Example | Dialogue)
    ]
    for value, place in sorted(known)[:most]:
        subject = subjects[place]
        yield weighed(label, subject, value, metric.turn_effects(subject))


def weighed(
    label: str, subject: Example | Dialogue, value: float, effects: Sequence[float]
) -> WeighedDialogue:
    """The subject's last turns with their effects; the first of the highest is the worst, if it lowers the score."""
    turns = turns_of(subject)
    known = [effect if math.isfinite(effect) else None for effect in effects]
    highest = max((effect for effect in known if effect is not None), default=0.0)
    worst = known.index(highest) if highest > 0 else None
    shown = [
        WeighedTurn(turn.name or turn.speaker, _cut(turn.text), known[place], place == worst)
        for place, turn in enumerate(turns)
    ]
    earlier = max(len(shown) - _TURNS, 0)
    return WeighedDialogue(label, subject.system, subject.item, value, tuple(shown[earlier:]), earlier)


def _cut(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]} …"
