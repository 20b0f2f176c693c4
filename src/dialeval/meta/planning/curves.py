"""What an answer to "how many do I need?" looks like: one point per size, and the smallest size that is enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dialeval.errors import Unsuitable

Over: TypeAlias = Literal["items", "raters", "systems"]

_STEPS: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """How often a study of this size would find what is there."""

    size: int
    power: float
    low: float
    """Bounds of the power as far as the number of trials leaves it open (95 %, Wilson, 1927)."""
    high: float


@dataclass(frozen=True, slots=True)
class WidthPoint:
    """Where a correlation lies over studies of this size."""

    size: int
    width: float
    """From low to high."""
    low: float
    high: float
    undefined: int
    """Trials on which there was no correlation, as when all drawn values are equal."""


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """Power against size, supposing that the data at hand are what there is to find."""

    question: str
    over: Over
    points: tuple[PowerPoint, ...]
    effect: float
    """The difference in the data at hand, which the power is for."""
    design: str
    """What is drawn and which test is made."""
    target: float
    alpha: float
    trials: int
    seed: int
    notes: tuple[str, ...] = ()
    at_hand: int | None = None
    """How many there are to draw from."""

    @property
    def enough(self) -> int | None:
        """The smallest size looked at whose power reaches the target; None where none does."""
        return next((point.size for point in self.points if point.power >= self.target), None)

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        return _verdict(self.question, self.over, self.enough, self.points[-1].size, f"power {self.target:g}")


@dataclass(frozen=True, slots=True)
class WidthCurve:
    """Width of a correlation's interval against size."""

    question: str
    over: Over
    points: tuple[WidthPoint, ...]
    design: str
    target: float
    """The width that is narrow enough."""
    level: float
    trials: int
    seed: int
    notes: tuple[str, ...] = ()
    at_hand: int | None = None
    """How many there are to draw from."""

    @property
    def enough(self) -> int | None:
        """The smallest size looked at whose interval is no wider than the target; None where none is."""
        return next((point.size for point in self.points if point.width <= self.target), None)

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        return _verdict(self.question, self.over, self.enough, self.points[-1].size, f"width {self.target:g}")


def power_point(size: int, found: int, trials: int) -> PowerPoint:
    """The share of trials that found it, with Wilson's (1927) interval."""
    share, z2 = found / trials, 1.959963984540054**2
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    reach = math.sqrt(z2 * share * (1 - share) / trials + (z2 / (2 * trials)) ** 2) / (1 + z2 / trials)
    # The ends of an extreme share are exact; floating point leaves them a hair inside.
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    return PowerPoint(size, share, 0.0 if found == 0 else low, 1.0 if found == trials else high)


def sizes_to_try(given: Sequence[int] | None, at_hand: int, *, fewest: int) -> tuple[int, ...]:
    """The sizes asked for, in order; without any, round numbers up to four times what is at hand."""
    if given is None:
        rounds = [int(step * 10**power) for power in range(1, 8) for step in _STEPS]
        return tuple(size for size in rounds if fewest <= size <= max(10, 4 * at_hand))
    sizes = tuple(sorted(set(given)))
    if not sizes or sizes[0] < fewest:
        raise Unsuitable(f"Found sizes {list(given)}, needed at least one, and none below {fewest}.")
    return sizes


def _verdict(question: str, over: Over, enough: int | None, most: int, goal: str) -> str:
    what = "ratings of each answer" if over == "raters" else over
    if enough is None:
        return f"{question}: {most:,} {what} are not enough for {goal}."
    return f"{question}: {enough:,} {what} are enough for {goal}."
