"""The worst dialogues of a system under a scorer, with the turn of each that lowers its score most."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from dialeval.core import Floats, WeighsTurns
from dialeval.data.types import Dialogue, Example
from dialeval.selfeval.document import WeighedDialogue, WeighedTurn
from dialeval.selfeval.subjects import are_judged, turn_numbers, turns_of

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
    """The subject's last turns with their effects, and the worst of them marked."""
    turns, worst = turns_of(subject), worst_turn(subject, effects)
    known = [effect if math.isfinite(effect) else None for effect in effects]
    shown = [
        WeighedTurn(number, turn.name or turn.speaker, _cut(turn.text), known[place], place == worst)
        for place, (number, turn) in enumerate(zip(turn_numbers(subject), turns, strict=True))
    ]
    earlier = max(len(shown) - _TURNS, 0)
    return WeighedDialogue(label, subject.system, subject.item, value, tuple(shown[earlier:]), earlier)


def worst_turn(subject: Example | Dialogue, effects: Sequence[float]) -> int | None:
    """Place, among `turns_of`, of the judged side's turn without which the score would rise most.

    None if no such turn lowers the score. A user's turn is never the worst: nobody can improve it.
    """
    known = [
        (effect, -place)
        for place, (effect, judged) in enumerate(zip(effects, are_judged(subject), strict=True))
        if judged and effect > 0 and math.isfinite(effect)
    ]
    return -max(known)[1] if known else None


def _cut(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]} …"
