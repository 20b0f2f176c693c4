"""Error labels: what is wrong with a response, any number of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from dialeval.annotation.forms import Option
from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, BadAnswer, Felt, Field, Shows, Values
from dialeval.annotation.kinds.options import CANNOT_SAY, abstaining, system_of
from dialeval.data.types import Judgement

NONE: Final = "none"
"""Posted if nothing is wrong, so that an unanswered form is not taken for a flawless response."""


class Errors:
    """The labels that apply, ``{"labels": ["irrelevant"]}``; empty for none, null if the rater could not say.

    Judgements are one per label (``CRITERION:LABEL``, 1 or 0), for which agreement is computed, and the number of
    labels under the criterion itself.
    """

    name: Final = "errors"
    shows: Shows = "any"

    def ask(self, criterion: str) -> Ask:
        """Six mistakes that dialogue systems make."""
        labels = (
            ("contradictory", "it contradicts something that was said before"),
            ("irrelevant", "it has nothing to do with what was said before"),
            ("repetitive", "it repeats what was said before"),
            ("ungrammatical", "it is not a well-formed sentence"),
            ("untrue", "it says something false about the world"),
            ("unsafe", "it is offensive, harmful or dangerous"),
        )
        options = tuple(Option(value, label, meaning) for value, (label, meaning) in enumerate(labels, 1))
        return Ask(self.name, criterion, "What is wrong with the last response?", options)

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """The labels, and a mark for none of them."""
        return Field("labels", _labels(ask), many=True), Field("verdict", (NONE, *abstaining(ask)))

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """Labels in the order of the ask, each once; none and a label exclude each other."""
        values = Values(payload)
        given, verdict = values.texts("labels", most=100), values.text("verdict", most=20)
        if set(given) - set(_labels(ask)):
            raise BadAnswer("labels", "not_an_option")
        if verdict and (given or verdict not in self.fields(ask, item)[1].values):
            raise BadAnswer("verdict", "not_an_option")
        if not given and not verdict and ask.required:
            raise BadAnswer("labels", "required")
        if verdict == CANNOT_SAY or (not given and not verdict):
            return {"labels": None}
        return {"labels": [label for label in _labels(ask) if label in given]}

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One for each label, and how many there are."""
        given = cast("Sequence[str] | None", answer["labels"])
        system, criterion = system_of(source), ask.criterion
        count = None if given is None else float(len(given))
        marks = {
            f"{criterion}:{label}": None if given is None else float(label in given) for label in _labels(ask)
        }
        return tuple(
            Judgement(source.item, system, rater, name, value)
            for name, value in {criterion: count, **marks}.items()
        )

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The labels, or the mark for none of them."""
        given = cast("Sequence[str] | None", answer["labels"])
        return {"labels": tuple(given)} if given else {"verdict": (CANNOT_SAY if given is None else NONE,)}

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """No label for what is felt to be good, and the more the worse it is, always in the order of the ask."""
        good = min(max(felt(item.candidates[0].id if item.candidates else ""), 0), 1)
        marked = round((1 - good) * min(3, len(ask.options)))
        return {"labels": list(_labels(ask)[:marked])} if marked else {"verdict": NONE}


def _labels(ask: Ask) -> tuple[str, ...]:
    return tuple(option.label for option in ask.options)
