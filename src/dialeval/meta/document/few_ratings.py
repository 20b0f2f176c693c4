"""Mean ratings estimated from a rated part, measures made of others, and sizes of the next study."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from dialeval.display.notes import Note
from dialeval.files.documents import FINITE
from dialeval.stats.estimate import ClassicalEstimate, Estimate
from dialeval.stats.tests.power import PilotPlan

HELPS: Final = 0.05
"""A measure helps if it is worth this share of the ratings more, and more than luck."""
LUCK: Final = 3.84
"""Ratings that a measure of nothing seems to be worth, one time in twenty: n r^2 has a chi-square distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimated:
    """A mean, or a difference of means, from ratings and from a measure's values for the rest."""

    __pydantic_config__: ClassVar = FINITE

    estimate: Estimate
    """Over the rated items that entered: those with a score."""
    error: float | None
    """Standard error."""
    tuning: float | None
    """Lambda: how far the measure is trusted, from 0 to 1."""
    n_unrated: int
    effective_n: float | None
    """Number of ratings that would have given this error without the measure."""
    classical: ClassicalEstimate
    """The mean of the ratings alone, those of answers without a score among them."""

    @property
    def gained(self) -> float:
        """Number of ratings that the measure is worth; below 0 if it costs more than it gives, NaN if undefined."""
        return math.nan if self.effective_n is None else self.effective_n - self.estimate.n


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemEstimate(_Estimated):
    """A system's mean rating over all items."""

    system: str
    p_shift: float | None
    """Welch's two-sided p-value of the measure's scores of rated against unrated items; None if there is no test."""
    warnings: tuple[Note, ...]
    design_effect: float | None = None
    """If items are turns of dialogues: the variance over that of independent items."""

    @property
    def helps(self) -> bool:
        """Whether the measure is worth 5 % more ratings, and more than a measure of nothing might seem to be."""
        return self.estimate.reason is None and self.gained >= max(LUCK, HELPS * self.estimate.n)

    @property
    def verdict(self) -> str:
        """Gain by the measure, in a sentence."""
        number, _, _, n, reason = self.estimate
        if reason is not None:
            said = "no estimate" if number is None else f"{number:.4g} without an interval"
            return f"{self.system}: {said}, {reason}."
        places = _places(self.error)
        value, low, high = (f"{bound or 0.0:.{places}f}" for bound in self.estimate[:3])
        said = f"{self.system}: {value} [{low}, {high}] from {n:,} rated items"
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
    """The system whose mean is higher, if Holm's p-value is below alpha; lower is better on some criteria."""
    warnings: tuple[Note, ...]
    design_effect: float | None = None

    def json_value(self) -> Mapping[str, object]:
        """The fields in the order of the file."""
        return _beginning(self, "a", "b")


class RankRange(NamedTuple):
    """Ranks that a system may have; 1 is the highest mean rating."""

    system: str
    best: int
    """1 and the number of systems that are rated higher, after Holm's correction."""
    worst: int
    """Number of systems less those that are rated lower."""


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
    ranks: tuple[RankRange, ...] = ()
    """Of each system, by the differences."""


def ranks_of(systems: Sequence[str], differences: Sequence[DifferenceEstimate]) -> tuple[RankRange, ...]:
    """The ranks that are left open by the differences that are significant after correction."""
    above = {(d.higher, d.b if d.higher == d.a else d.a) for d in differences if d.higher is not None}
    higher = {name: sum(low == name for _, low in above) for name in systems}
    lower = {name: sum(high == name for high, _ in above) for name in systems}
    return tuple(RankRange(name, 1 + higher[name], len(systems) - lower[name]) for name in systems)


@dataclass(frozen=True, slots=True)
class Combined:
    """A measure made of the others, whose rows stand among theirs."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    fitted: bool
    """Whether ratings were used; then every value is a prediction for an item that was held out."""
    weights: Mapping[str, float]
    held_out: str | None = None
    """Part of the predicted answers that no fit had seen: their items, or their items and systems."""

    def json_value(self) -> Mapping[str, object]:
        """The fields; what was held out only if something was fitted."""
        names = [field.name for field in dataclasses.fields(self)]
        return {name: getattr(self, name) for name in names if self.fitted or name != "held_out"}


def _beginning(value: Any, *first: str) -> Mapping[str, object]:
    names = [field.name for field in dataclasses.fields(value)]
    return {name: getattr(value, name) for name in dict.fromkeys([*first, *names])}


def _places(error: float | None) -> int:
    """Decimals that show two digits of the error."""
    return min(12, max(0, 1 - math.floor(math.log10(error)))) if error else 2


Over: TypeAlias = Literal["items", "dialogues", "raters", "systems"]


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """Power of a study of this size."""

    __pydantic_config__: ClassVar = FINITE

    size: int
    power: Estimate
    """Over trials; the interval says how far their number leaves it open (95 %, Wilson, 1927)."""


@dataclass(frozen=True, slots=True)
class WidthPoint:
    """Range of a correlation over studies of this size."""

    __pydantic_config__: ClassVar = FINITE

    size: int
    width: float | None
    """Of the range; None if no trial has a correlation."""
    range: tuple[float, float] | None
    undefined: int
    """Trials on which there was no correlation, as when all drawn values are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Curve:
    """Common fields of power and of width against size."""

    __pydantic_config__: ClassVar = FINITE

    question: str
    over: Over
    design: str
    """Draws and test."""
    target: float
    trials: int
    seed: int
    notes: tuple[Note, ...] = ()
    at_hand: int
    """Number of units to draw from."""
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
    """The range that ``enough`` lies in, the difference being known from few; None if it is not computed."""

    @property
    def enough(self) -> int | None:
        """The smallest size looked at whose power reaches the target; None if none does."""
        return next((point.size for point in self.points if point.power.number >= self.target), None)

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
    low, high = (("perhaps never" if end is None else f"{end:,}") for end in (needed.fewest, needed.most))
    if needed.fewest is None:
        return "perhaps never"
    plan = "" if needed.assured is None else f"; plan with {needed.assured:,}"
    return f"{low} to {high}{plan}"
