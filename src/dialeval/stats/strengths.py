"""Bradley-Terry strengths of systems from pairwise preferences, with ties (Davidson, 1970).

With strengths s, which add up to 0, and w[i] = exp(s[i]), system i is preferred to j with probability w[i] / (w[i] +
w[j] + v sqrt(w[i] w[j])), and they tie with v sqrt(w[i] w[j]) over the same sum. Without ties v is 0 and the model is
Bradley and Terry's (1952). Strengths and v are those of greatest likelihood, found by Newton's method: the likelihood
is concave in s and log v.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.resampling.bootstrap import Floats, Integers, check_confidence, pool
from dialeval.stats.resampling.jackknife import t_quantile

Absence: TypeAlias = Literal["one-system", "ties-alone", "separated", "one-unit"]
"""Why there are no strengths: fewer than two systems; nothing but ties; or some systems never lost to the
others, or were never compared with them, so that their distance is infinite or unknown (Ford, 1957). ``one-unit`` is
why strengths have no intervals."""

MOST_STEPS: Final = 200
PRECISE: Final = 1e-12
"""Newton's method ends if no strength moves by more than this."""
FARTHEST: Final = 30.0
"""Log odds that no estimate reaches unless the likelihood rises for ever."""


class Preferences(NamedTuple):
    """Judgements of pairs of systems, shape (judgements,) throughout."""

    first: Integers
    """Systems by their numbers from 0."""
    second: Integers
    outcome: Floats
    """1 if the first is preferred, 0 if the second is, 0.5 for a tie."""


@dataclass(frozen=True, slots=True, eq=False)
class BradleyTerry:
    """Strengths on the scale of log odds; arrays are of shape (systems,), NaN if ``absence`` says why."""

    strength: Floats
    """They add up to 0."""
    reach: Floats
    """Half the width of the intervals."""
    tie: float
    """Davidson's v: two equal systems tie with probability v / (2 + v). 0 without ties."""
    absence: Absence | None = None
    influence: Floats | None = None
    """Influence of each unit on the strengths, shape (units, systems); None without strengths."""

    def preferred(self, first: int, second: int) -> float:
        """The probability that the first system is preferred to the second, a tie counting half."""
        ahead = math.exp((self.strength[first] - self.strength[second]) / 2)
        return (ahead + self.tie / 2) / (ahead + self.tie + 1 / ahead)


def bradley_terry(
    preferences: Preferences, systems: int, *, confidence: float = 0.95, clusters: Integers | None = None
) -> BradleyTerry:
    """Strengths of greatest likelihood, with intervals.

    ``clusters`` labels judgements that belong together, as all of one item, or of one rater, do. Ends are strength ±
    Student's t times a standard error from the influence of each unit on the strengths (the infinitesimal jackknife;
    Jaeckel, 1972), which unlike the inverse information also holds where judgements of a cluster resemble each other.
    """
    check_confidence(confidence)
    given = _checked(preferences, systems)
    absence = _absence(given, systems)
    model = None if absence is not None else _fit(given, systems)
    if model is None:
        nothing = np.full(systems, math.nan)
        return BradleyTerry(nothing, nothing, math.nan, absence or "separated")
    influence = pool(_influence(model, given), clusters)
    units, tie = len(influence), model.tie
    if units < 2:
        nothing = np.full(systems, math.nan)
        return BradleyTerry(model.strength, nothing, tie, "one-unit", influence)
    error = np.sqrt(units / (units - 1) * (influence**2).sum(axis=0))
    reach = t_quantile(units - 1, confidence) * error
    return BradleyTerry(model.strength, reach, tie, None, influence)


class _Model(NamedTuple):
    strength: Floats
    tie: float
    information: Floats
    """Negative second derivatives of the log-likelihood by strengths, and log v if there are ties."""


class _Slopes(NamedTuple):
    """Derivatives of each judgement's log-likelihood by d = s[first] - s[second] and by log v."""

    by_gap: Floats
    by_tie: Floats
    gap_gap: Floats
    """Second derivatives, signs turned."""
    gap_tie: Floats
    tie_tie: Floats


def _fit(given: Preferences, systems: int) -> _Model | None:
    """Return the likeliest model; None if there is none, as of a system that wins or ties and never loses."""
    ties = bool((given.outcome == 0.5).any())
    values = np.zeros(systems + ties)
    for _ in range(MOST_STEPS):
        slopes = _slopes(given, values[:systems], math.exp(values[-1]) if ties else 0.0)
        gradient, information = _sums(given, slopes, systems, ties)
        try:
            step = np.linalg.solve(information, gradient)
        except np.linalg.LinAlgError:
            return None
        # Far from the top Newton's step may be wild: no strength moves by more than 1 at a time.
        values += step / max(1.0, float(np.abs(step).max()))
        if np.abs(values).max() > FARTHEST:
            return None
        if np.abs(step).max() < PRECISE:
            break
    return _Model(values[:systems], math.exp(values[-1]) if ties else 0.0, information)


def _slopes(given: Preferences, strength: Floats, tie: float) -> _Slopes:
    ahead = np.exp((strength[given.first] - strength[given.second]) / 2)
    behind = 1 / ahead
    whole = ahead + tie + behind
    tilt, tied = (ahead - behind) / (2 * whole), tie / whole
    return _Slopes(
        by_gap=given.outcome - 0.5 - tilt,
        by_tie=(given.outcome == 0.5) - tied,
        gap_gap=(ahead + behind) / (4 * whole) - tilt**2,
        gap_tie=-tilt * tied,
        tie_tie=tied * (1 - tied),
    )


def _sums(given: Preferences, slopes: _Slopes, systems: int, ties: bool) -> tuple[Floats, Floats]:
    """First derivatives, and the information; equal strengths more for all are held back by adding to the latter."""
    size = systems + ties
    gradient, information = np.zeros(size), np.zeros((size, size))
    np.add.at(gradient, given.first, slopes.by_gap)
    np.add.at(gradient, given.second, -slopes.by_gap)
    information[:systems, :systems] = 1 / systems
    first, second = given.first, given.second
    for row, column, sign in (
        (first, first, 1),
        (second, second, 1),
        (first, second, -1),
        (second, first, -1),
    ):
        np.add.at(information, (row, column), sign * slopes.gap_gap)
    if ties:
        gradient[-1] = slopes.by_tie.sum()
        for side, sign in ((given.first, 1), (given.second, -1)):
            np.add.at(information[:, -1], side, sign * slopes.gap_tie)
        information[-1, :-1] = information[:-1, -1]
        information[-1, -1] = slopes.tie_tie.sum()
    return gradient, information


def _influence(model: _Model, given: Preferences) -> Floats:
    """Influence of each judgement on each strength, shape (judgements, systems)."""
    systems = len(model.strength)
    slopes = _slopes(given, model.strength, model.tie)
    inverse = np.linalg.inv(model.information)
    moved = (inverse[given.first] - inverse[given.second]) * slopes.by_gap[:, None]
    if len(model.information) > systems:
        moved += inverse[-1] * slopes.by_tie[:, None]
    return np.asarray(moved[:, :systems])


def _checked(preferences: Preferences, systems: int) -> Preferences:
    first, second = (np.asarray(side, dtype=np.int64) for side in preferences[:2])
    outcome = np.asarray(preferences.outcome, dtype=np.float64)
    if not first.shape == second.shape == outcome.shape or first.ndim != 1:
        raise ValueError("every judgement needs two systems and an outcome")
    if not np.isin(outcome, (0.0, 0.5, 1.0)).all():
        raise ValueError("an outcome is 1 (the first is preferred), 0 (the second is) or 0.5 (a tie)")
    if (first == second).any() or (len(first) and not min(first.min(), second.min()) >= 0):
        raise ValueError("a judgement is of two different systems, numbered from 0")
    if len(first) and max(first.max(), second.max()) >= systems:
        raise ValueError(f"there are {systems} systems, numbered from 0")
    return Preferences(first, second, outcome)


def _absence(given: Preferences, systems: int) -> Absence | None:
    if systems < 2:
        return "one-system"
    if len(given.outcome) and (given.outcome == 0.5).all():
        return "ties-alone"
    beats = np.zeros((systems, systems), dtype=bool)
    beats[given.first[given.outcome > 0], given.second[given.outcome > 0]] = True
    beats[given.second[given.outcome < 1], given.first[given.outcome < 1]] = True
    return None if _reaches_all(beats) and _reaches_all(beats.T) else "separated"


def _reaches_all(beats: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> bool:
    """Whether a chain of wins leads from the first system to every other."""
    reached = np.zeros(len(beats), dtype=bool)
    reached[0] = True
    for _ in range(len(beats)):
        reached |= beats[reached].any(axis=0)
    return bool(reached.all())
