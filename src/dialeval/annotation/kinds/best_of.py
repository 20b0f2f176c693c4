"""Best-of: the best of several responses, or that none is good."""

from __future__ import annotations

from typing import Final

from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, Felt, Shows
from dialeval.annotation.kinds.options import OneChoice
from dialeval.data.types import Judgement
from dialeval.ratings.preferences import Preference

NONE: Final = "none"


class BestOf(OneChoice):
    """The best one by the id of its candidate, ``{"choice": "k3f9"}``; ``none`` if no response is good.

    Judgements give the best 1 and the others 0. Preferences say that the best was preferred to each of the others,
    and nothing of these among themselves.
    """

    name: Final = "best_of"
    shows: Shows = "candidates"

    def ask(self, criterion: str) -> Ask:
        """One of the responses, or none."""
        return Ask(self.name, criterion, "Which response is the best in this respect?")

    def choices(self, ask: Ask, item: Item) -> tuple[str, ...]:
        """Each response, and none."""
        return (*(candidate.id for candidate in item.candidates), NONE)

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One for each system."""
        choice = answer["choice"]
        return tuple(
            Judgement(
                source.item,
                system,
                rater,
                ask.criterion,
                None if choice is None else float(candidate == choice),
            )
            for candidate, system in source.systems.items()
        )

    def preferences(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Preference, ...]:
        """The best against each of the others."""
        best = source.systems.get(str(answer["choice"]))
        if best is None:
            return ()
        others = [system for candidate, system in source.systems.items() if candidate != answer["choice"]]
        return tuple(
            Preference(source.item, rater, best, other, "a", criterion=ask.criterion) for other in others
        )

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The one felt to be best; none if all are below 0.1."""
        feelings = {candidate.id: felt(candidate.id) for candidate in item.candidates}
        best = max(feelings, key=feelings.__getitem__)
        return {"choice": best if feelings[best] >= 0.1 else NONE}
