"""Mean ratings estimated from a rated part, and measures made of others, as a document says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dialeval.meta.report.fields import FINITE


@dataclass(frozen=True, slots=True)
class Classical:
    """The mean of the ratings alone."""

    __pydantic_config__: ClassVar = FINITE

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    n: int | None = None
    """How many ratings there are, those of answers without a score among them."""


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """A system's mean human rating over all items, from a rated part and a measure's values for the rest."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    value: float | None
    low: float | None
    high: float | None
    error: float | None
    tuning: float | None
    n: int
    n_unrated: int
    effective_n: float | None
    """How many ratings would have given this error without the measure."""
    classical: Classical
    p_shift: float | None
    warnings: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """The difference between two systems' mean human ratings, estimated in the same way."""

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    value: float | None
    low: float | None
    high: float | None
    error: float | None
    tuning: float | None
    n: int
    n_unrated: int
    effective_n: float | None
    classical: Classical
    paired: bool
    p: float | None
    p_adjusted: float | None
    higher: str | None
    warnings: tuple[str, ...]
    reason: str | None


@dataclass(frozen=True, slots=True)
class Estimates:
    """Mean ratings of all systems, with one measure to stand in for ratings."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rater: str
    criterion: str
    level: float
    note: str
    systems: tuple[SystemEstimate, ...]
    differences: tuple[DifferenceEstimate, ...]


@dataclass(frozen=True, slots=True)
class Combined:
    """A measure made of the others, whose rows stand among theirs."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    fitted: bool
    """Whether ratings were used; then every value is a prediction for an item that was held out."""
    weights: dict[str, float]
    held_out: str | None = None
    """What no fit had seen of the answers it predicts: their items, or their items and systems."""
