"""Contradiction as a pair of turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, BadAnswer, Felt, Field, Shows, Values
from dialeval.annotation.kinds.options import CANNOT_SAY, abstaining, system_of
from dialeval.data.types import Judgement

NONE: Final = "none"
"""Posted if no turn contradicts another."""


class Contradiction:
    """The two turns that contradict each other, ``{"turns": [2, 6]}``, counted from 1.

    Empty if there are none, null if the rater could not say. The judgement is 1 or 0; the turns stay in the
    stored answer, which is exported beside it.
    """

    name: Final = "contradiction"
    shows: Shows = "dialogue"

    def ask(self, criterion: str) -> Ask:
        """Two turns, none, or cannot say."""
        return Ask(self.name, criterion, "Which two turns contradict each other?", cannot_say=True)

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """The turns, and a mark if there are none."""
        numbers = tuple(str(number) for number in range(1, len(item.turns) + 1))
        return Field("turns", numbers, many=True), Field("verdict", (NONE, *abstaining(ask)))

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """Two different turns of the item, earlier first; or a mark and no turn."""
        numbers, verdicts = (field.values for field in self.fields(ask, item))
        values = Values(payload)
        given, verdict = values.texts("turns", most=100), values.text("verdict", most=20)
        if verdict and (given or verdict not in verdicts):
            raise BadAnswer("verdict", "not_an_option")
        if set(given) - set(numbers):
            raise BadAnswer("turns", "not_a_turn")
        if len(set(given)) < len(given):
            raise BadAnswer("turns", "twice")
        if verdict or (not given and not ask.required):
            return {"turns": [] if verdict == NONE else None}
        if len(given) != 2:
            raise BadAnswer("turns", "incomplete" if given else "required")
        return {"turns": sorted(map(int, given))}

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """1 if two turns contradict each other, 0 if none do."""
        turns = _turns(answer)
        value = None if turns is None else float(bool(turns))
        return (Judgement(source.item, system_of(source), rater, ask.criterion, value),)

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The turns, or the mark."""
        turns = _turns(answer)
        if turns:
            return {"turns": tuple(map(str, turns))}
        return {"verdict": (CANNOT_SAY if turns is None else NONE,)}

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The two turns felt to be worst if the item is felt to be bad, and no pair otherwise."""
        numbers = range(1, len(item.turns) + 1)
        good = felt(item.candidates[0].id if item.candidates else "")
        if good >= 0.5 or len(numbers) < 2:
            return {"verdict": NONE}
        feelings = {number: felt(f"turn {number}") for number in numbers}
        return {"turns": [str(number) for number in sorted(feelings, key=feelings.__getitem__)[:2]]}


def _turns(answer: Answer) -> Sequence[int] | None:
    return cast("Sequence[int] | None", answer["turns"])
