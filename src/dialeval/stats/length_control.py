"""Strengths of systems as they would be if all answers were equally long.

The outcome of a comparison is modelled by logit P(a is preferred) = s[a] - s[b] + slope * tanh((length of a - length of
b) / d), with d the standard deviation of the differences of that pair of systems (Dubois et al., 2024, equation 2,
without the difficulty of instructions, which one pair of systems cannot tell from its other terms). Ties count half.
A win rate with control is P at equal lengths, the logistic of s[a] - s[b]. Strengths, which add up to 0, and the slope
are those of greatest likelihood, with errors from the influence of each unit (Huber's sandwich, the infinitesimal
jackknife).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Floats, Integers, pool
from dialeval.stats.resampling.jackknife import t_quantile
from dialeval.stats.strengths import FARTHEST, MOST_STEPS, PRECISE, Preferences

NoControl: TypeAlias = Literal["equal-lengths", "separated", "one-unit"]
WHY_NOT: Final[dict[NoControl, str]] = {
    "equal-lengths": "the differences in length between the two systems never vary",
    "separated": "lengths, or the names of the systems, tell every outcome",
    "one-unit": "all judgements belong to one item",
}
"""Why there is no control for length."""


@dataclass(frozen=True, slots=True, eq=False)
class LengthControl:
    """Strengths at equal lengths and the slope on length, or why there are none."""

    values: Floats
    """Strength of each system, and the slope; shape (systems + 1,)."""
    influence: Floats
    """Of each unit on these, shape (units, systems + 1)."""
    n: int
    """Judgements."""
    confidence: float
    absence: NoControl | None = None

    @property
    def slope(self) -> Estimate:
        """Change of log odds where an answer is much longer than the other; above 0, long answers are preferred."""
        if self.absence is not None:
            return Estimate.undefined(WHY_NOT[self.absence], self.n)
        value, reach = float(self.values[-1]), self._reach(self.influence[:, -1])
        return Estimate.of(value, value - reach, value + reach, self.n)

    def rate(self, a: int, b: int) -> Estimate:
        """Share of answers by which the first system would be preferred to the second if they were equally long."""
        if self.absence is not None:
            return Estimate.undefined(WHY_NOT[self.absence], self.n)
        gap = float(self.values[a] - self.values[b])
        reach = self._reach(self.influence[:, a] - self.influence[:, b])
        return Estimate.of(_logistic(gap), _logistic(gap - reach), _logistic(gap + reach), self.n)

    def _reach(self, influence: Floats) -> float:
        units = len(influence)
        error = math.sqrt(units / (units - 1) * float((influence**2).sum()))
        return t_quantile(units - 1, self.confidence) * error


def control_length(
    preferences: Preferences,
    longer: Floats,
    systems: int,
    *,
    confidence: float = 0.95,
    clusters: Integers | None = None,
) -> LengthControl:
    """Fit the model; ``longer`` is the length of the first answer minus that of the second, shape (judgements,)."""
    given = preferences
    n, nothing = len(longer), np.full(systems + 1, math.nan)
    spread = _standardised(given, np.asarray(longer, dtype=np.float64), systems)
    if not spread.any():
        return LengthControl(nothing, np.empty((0, 0)), n, confidence, "equal-lengths")
    design = np.zeros((n, systems + 1))
    rows = np.arange(n)
    design[rows, given.first] += 1
    design[rows, given.second] -= 1
    design[:, -1] = spread
    values = _fit(design, given.outcome)
    if values is None:
        return LengthControl(nothing, np.empty((0, 0)), n, confidence, "separated")
    chance = 1 / (1 + np.exp(-design @ values))
    inverse = np.linalg.inv(_information(design, chance))
    influence = pool((design @ inverse) * (given.outcome - chance)[:, None], clusters)
    if len(influence) < 2:
        return LengthControl(nothing, influence, n, confidence, "one-unit")
    return LengthControl(values, influence, n, confidence)


def _standardised(given: Preferences, longer: Floats, systems: int) -> Floats:
    """Tanh of each difference over the standard deviation of its pair of systems; 0 in a pair where none varies."""
    turned = np.where(given.first < given.second, 1.0, -1.0)
    pair = np.minimum(given.first, given.second) * systems + np.maximum(given.first, given.second)
    spread = np.zeros(len(longer))
    for one in np.unique(pair):
        here = pair == one
        deviation = float(np.std((turned * longer)[here], ddof=1)) if here.sum() > 1 else 0.0
        if deviation > 0:
            spread[here] = np.tanh(longer[here] / deviation)
    return spread


def _fit(design: Floats, outcome: Floats) -> Floats | None:
    """Coefficients of greatest likelihood; None if there are none."""
    values = np.zeros(design.shape[1])
    for _ in range(MOST_STEPS):
        chance = 1 / (1 + np.exp(-design @ values))
        try:
            step = np.linalg.solve(_information(design, chance), design.T @ (outcome - chance))
        except np.linalg.LinAlgError:
            return None
        values = values + step / max(1.0, float(np.abs(step).max()))
        if np.abs(values).max() > FARTHEST or not np.isfinite(values).all():
            return None
        if np.abs(step).max() < PRECISE:
            return np.asarray(values)
    return None


def _information(design: Floats, chance: Floats) -> Floats:
    """Negative second derivatives; equal strengths more for all are held back by adding to them."""
    information = np.asarray((design * (chance * (1 - chance))[:, None]).T @ design)
    systems = design.shape[1] - 1
    information[:systems, :systems] += 1 / systems
    return information


def _logistic(gap: float) -> float:
    return 1 / (1 + math.exp(-gap)) if gap > -700 else 0.0
