"""Base class of the scorers without references, effects of each turn on their scores, and the worst dialogues."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

import numpy as np

from dialeval.core import Floats, Metric
from dialeval.data.types import Dialogue, Example
from dialeval.metrics.rows import MeanOfValues
from dialeval.selfeval import subjects as judging
from dialeval.selfeval.document import WeighedDialogue, WeighedTurn
from dialeval.selfeval.subjects import Subject, are_judged, turn_numbers, turns_of, unscorable


class Scorer(MeanOfValues[Subject], ABC):
    """A metric of responses in their context and of whole dialogues; a subclass has ``name`` and ``values``."""

    __slots__ = ()
    version: ClassVar[int] = 3
    higher_is_better: ClassVar[bool] = True
    whole_dialogues: ClassVar[bool] = True

    def unscorable(self, subject: Subject) -> str | None:
        """Reason why nothing can be judged here, or None."""
        return judging.unscorable(subject)

    def statistics(self, subjects: Sequence[Subject]) -> Floats:
        """Rows of the subject's value and 1; of two zeros if nothing can be judged."""
        rows = np.zeros((len(subjects), 2))
        scorable = [index for index, subject in enumerate(subjects) if self.unscorable(subject) is None]
        if scorable:
            rows[scorable, 0] = self.values([subjects[index] for index in scorable])
            rows[scorable, 1] = 1
        return rows

    @abstractmethod
    def values(self, subjects: Sequence[Subject]) -> Floats:
        """The value of each subject, none of them unscorable, shape (subjects,)."""


Values = Callable[[Sequence[Dialogue]], Sequence[float]]
"""The score of each dialogue; NaN if it has none."""


def removal_effects(subject: Subject, values: Values) -> list[float]:
    """The score without each turn minus that of all turns; NaN if fewer than two others would be left.

    All are NaN if the subject has no score.
    """
    turns = turns_of(subject)
    if len(turns) < 3 or unscorable(subject) is not None:
        return [float("nan")] * len(turns)
    whole = subject if isinstance(subject, Dialogue) else Dialogue(subject.item, (), subject.system)
    kept = [turns, *(turns[:place] + turns[place + 1 :] for place in range(len(turns)))]
    before, *after = values([replace(whole, turns=each) for each in kept])
    return [value - before for value in after]


MOST: Final = 3
"""Dialogues of a system that are weighed turn by turn."""
_TURNS: Final = 20
"""Turns of a dialogue that are shown, the last ones."""
_CHARACTERS: Final = 1_000


def worst_dialogues(
    label: str, metric: Metric[Any], subjects: Sequence[Any], values: Floats, *, most: int = MOST
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
