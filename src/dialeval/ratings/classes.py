"""Ratings in two classes: above a threshold or not, as Sato et al. (2020, Table 1) fold six scores into two."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.errors import Unsuitable
from dialeval.ratings.table import Ratings

Sign: TypeAlias = Literal[">", ">=", "<", "<=", "="]

_SIGNS: Final[Mapping[str, tuple[Sign, Callable[[Floats, float], object]]]] = {
    ">": (">", operator.gt),
    ">=": (">=", operator.ge),
    "<": ("<", operator.lt),
    "<=": ("<=", operator.le),
    "=": ("=", operator.eq),
}
_WRITTEN: Final = re.compile(r"\s*(>=|<=|>|<|=)\s*([-+]?\d+(?:\.\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class Cut:
    """Parts values into those that satisfy a comparison and those that do not; prints as it is written, ``>3``."""

    sign: Sign
    threshold: float

    @classmethod
    def parse(cls, text: str) -> Cut:
        """The cut that ``text`` writes, such as ``>3``."""
        written = _WRITTEN.fullmatch(text)
        if written is None:
            signs = ", ".join(_SIGNS)
            raise Unsuitable(
                f"{text!r} parts no ratings into two classes. Write a sign ({signs}) and a number, as in '>3'."
            )
        return cls(_SIGNS[written[1]][0], float(written[2]))

    def __str__(self) -> str:
        return f"{self.sign}{self.threshold:g}"

    def holds(self, values: Floats) -> Floats:
        """1 where a value satisfies the comparison, 0 where it does not, NaN where there is none."""
        held = np.asarray(_SIGNS[self.sign][1](values, self.threshold), dtype=np.float64)
        return np.where(np.isnan(values), np.nan, held)


def collapse(ratings: Ratings, cut: Cut) -> Ratings:
    """The ratings in two classes: 1 where the value satisfies ``cut``, else 0."""
    return replace(ratings, value=cut.holds(ratings.value))
