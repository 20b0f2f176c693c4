"""Sentences: a value for each of several responses to one act."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, BadAnswer, Felt, Field, Shows
from dialeval.annotation.kinds.options import chosen_value, nearest, number, option_values, scale, written
from dialeval.data.types import Judgement


class Sentences:
    """A value for each response by the id of its candidate, ``{"values": {"k3f9": 4, "x2": 1}}``.

    As Sharma et al. (2017, section 5.3) asked: five sentences of one act in random order, each from 1 to 5. On the
    scale 0-5, 0 is for a sentence that is not grammatical. A judgement is the value, 0 included; null if the rater
    could not judge.
    """

    name: Final = "sentences"
    shows: Shows = "candidates"

    def ask(self, criterion: str) -> Ask:
        """From 1 (very bad) to 5 (very good), for each response."""
        options = scale(("very bad", "bad", "neither good nor bad", "good", "very good"))
        return Ask(self.name, criterion, "How good is each response in this respect?", options)

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """A value for each response."""
        return tuple(Field(f"value_{candidate.id}", option_values(ask)) for candidate in item.candidates)

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """A value for every response; an answer that lacks some is refused."""
        names = {candidate.id: f"value_{candidate.id}" for candidate in item.candidates}
        values: dict[str, float | None] = {}
        for candidate, name in names.items():
            try:
                values[candidate] = chosen_value(ask, payload, name)
            except BadAnswer as error:
                begun = any(payload.get(other) not in (None, "", []) for other in names.values())
                lacks = error.fault == "required" and begun
                raise BadAnswer(name, "incomplete" if lacks else error.fault) from None
        return {"values": values}

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One for each response."""
        values = _values(answer)
        return tuple(
            Judgement(source.item, system, rater, ask.criterion, number(values.get(candidate)))
            for candidate, system in source.systems.items()
        )

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The value of each response."""
        return {f"value_{candidate}": (written(value),) for candidate, value in _values(answer).items()}

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The option nearest to what is felt of each response."""
        return {f"value_{each.id}": nearest(ask, felt(each.id)) for each in item.candidates}


def _values(answer: Answer) -> Mapping[str, float | None]:
    return cast("Mapping[str, float | None]", answer["values"])
