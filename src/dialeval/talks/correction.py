"""Success with real users from few real talks and many simulated ones (PPI++), scenario by scenario.

The success of simulated talks predicts that of real ones. Whatever the simulated user is worth, its bias cancels,
if the scenarios that real users played are a random part of all. A simulator that predicts nothing costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dialeval.core import Estimate, Floats
from dialeval.data.types import Dialogue
from dialeval.errors import Unsuitable
from dialeval.stats.resampling.prediction_powered import (
    PartlyRated,
    PPIEstimate,
    ppi_difference,
    ppi_mean,
)
from dialeval.stats.tests.multiple import holm
from dialeval.talks.outcome import end_of, scenario_of, success_of


class Corrected(NamedTuple):
    """Success of a system, or a difference of two, with real users."""

    system: str
    other: str | None
    """The system whose success is subtracted; None of a single system."""
    corrected: Estimate
    real: Estimate
    """From the real talks alone."""
    simulated: float
    """Of all simulated talks, as if simulated users were real ones."""
    tuning: float
    """Trust in the simulator, from 0 to 1."""
    worth: float | None
    """Real scenarios that would have given this error without simulated talks."""
    p: float | None = None
    """Of a difference, after Holm's correction."""


def correct_success(
    simulated: Sequence[Dialogue], real: Sequence[Dialogue], confidence: float = 0.95
) -> list[Corrected]:
    """Return each system's success with real users over all scenarios, and the differences.

    The unit is the scenario: the mean over its repeats, and over its real talks. Real talks must be of scenarios and
    systems that were simulated; a talk without an outcome counts nowhere.
    """
    predicted, played = _means(simulated), _means(real)
    systems = list(dict.fromkeys(system for system, _ in predicted))
    scenarios = list(dict.fromkeys(scenario for _, scenario in predicted))
    strange = [key for key in played if key not in predicted]
    if len(strange) == len(played):
        example = f", such as {strange[0][1]!r} with {strange[0][0]!r}" if strange else ""
        raise Unsuitable(
            f"None of the {len(played)} pairs of a system and a scenario in the real talks{example} has simulated "
            "talks with an outcome. Give both the same scenarios ('metadata.scenario', or ids SCENARIO/REPEAT) and "
            "names of systems."
        )
    grids = {name: _grid(name, scenarios, predicted, played) for name in systems}
    single = [_of_system(name, *grids[name], confidence) for name in systems]
    pairs = [_of_pair(a, b, grids, confidence) for a, b in combinations(systems, 2)]
    adjusted = holm([math.nan if pair.p is None else pair.p for pair in pairs]).tolist()
    return [
        *single,
        *(pair._replace(p=None if math.isnan(p) else p) for pair, p in zip(pairs, adjusted, strict=True)),
    ]


def _means(talks: Sequence[Dialogue]) -> dict[tuple[str, str], float]:
    """Mean success by system and scenario."""
    found: dict[tuple[str, str], list[float]] = {}
    for talk in talks:
        value = success_of(talk)
        if value is not None and end_of(talk) != "failed":
            found.setdefault((talk.system, scenario_of(talk)), []).append(value)
    return {key: sum(values) / len(values) for key, values in found.items()}


def _grid(
    system: str,
    scenarios: Sequence[str],
    predicted: Mapping[tuple[str, str], float],
    played: Mapping[tuple[str, str], float],
) -> tuple[Floats, Floats]:
    """Real and simulated success by scenario, NaN where unknown."""
    sides = (
        [side.get((system, scenario), math.nan) for scenario in scenarios] for side in (played, predicted)
    )
    human, scores = map(np.array, sides)
    return human, scores


def _parts(human: Floats, scores: Floats) -> PartlyRated:
    rated, scored = ~np.isnan(human), ~np.isnan(scores)
    return PartlyRated(human[rated], scores[rated], scores[~rated & scored])


def _of_system(name: str, human: Floats, scores: Floats, confidence: float) -> Corrected:
    found = ppi_mean(*_parts(human, scores), confidence=confidence)
    return _corrected(name, None, found, float(np.nanmean(scores)), limits=(0.0, 1.0))


def _of_pair(a: str, b: str, grids: Mapping[str, tuple[Floats, Floats]], confidence: float) -> Corrected:
    (real_a, scores_a), (real_b, scores_b) = grids[a], grids[b]
    both = ~np.isnan(real_a) & ~np.isnan(real_b)
    neither = np.isnan(real_a) & np.isnan(real_b)
    kept = (both | neither) & ~np.isnan(scores_a) & ~np.isnan(scores_b)
    sides = [_parts(real[kept], scores[kept]) for real, scores in ((real_a, scores_a), (real_b, scores_b))]
    found = ppi_difference(*sides, paired=True, confidence=confidence)
    both_known = ~np.isnan(scores_a) & ~np.isnan(scores_b)
    simulated = float(np.mean(scores_a[both_known] - scores_b[both_known])) if both_known.any() else math.nan
    p = None if math.isnan(found.p) else found.p
    return _corrected(a, b, found, simulated, limits=(-1.0, 1.0))._replace(p=p)


def _corrected(
    system: str, other: str | None, found: PPIEstimate, simulated: float, limits: tuple[float, float]
) -> Corrected:
    estimate = _held(found.estimate, limits)
    worth = None if math.isnan(found.effective_n) else found.effective_n
    return Corrected(
        system, other, estimate, _held(found.classical.estimate, limits), simulated, found.tuning, worth
    )


def _held(estimate: Estimate, limits: tuple[float, float]) -> Estimate:
    """The estimate, whose ends no success can be beyond."""
    if estimate.bounds is None:
        return estimate
    low, high = estimate.bounds
    return estimate._replace(low=max(low, limits[0]), high=min(high, limits[1]))
