"""Pairwise: which of two responses is better, with a tie and both bad."""

from __future__ import annotations

from typing import Final

from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, Felt, Shows
from dialeval.annotation.kinds.options import OneChoice
from dialeval.data.types import Judgement
from dialeval.ratings.preferences import Preference

TIE: Final = "tie"
BOTH_BAD: Final = "both_bad"


class Pairwise(OneChoice):
    """The better one by the id of its candidate, ``{"choice": "k3f9"}``, or ``tie``, ``both_bad`` or null.

    Judgements give the better system 1 and the other 0, both 0.5 in a tie, both 0 if both are bad.
    """

    name: Final = "pairwise"
    shows: Shows = "pair"

    def ask(self, criterion: str) -> Ask:
        """A, B, a tie or both bad."""
        return Ask(self.name, criterion, "Which response is better in this respect?")

    def choices(self, ask: Ask, item: Item) -> tuple[str, ...]:
        """Both responses, a tie, and both bad."""
        return (*(candidate.id for candidate in item.candidates[:2]), TIE, BOTH_BAD)

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One for each of the two systems."""
        return tuple(
            Judgement(source.item, system, rater, ask.criterion, _value(candidate, answer["choice"]))
            for candidate, system in source.systems.items()
        )

    def preferences(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Preference, ...]:
        """The preference; a tie also if both are bad, none if the rater could not say."""
        if answer["choice"] is None:
            return ()
        (first, a), (_, b) = list(source.systems.items())[:2]
        if answer["choice"] in (TIE, BOTH_BAD):
            return (Preference(source.item, rater, a, b, "tie", criterion=ask.criterion),)
        return (
            Preference(
                source.item, rater, a, b, "a" if answer["choice"] == first else "b", criterion=ask.criterion
            ),
        )

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The better one; a tie if they differ by less than 0.1, both bad if both are below 0.2."""
        first, second = (candidate.id for candidate in item.candidates[:2])
        a, b = felt(first), felt(second)
        if max(a, b) < 0.2:
            return {"choice": BOTH_BAD}
        return {"choice": TIE if abs(a - b) < 0.1 else first if a > b else second}


def _value(candidate: str, choice: object) -> float | None:
    if choice is None:
        return None
    return {TIE: 0.5, BOTH_BAD: 0.0}.get(str(choice), float(candidate == choice))
