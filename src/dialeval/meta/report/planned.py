"""How many the next study needs, as a document says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dialeval.meta.report.fields import FINITE


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """What a study of one size would do: its power, or the width of its interval."""

    __pydantic_config__: ClassVar = FINITE

    size: int
    low: float | None
    high: float | None
    power: float | None = None
    width: float | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """One question of how many it takes."""

    __pydantic_config__: ClassVar = FINITE

    question: str
    over: Literal["items", "raters", "systems"]
    goal: Literal["power", "width"] | None
    target: float | None
    """What is enough: power no lower, or an interval no wider."""
    at_hand: int | None
    enough: int | None
    """The smallest size that is; None where no size looked at is, or where there is a reason."""
    points: tuple[PlannedSize, ...]
    reason: str | None
    notes: tuple[str, ...] = ()
