"""The value that statistics return: a number, or why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]
"""The three coefficients of correlation; ``kendall`` is tau-b."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic, or the reason why it is undefined."""

    value: float
    """NaN exactly where ``reason`` is not None."""
    n: int
    """How many observations entered."""
    p: float = math.nan
    """Two-sided p-value; NaN where the statistic has none, or the observations are too few to give one."""
    reason: str | None = None
    """Why the value is undefined, such as "all values of the first variable are equal (3)"."""

    def __post_init__(self) -> None:
        if math.isnan(self.value) != (self.reason is not None):
            raise ValueError(f"an estimate has a value or a reason, not {self.value} and {self.reason!r}")

    @classmethod
    def undefined(cls, reason: str, n: int) -> Estimate:
        """No value of ``n`` observations, and why."""
        return cls(math.nan, n, reason=reason)

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.reason is None
