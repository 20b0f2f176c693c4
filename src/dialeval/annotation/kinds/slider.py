"""Slider: a value between two ends, in steps or continuous."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dialeval.annotation.forms import Option
from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, BadAnswer, Felt, Field, Shows, Values
from dialeval.annotation.kinds.options import CANNOT_SAY, abstaining, number, system_of, written
from dialeval.data.types import Judgement


class Slider:
    """A number from ``lowest`` to ``highest``, ``{"value": 62.0}``; null if the rater could not judge.

    Until the rater moves it, a slider has no value: the middle is an answer like any other. A ``step`` of 0 takes any
    number between the ends.
    """

    name: Final = "slider"
    shows: Shows = "any"

    def ask(self, criterion: str) -> Ask:
        """From 0 (the worst imaginable) to 100 (the best imaginable)."""
        anchors = (Option(0, "worst", "the worst imaginable"), Option(100, "best", "the best imaginable"))
        return Ask(
            self.name,
            criterion,
            "How good is the last response in this respect?",
            anchors,
            lowest=0,
            highest=100,
        )

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """The number, and a mark if it cannot be judged."""
        return (Field("value"), *(Field(name, ("1",)) for name in abstaining(ask)))

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """The number, which must lie between the ends and on a step."""
        values = Values(payload)
        if abstaining(ask) and values.text(CANNOT_SAY, most=10):
            return {"value": None}
        value = values.number("value")
        if value is None:
            if ask.required:
                raise BadAnswer("value", "required")
            return {"value": None}
        steps = (value - ask.lowest) / ask.step if ask.step else 0.0
        if not ask.lowest <= value <= ask.highest or abs(steps - round(steps)) > 1e-6:
            raise BadAnswer("value", "out_of_scale")
        return {"value": value}

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One judgement of the item's system."""
        return (Judgement(source.item, system_of(source), rater, ask.criterion, number(answer["value"])),)

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The number, or the mark."""
        if answer["value"] is None:
            return {CANNOT_SAY: ("1",)}
        return {"value": (written(answer["value"]),)}

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The step nearest to what is felt."""
        good = min(max(felt(item.candidates[0].id if item.candidates else ""), 0), 1)
        above = good * (ask.highest - ask.lowest)
        return {"value": ask.lowest + (round(above / ask.step) * ask.step if ask.step else round(above, 6))}
