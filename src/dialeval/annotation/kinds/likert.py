"""Likert: one answer of a named scale about a response or a dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dialeval.annotation.forms import Option
from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, BadAnswer, Felt, Field, Shows, Values
from dialeval.data.types import Judgement

CANNOT_SAY: Final = "cannot_say"
"""Posted as the value by a rater who cannot judge."""


class Likert:
    """One value of a scale, ``{"value": 4}``; null where the rater could not judge."""

    name: Final = "likert"
    shows: Shows = "any"

    def ask(self, criterion: str) -> Ask:
        """From 1 (very bad) to 5 (very good)."""
        anchors = ("very bad", "bad", "neither good nor bad", "good", "very good")
        options = tuple(Option(value, str(value), meaning) for value, meaning in enumerate(anchors, start=1))
        return Ask(self.name, criterion, f"How do you rate the last response: {criterion}?", options)

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """One value, or that it cannot be judged."""
        values = tuple(str(option.value) for option in ask.options)
        return (Field("value", (*values, CANNOT_SAY) if ask.cannot_say else values),)

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """The value as a number; null for cannot say and where nothing was required."""
        written = Values(payload).text("value", most=40)
        if not written and ask.required:
            raise BadAnswer("value", "required")
        if not written or (ask.cannot_say and written == CANNOT_SAY):
            return {"value": None}
        value = Values(payload).number("value")
        if value not in [option.value for option in ask.options]:
            raise BadAnswer("value", "not_an_option")
        return {"value": value}

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One judgement of the item's system."""
        system = next(iter(source.systems.values()), source.system)
        return (Judgement(source.item, system, rater, ask.criterion, _number(answer["value"])),)

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The option nearest to what is felt."""
        ordered = sorted(option.value for option in ask.options)
        good = felt(item.candidates[0].id if item.candidates else "")
        return {"value": ordered[round(min(max(good, 0), 1) * (len(ordered) - 1))]}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
