"""Shared parts of the kinds that ask for one option of a list, or for one of the candidates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from dialeval.annotation.forms import Option
from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, BadAnswer, Felt, Field, Shows, Values
from dialeval.data.types import Judgement

CANNOT_SAY: Final = "cannot_say"
"""Posted by a rater who cannot judge."""


class OneOption:
    """One value, ``{"value": 4}``; null if the rater could not judge. Kinds add a name and default wording."""

    shows: Shows = "any"

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """One value, or that it cannot be judged."""
        return (Field("value", option_values(ask)),)

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """The value as a number; null for cannot say and if nothing was required."""
        return {"value": chosen_value(ask, payload, "value")}

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One judgement of the item's system."""
        return (Judgement(source.item, system_of(source), rater, ask.criterion, number(answer["value"])),)

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The value as it stands in the form."""
        return {"value": (written(answer["value"]),)}

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The option nearest to what is felt."""
        return {"value": nearest(ask, felt(item.candidates[0].id if item.candidates else ""))}


class OneChoice(ABC):
    """One candidate by its id, or one of a few other words, ``{"choice": "k3f9"}``; null if the rater cannot say."""

    @abstractmethod
    def choices(self, ask: Ask, item: Item) -> tuple[str, ...]:
        """Choices, beside that the rater cannot say."""

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """One choice."""
        return (Field("choice", (*self.choices(ask, item), *abstaining(ask))),)

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """The choice; null for cannot say and if nothing was required."""
        choice = Values(payload).text("choice", most=200)
        if not choice and ask.required:
            raise BadAnswer("choice", "required")
        if choice and choice not in self.fields(ask, item)[0].values:
            raise BadAnswer("choice", "not_an_option")
        return {"choice": None if choice in ("", CANNOT_SAY) else choice}

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The choice."""
        return {"choice": (str(answer["choice"] or CANNOT_SAY),)}


def scale(anchors: Sequence[str], *, first: int = 1) -> tuple[Option, ...]:
    """Options with the values ``first`` onwards, worst first, whose labels are their values."""
    return tuple(Option(value, str(value), meaning) for value, meaning in enumerate(anchors, start=first))


def option_values(ask: Ask) -> tuple[str, ...]:
    """Values of a field that takes one option of the ask."""
    return (*(str(option.value) for option in ask.options), *abstaining(ask))


def abstaining(ask: Ask) -> tuple[str, ...]:
    """Mark of a rater who does not judge: also if nothing is required, to take a choice back."""
    return (CANNOT_SAY,) if ask.cannot_say or not ask.required else ()


def chosen_value(ask: Ask, payload: Mapping[str, object], name: str) -> float | None:
    """The value of a field that takes one option; raises BadAnswer unless it is one."""
    text = Values(payload).text(name, most=40)
    if not text and ask.required:
        raise BadAnswer(name, "required")
    if not text or text in abstaining(ask):
        return None
    value = Values(payload).number(name)
    if value not in [option.value for option in ask.options]:
        raise BadAnswer(name, "not_an_option")
    return value


def nearest(ask: Ask, felt: float) -> int:
    """The value at this height of the scale, from 0 (the lowest) to 1."""
    ordered = sorted(option.value for option in ask.options)
    return ordered[round(min(max(felt, 0), 1) * (len(ordered) - 1))]


def system_of(source: Source) -> str:
    """The system that the whole item shows; empty if it shows several."""
    systems = set(source.systems.values())
    return systems.pop() if len(systems) == 1 else source.system


def number(value: object) -> float | None:
    """A number of a stored answer; None if it has none."""
    return float(value) if isinstance(value, (int, float)) else None


def written(value: object) -> str:
    """A value of a stored answer as its form field holds it."""
    known = number(value)
    if known is None:
        return CANNOT_SAY
    # The shortest text that reads back as the same number, so that an answer shown again is the answer given.
    return str(int(known)) if known == int(known) and abs(known) < 1e15 else repr(float(known))
