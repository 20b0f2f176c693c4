"""The scale raters were to use, ratings that are not on it, and ratings in two classes."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.errors import Unsuitable
from dialeval.ratings.checks import BadJudgement
from dialeval.ratings.table import Ratings

Sign: TypeAlias = Literal[">", ">=", "<", "<=", "="]

_NUMBER: Final = r"[-+]?\d+(?:\.\d+)?"
_SCALE: Final = re.compile(rf"\s*({_NUMBER})\s*(?:-|–|to|\.\.)\s*({_NUMBER})\s*")
_SIGNS: Final[Mapping[str, tuple[Sign, Callable[[Floats, float], object]]]] = {
    ">": (">", operator.gt),
    ">=": (">=", operator.ge),
    "<": ("<", operator.lt),
    "<=": ("<=", operator.le),
    "=": ("=", operator.eq),
}
_CUT: Final = re.compile(r"\s*(>=|<=|>|<|=)\s*([-+]?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class RatingScale:
    """From the lowest to the highest rating that was offered."""

    lowest: float
    highest: float

    @classmethod
    def parse(cls, text: str) -> RatingScale:
        """The scale that ``text`` writes, such as ``1-5``."""
        written = _SCALE.fullmatch(text)
        if written is None or float(written[1]) >= float(written[2]):
            raise Unsuitable(
                f"{text!r} is not a valid scale. Give the lowest and the highest rating, as in '1-5'."
            )
        return cls(float(written[1]), float(written[2]))

    @property
    def limits(self) -> tuple[float, float]:
        """Those of ratings, and of their means."""
        return self.lowest, self.highest

    def holds(self, values: Floats) -> bool:
        """Whether no value lies outside."""
        return bool(((values >= self.lowest) & (values <= self.highest)).all())

    def __str__(self) -> str:
        return f"{self.lowest:g} to {self.highest:g}"

    def check(self, ratings: Ratings, source: str) -> None:
        """Raise BadJudgement, naming the first rating that lies outside; ``source`` is where they come from."""
        outside = np.flatnonzero((ratings.value < self.lowest) | (ratings.value > self.highest))
        if not outside.size:
            return
        row = int(outside[0])
        names = ratings.names_of(row)
        first = f"{ratings.value[row]:g} {names}"
        if len(outside) == 1:
            found, them = f"1 rating outside the scale, {first}", "it"
        else:
            found, them = f"{len(outside):,} ratings outside the scale, first {first}", "them"
        todo = f"Fix {them}, or give the scale that was used."
        raise BadJudgement(source, found, f"{self}", todo, field="value", names=names)


@dataclass(frozen=True, slots=True)
class Cut:
    """Parts values into those that satisfy a comparison and those that do not; prints as it is written, ``>3``.

    Sato et al. (2020, Table 1) fold six scores into two classes so.
    """

    sign: Sign
    threshold: float

    @classmethod
    def parse(cls, text: str) -> Cut:
        """The cut that ``text`` writes, such as ``>3``."""
        written = _CUT.fullmatch(text)
        if written is None:
            signs = ", ".join(_SIGNS)
            raise Unsuitable(
                f"{text!r} is not a valid threshold. Give a comparison ({signs}) and a number, as in '>3'."
            )
        return cls(_SIGNS[written[1]][0], float(written[2]))

    def __str__(self) -> str:
        return f"{self.sign}{self.threshold:g}"

    def holds(self, values: Floats) -> Floats:
        """1 if a value satisfies the comparison, 0 if it does not, NaN if there is none."""
        held = np.asarray(_SIGNS[self.sign][1](values, self.threshold), dtype=np.float64)
        return np.where(np.isnan(values), np.nan, held)


def collapse(ratings: Ratings, cut: Cut) -> Ratings:
    """The ratings in two classes: 1 if the value satisfies ``cut``, else 0."""
    return replace(ratings, value=cut.holds(ratings.value))
