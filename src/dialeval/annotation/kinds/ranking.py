"""Ranking: several responses from best to worst, ties allowed."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Final, cast

from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds.kind import Answer, Ask, BadAnswer, Felt, Field, Shows, Values
from dialeval.data.types import Judgement
from dialeval.ratings.preferences import Choice, Preference


class Ranking:
    """A rank for each response by the id of its candidate, ``{"ranks": {"k3f9": 1, "x2": 2}}``, 1 the best.

    Equal ranks are ties. A judgement is the share of the other responses that were ranked below, ties counting half,
    from 0 to 1: it does not depend on how many responses there are, nor on gaps between ranks.
    """

    name: Final = "ranking"
    shows: Shows = "candidates"

    def ask(self, criterion: str) -> Ask:
        """All responses, best first."""
        return Ask(
            self.name, criterion, "Rank the responses in this respect: 1 is the best, equal ranks are ties."
        )

    def fields(self, ask: Ask, item: Item) -> tuple[Field, ...]:
        """A rank for each response."""
        ranks = tuple(str(rank) for rank in range(1, len(item.candidates) + 1))
        return tuple(Field(f"rank_{candidate.id}", ranks) for candidate in item.candidates)

    def check(self, ask: Ask, item: Item, payload: Mapping[str, object]) -> Answer:
        """A rank for every response; no ranks at all if nothing was required."""
        given = {
            candidate.id: Values(payload).number(f"rank_{candidate.id}") for candidate in item.candidates
        }
        if not ask.required and set(given.values()) == {None}:
            return {"ranks": None}
        for candidate, rank in given.items():
            if rank is None:
                unranked = all(other is None for other in given.values())
                raise BadAnswer(f"rank_{candidate}", "required" if unranked else "incomplete")
            if rank not in range(1, len(given) + 1):
                raise BadAnswer(f"rank_{candidate}", "not_an_option")
        return {"ranks": {candidate: int(rank or 0) for candidate, rank in given.items()}}

    def judgements(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Judgement, ...]:
        """One for each response."""
        ranks = _ranks(answer)
        return tuple(
            Judgement(source.item, system, rater, ask.criterion, _share_below(candidate, ranks))
            for candidate, system in source.systems.items()
        )

    def preferences(self, ask: Ask, source: Source, rater: str, answer: Answer) -> tuple[Preference, ...]:
        """One for each two responses."""
        ranks = _ranks(answer) or {}
        found = []
        for (first, a), (second, b) in itertools.combinations(source.systems.items(), 2):
            if first in ranks and second in ranks:
                found.append(
                    Preference(
                        source.item,
                        rater,
                        a,
                        b,
                        _better(ranks[first], ranks[second]),
                        criterion=ask.criterion,
                    )
                )
        return tuple(found)

    def posted(self, answer: Answer) -> Mapping[str, tuple[str, ...]]:
        """The rank of each response."""
        return {f"rank_{candidate}": (str(rank),) for candidate, rank in (_ranks(answer) or {}).items()}

    def simulated(self, ask: Ask, item: Item, felt: Felt) -> dict[str, object]:
        """The order of what is felt; a tie if it is the same to the first digit."""
        feelings = {candidate.id: round(felt(candidate.id), 1) for candidate in item.candidates}
        return {
            f"rank_{candidate}": 1 + sum(other > good for other in feelings.values())
            for candidate, good in feelings.items()
        }


def _ranks(answer: Answer) -> Mapping[str, int] | None:
    return cast("Mapping[str, int] | None", answer["ranks"])


def _better(first: int, second: int) -> Choice:
    return "tie" if first == second else "a" if first < second else "b"


def _share_below(candidate: str, ranks: Mapping[str, int] | None) -> float | None:
    if ranks is None or candidate not in ranks or len(ranks) < 2:
        return None
    place = ranks[candidate]
    others = [rank for other, rank in ranks.items() if other != candidate]
    return sum(1.0 if rank > place else 0.5 if rank == place else 0.0 for rank in others) / len(others)
