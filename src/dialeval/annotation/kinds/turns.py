"""Rating of each turn of a dialogue on a named scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, Felt, Field, Shows
from dialeval.annotation.kinds.options import (
    chosen_value,
    nearest,
    number,
    option_values,
    scale,
    system_of,
    written,
)
from dialeval.data.types import Judgement


class Turns:
    """A value for each turn of the assistant, ``{"turns": {"2": 4, "4": null}}``, counted from 1.

    If nobody is the assistant, as in dialogues of two people, each turn is rated. Judgements name the item and
    the turn as ``ITEM/TURN``.
    """

    name: Final = "turns"
    shows: Shows = "dialogue"

    def ask(self, criterion: str) -> Ask:
        """From 1 (bad) to 3 (good) for each turn."""
        return Ask(
            self.name, criterion, "How good is each turn in this respect?", scale(("bad", "passable", "good"))
        )

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """One for each turn that is rated."""
        values = option_values(ask)
        return tuple(Field(f"turn_{turn}", values) for turn in rated_turns(item))

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """A value, or null, for each turn that is rated."""
        return {
            "turns": {str(turn): chosen_value(ask, payload, f"turn_{turn}") for turn in rated_turns(item)}
        }

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One judgement for each turn."""
        system = system_of(source)
        return tuple(
            Judgement(f"{source.item}/{turn}", system, rater, ask.criterion, number(value))
            for turn, value in _by_turn(answer).items()
        )

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The value of each turn as it stands in the form."""
        return {f"turn_{turn}": (written(value),) for turn, value in _by_turn(answer).items()}

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The option nearest to what is felt about each turn."""
        return {f"turn_{turn}": nearest(ask, felt(f"turn {turn}")) for turn in rated_turns(item)}


def rated_turns(item: Item) -> tuple[int, ...]:
    """The numbers, from 1, of the turns that are rated."""
    spoken = [(number, turn.speaker) for number, turn in enumerate(item.turns, start=1)]
    assistant = tuple(number for number, speaker in spoken if speaker == "assistant")
    return assistant or tuple(number for number, speaker in spoken if speaker != "system")


def _by_turn(answer: Answer) -> Mapping[str, object]:
    return cast("Mapping[str, object]", answer["turns"])
