"""Mean ratings estimated from a rated part, and measures made of others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from dialeval.display.notes import Note
from dialeval.files.documents import FINITE

HELPS: Final = 0.05
"""A measure helps where it is worth this share of the ratings more, and more than luck."""
LUCK: Final = 3.84
"""Ratings that a measure of nothing seems to be worth, one time in twenty: n r^2 has a chi-square distribution."""


@dataclass(frozen=True, slots=True)
class Classical:
    """The mean of the ratings alone."""

    __pydantic_config__: ClassVar = FINITE

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    n: int
    """How many ratings there are, those of answers without a score among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimated:
    """A mean, or a difference of means, from ratings and from a measure's values for the rest."""

    __pydantic_config__: ClassVar = FINITE

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    """Standard error."""
    tuning: float | None
    """Lambda: how far the measure is trusted, from 0 to 1."""
    n: int
    """How many rated items entered: those with a score."""
    n_unrated: int
    effective_n: float | None
    """How many ratings would have given this error without the measure."""
    classical: Classical
    reason: str | None
    """Why there is no interval."""

    @property
    def gained(self) -> float:
        """How many ratings the measure is worth; below 0 where it costs more than it gives, NaN where undefined."""
        return math.nan if self.effective_n is None else self.effective_n - self.n


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemEstimate(_Estimated):
    """A system's mean rating over all items."""

    system: str
    p_shift: float | None
    """Welch's two-sided p-value of the measure's scores of rated against unrated items; None where there is no test."""
    warnings: tuple[Note, ...]
    design_effect: float | None = None
    """Where items are turns of dialogues: the variance over that of independent items."""

    @property
    def helps(self) -> bool:
        """Whether the measure is worth 5 % more ratings, and more than a measure of nothing might seem to be."""
        return self.reason is None and self.gained >= max(LUCK, HELPS * self.n)

    @property
    def verdict(self) -> str:
        """What the measure brought, in a sentence."""
        if self.reason is not None:
            said = "no estimate" if self.value is None else f"{self.value:.4g} without an interval"
            return f"{self.system}: {said}, {self.reason}."
        places = _places(self.error)
        value, low, high = (f"{bound or 0.0:.{places}f}" for bound in (self.value, self.low, self.high))
        said = f"{self.system}: {value} [{low}, {high}] from {self.n:,} rated items"
        tuning = f"lambda {self.tuning or 0.0:.2f}"
        if not self.helps:
            return f"{said}; this measure does not help ({tuning})."
        return f"{said}, as good as {self.effective_n or 0.0:,.0f} ratings without the measure ({tuning})."

    def json_value(self) -> Mapping[str, object]:
        """The fields in the order of the file."""
        return _beginning(self, "system")


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceEstimate(_Estimated):
    """The mean rating of one system minus that of another."""

    a: str
    b: str
    paired: bool
    """Whether the items' differences were estimated, over items on which both systems are rated or both are not."""
    p: float | None
    p_adjusted: float | None
    """After Holm's correction over all pairs of systems."""
    higher: str | None
    """The system whose mean is higher, where Holm's p-value is below alpha; lower is better on some criteria."""
    warnings: tuple[Note, ...]
    design_effect: float | None = None

    def json_value(self) -> Mapping[str, object]:
        """The fields in the order of the file."""
        return _beginning(self, "a", "b")


@dataclass(frozen=True, slots=True)
class Estimates:
    """Mean ratings of all systems, and all differences, from few ratings and one measure."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rater: str
    """The measure in full."""
    criterion: str
    level: float
    """The confidence of intervals."""
    note: Note
    systems: tuple[SystemEstimate, ...]
    differences: tuple[DifferenceEstimate, ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """A measure made of the others, whose rows stand among theirs."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    fitted: bool
    """Whether ratings were used; then every value is a prediction for an item that was held out."""
    weights: Mapping[str, float]
    held_out: str | None = None
    """What no fit had seen of the answers it predicts: their items, or their items and systems."""

    def json_value(self) -> Mapping[str, object]:
        """The fields; what was held out only where something was fitted."""
        names = [field.name for field in dataclasses.fields(self)]
        return {name: getattr(self, name) for name in names if self.fitted or name != "held_out"}


def _beginning(value: Any, *first: str) -> Mapping[str, object]:
    names = [field.name for field in dataclasses.fields(value)]
    return {name: getattr(value, name) for name in dict.fromkeys([*first, *names])}


def _places(error: float | None) -> int:
    """Decimals that show two digits of the error."""
    return min(12, max(0, 1 - math.floor(math.log10(error)))) if error else 2
