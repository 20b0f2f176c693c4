"""The scale raters were to use, and ratings that are not on it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from dialeval.errors import Unsuitable
from dialeval.ratings.locating import BadJudgement
from dialeval.ratings.table import Ratings

_NUMBER: Final = r"[-+]?\d+(?:\.\d+)?"
_WRITTEN: Final = re.compile(rf"\s*({_NUMBER})\s*(?:-|–|to|\.\.)\s*({_NUMBER})\s*")


@dataclass(frozen=True, slots=True)
class RatingScale:
    """From the lowest to the highest rating that was offered."""

    low: float
    high: float

    @classmethod
    def parse(cls, text: str) -> RatingScale:
        """The scale that ``text`` writes, such as ``1-5``."""
        written = _WRITTEN.fullmatch(text)
        if written is None or float(written[1]) >= float(written[2]):
            raise Unsuitable(f"{text!r} is no scale. Write its lowest and its highest rating, as in '1-5'.")
        return cls(float(written[1]), float(written[2]))

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}"

    def check(self, ratings: Ratings, source: str) -> None:
        """Raise BadJudgement, naming the first rating that lies outside; ``source`` is where they come from."""
        outside = np.flatnonzero((ratings.value < self.low) | (ratings.value > self.high))
        if not outside.size:
            return
        at = int(outside[0])
        names = ratings.names_of(at)
        first = f"{ratings.value[at]:g} {names}"
        if len(outside) == 1:
            found, them = f"1 rating outside the scale, {first}", "it"
        else:
            found, them = f"{len(outside):,} ratings outside the scale, first {first}", "them"
        todo = f"Mend {them}, or name the scale that was used."
        raise BadJudgement(source, found, f"{self}", todo, field="value", names=names)
