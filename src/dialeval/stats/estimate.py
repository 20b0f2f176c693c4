"""Numbers that statistics return: each is there, or there is a reason why not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]
"""The three coefficients of correlation; ``kendall`` is tau-b."""
Level: TypeAlias = Literal["item_within_system", "system_within_item", "item", "system"]
"""Points of a correlation (see `dialeval.stats.correlation.levels`). The first are the least led by which systems there
are."""
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
Resample: TypeAlias = Literal["items", "systems", "both"]
"""Which side of a table is resampled: its columns, its rows, or both at once."""
Five: TypeAlias = tuple[float, float, float, float, float]
"""Least, first quartile, median, third quartile, greatest: the numbers of a box plot."""


class Estimate(NamedTuple):
    """A number and its interval: the only type of the package with a ``low`` and a ``high``.

    Undefined numbers are None here and null in JSON, in which an estimate is an object with these five fields.
    """

    value: float | None
    low: float | None
    """Lower bound of the interval; None if there is none."""
    high: float | None
    n: int
    """Number of observations."""
    reason: str | None = None
    """Why there is no value, or no interval."""

    @classmethod
    def of(cls, value: float, low: float, high: float, n: int, reason: str | None = None) -> Estimate:
        """Return the estimate of numbers that are NaN or infinite if undefined."""
        return cls(_finite(value), _finite(low), _finite(high), n, reason)

    @classmethod
    def undefined(cls, reason: str, n: int = 0) -> Estimate:
        """Return an estimate without a value, and why."""
        return cls(None, None, None, n, reason)

    def __neg__(self) -> Estimate:
        """Return the same estimate of the negative number, as of b - a instead of a - b."""
        value, low, high = (None if number is None else -number for number in self[:3])
        return self._replace(value=value, low=high, high=low)

    @property
    def number(self) -> float:
        """The value; NaN if it is undefined."""
        return math.nan if self.value is None else self.value

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both bounds of the interval; None without one."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic and its p-value, or the reason why it is undefined."""

    value: float
    """NaN exactly if there is a ``reason``."""
    n: int
    """Number of observations."""
    p: float = math.nan
    """Two-sided p-value; NaN if the statistic has none, or the observations are too few to give one."""
    reason: str | None = None
    """Why the value is undefined, such as "all values of the first variable are equal (3)"."""

    def __post_init__(self) -> None:
        if math.isnan(self.value) != (self.reason is not None):
            raise ValueError(f"a statistic has a value or a reason, not {self.value} and {self.reason!r}")

    @classmethod
    def undefined(cls, reason: str, n: int) -> Statistic:
        """Return a statistic of ``n`` observations without a value, and why."""
        return cls(math.nan, n, reason=reason)

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return self.reason is None

    def estimate(self, bounds: tuple[float, float] | None = None, reason: str | None = None) -> Estimate:
        """Return the value with these bounds, or the ``reason`` why it has none."""
        low, high = bounds or (math.nan, math.nan)
        return Estimate.of(self.value, low, high, self.n, self.reason or reason)


class ClassicalEstimate(NamedTuple):
    """The mean of the ratings alone."""

    estimate: Estimate
    """Over all ratings, those of items without a prediction among them; without an interval if they do not vary."""
    error: float | None
    """Standard error; None without an interval."""
