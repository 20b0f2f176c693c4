"""The rule of a filter: which of a list's candidates remain, and what is said if none does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from dialeval.core import Detector, resources_of
from dialeval.data.types import Context, Response
from dialeval.errors import DialevalError, RunFailed
from dialeval.nbest.detectors import SHIPPED, detector_named, threshold_of
from dialeval.text.blank import is_blank

Method: TypeAlias = Literal["drop", "rerank"]
"""``drop`` keeps the order of the candidates that remain, ``rerank`` puts the least contradictory one first."""
Otherwise: TypeAlias = Literal["first", "least", "none"]
"""What is said if every candidate is contradictory: the system's best one, the least contradictory one, or nothing."""


class Chosen(NamedTuple):
    """Candidates of a list that a filter lets through."""

    places: tuple[int, ...]
    """Their places in the list, best first; of an emptied list what the filter falls back to, if anything."""
    emptied: bool
    """Whether the detector calls every candidate contradictory."""


@dataclass(frozen=True)
class FilterRule:
    """Drops the candidates that a detector calls contradictory, or ranks them by it."""

    detector: str = SHIPPED
    method: Method = "drop"
    otherwise: Otherwise = "first"
    threshold: float | None = None
    """The probability from which a candidate is contradictory; None for the detector's own."""

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise DialevalError(f"threshold: found {self.threshold:g}, expected a probability from 0 to 1.")

    @cached_property
    def judge(self) -> Detector:
        """The detector itself."""
        return detector_named(self.detector)

    @property
    def resources(self) -> Mapping[str, str]:
        """Those of the detector."""
        return resources_of(self.judge)

    @property
    def limit(self) -> float:
        """The probability from which a candidate is contradictory."""
        return threshold_of(self.judge) if self.threshold is None else self.threshold

    def choose(self, contexts: Sequence[Context], candidates: Sequence[Sequence[Response]]) -> list[Chosen]:
        """What remains of each list; blank candidates count as no candidates."""
        said = [
            [place for place, response in enumerate(given) if not _is_silent(response)]
            for given in candidates
        ]
        flat = [(row, place) for row, places in enumerate(said) for place in places]
        texts = {(contexts[row], candidates[row][place].text): None for row, place in flat}
        pairs = list(texts)
        found = (
            self.judge.contradiction([c for c, _ in pairs], [t for _, t in pairs]).tolist() if pairs else []
        )
        if any(map(math.isnan, found)):
            raise RunFailed(
                f"{self.detector} gave no verdict on {sum(map(math.isnan, found)):,} of {len(found):,} candidates, so "
                "that the filter cannot choose. The same command asks again for what failed."
            )
        known: dict[tuple[Context, str], float] = dict(zip(pairs, found, strict=True))
        return [
            self._remaining(places, [known[contexts[row], candidates[row][place].text] for place in places])
            for row, places in enumerate(said)
        ]

    def _remaining(self, places: Sequence[int], probabilities: Sequence[float]) -> Chosen:
        by_probability = sorted(zip(probabilities, places, strict=True))
        left = [place for p, place in zip(probabilities, places, strict=True) if p < self.limit]
        if left and self.method == "rerank":
            left = [place for p, place in by_probability if p < self.limit]
        if left or not places:
            return Chosen(tuple(left), emptied=False)
        fallbacks: dict[Otherwise, tuple[int, ...]] = {
            "first": (places[0],),
            "least": (by_probability[0][1],),
            "none": (),
        }
        return Chosen(fallbacks[self.otherwise], emptied=True)


def _is_silent(response: Response) -> bool:
    return response.missing is not None or is_blank(response.text)
