"""Documents of planning: one point per number of items, raters or systems, and the smallest sufficient number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from dialeval.display.notes import Note
from dialeval.files.documents import FINITE
from dialeval.stats.tests.power import PilotPlan

Over: TypeAlias = Literal["items", "dialogues", "raters", "systems"]


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """How often a study of this size would find what is there."""

    __pydantic_config__: ClassVar = FINITE

    size: int
    power: float
    low: float
    """Bounds of the power as far as the number of trials leaves it open (95 %, Wilson, 1927)."""
    high: float


@dataclass(frozen=True, slots=True)
class WidthPoint:
    """Where a correlation lies over studies of this size."""

    __pydantic_config__: ClassVar = FINITE

    size: int
    width: float | None
    """From low to high; None where no trial has a correlation."""
    low: float | None
    high: float | None
    undefined: int
    """Trials on which there was no correlation, as when all drawn values are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    """What power and width against size have in common."""

    __pydantic_config__: ClassVar = FINITE

    question: str
    over: Over
    design: str
    """What is drawn and which test is made."""
    target: float
    trials: int
    seed: int
    notes: tuple[Note, ...] = ()
    at_hand: int
    """How many there are to draw from."""
    reason: None = None

    def json_value(self) -> Mapping[str, object]:
        """The fields in the order of the file, and what is enough."""
        return {name: getattr(self, name) for name in _ORDER if hasattr(self, name)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCurve(_Curve):
    """Power against size, assuming that the present data are representative."""

    points: tuple[PowerPoint, ...]
    effect: float
    """The difference in the data at hand, which the power is for."""
    alpha: float
    goal: Literal["power"] = "power"
    needed: PilotPlan | None = None
    """The range that ``enough`` lies in, the difference being known from few; None where it is not computed."""

    @property
    def enough(self) -> int | None:
        """The smallest size looked at whose power reaches the target; None where none does."""
        return next((point.size for point in self.points if point.power >= self.target), None)

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        return _verdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthCurve(_Curve):
    """Width of a correlation's interval against size; ``target`` is narrow enough."""

    points: tuple[WidthPoint, ...]
    level: float
    """The confidence of the interval."""
    goal: Literal["width"] = "width"

    @property
    def enough(self) -> int | None:
        """The smallest size whose interval is at most as wide as the target; None if there is no such size."""
        narrow = (point for point in self.points if point.width is not None and point.width <= self.target)
        return next((point.size for point in narrow), None)

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        return _verdict(self)


_ORDER: Final = (
    *("question", "over", "points", "effect", "design", "target", "alpha", "level", "trials", "seed"),
    *("notes", "at_hand", "reason", "goal", "enough", "needed"),
)


@dataclass(frozen=True, slots=True)
class Unplanned:
    """A question that the data at hand cannot answer, and why."""

    question: str
    over: Over
    reason: str
    goal: None = None
    target: None = None
    at_hand: None = None
    enough: None = None
    points: tuple[()] = ()


Planned: TypeAlias = PowerCurve | WidthCurve | Unplanned
"""One question of how many it takes, and its answer or the reason why there is none."""


def _verdict(curve: PowerCurve | WidthCurve) -> str:
    what = "ratings of each answer" if curve.over == "raters" else curve.over
    goal = f"{curve.goal} {curve.target:g}"
    if curve.enough is None:
        said = f"{curve.question}: {curve.points[-1].size:,} {what} are not enough for {goal}"
    else:
        said = f"{curve.question}: {curve.enough:,} {what} are enough for {goal}"
    needed = curve.needed if isinstance(curve, PowerCurve) else None
    return f"{said} ({range_of(needed)})." if needed else f"{said}."


def range_of(needed: PilotPlan) -> str:
    """The range in words."""
    low, high = (("perhaps never" if end is None else f"{end:,}") for end in (needed.low, needed.high))
    if needed.low is None:
        return "perhaps never"
    plan = "" if needed.assured is None else f"; plan with {needed.assured:,}"
    return f"{low} to {high}{plan}"
