"""A system's mean rating from few ratings and many automatic scores, by prediction-powered inference.

Ratings of some items say how far a measure is off, its scores of the other items say what those would have been rated
(PPI++: Angelopoulos, Duchi & Zrnic, 2023). The interval holds however biased the measure is, as long as the rated items
are a random part of all. A measure that knows nothing about the ratings costs nothing: lambda goes to 0, and the plain
mean of the ratings is left.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats
from dialeval.errors import Unsuitable
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.resampling.prediction_powered import PartlyRated, PPIEstimate, ppi_difference, ppi_mean
from dialeval.stats.tests.multiple import holm
from dialeval.stats.tests.power import FLAT
from dialeval.stats.tests.t_tests import welch_t

Flags: TypeAlias = NDArray[np.bool_]

FEW: Final = 20
"""Below this many rated items intervals are only roughly right."""
HELPS: Final = 0.05
"""A measure helps where it is worth this share of the ratings more, and more than luck."""
LUCK: Final = 3.84
"""Ratings that a measure of nothing seems to be worth, one time in twenty: n r^2 has a chi-square distribution."""
SHIFTED: Final = 0.01
"""p-value below which the measure scores rated and unrated items differently."""


@dataclass(frozen=True, slots=True)
class SystemEstimate:
    """A system's mean rating."""

    system: str
    estimate: PPIEstimate
    p_shift: float
    """Welch's two-sided p-value of the measure's scores of rated against unrated items; NaN where there is no test."""
    warnings: tuple[str, ...]

    @property
    def helps(self) -> bool:
        """Whether the measure is worth 5 % more ratings, and more than a measure of nothing might seem to be."""
        return self.estimate.reason is None and self.estimate.gained >= max(LUCK, HELPS * self.estimate.n)

    @property
    def verdict(self) -> str:
        """What the measure brought, in a sentence."""
        e = self.estimate
        if e.reason is not None:
            found = "no estimate" if math.isnan(e.value) else f"{e.value:.4g} without an interval"
            return f"{self.system}: {found}, {e.reason}."
        value, low, high = (f"{number:.{_places(e.error)}f}" for number in (e.value, e.low, e.high))
        found = f"{self.system}: {value} [{low}, {high}] from {e.n:,} rated items"
        if not self.helps:
            return f"{found}; this measure does not help (lambda {e.tuning:.2f})."
        return (
            f"{found}, as good as {e.effective_n:,.0f} ratings without the measure (lambda {e.tuning:.2f})."
        )


@dataclass(frozen=True, slots=True)
class DifferenceEstimate:
    """The mean rating of one system minus that of another."""

    a: str
    b: str
    estimate: PPIEstimate
    paired: bool
    """Whether the items' differences were estimated, over items on which both systems are rated or both are not."""
    p_adjusted: float
    """After Holm's correction over all pairs of systems."""
    warnings: tuple[str, ...]
    alpha: float = 0.05

    @property
    def better(self) -> str | None:
        """The system whose mean is higher, where Holm's p-value is below alpha; lower is better on some criteria."""
        if not self.p_adjusted < self.alpha:
            return None
        return self.a if self.estimate.value > 0 else self.b


@dataclass(frozen=True, slots=True)
class Estimates:
    """Mean ratings of all systems, and all differences, from few ratings and one measure."""

    measure: str
    rater: str
    """The measure in full."""
    criterion: str
    level: float
    systems: tuple[SystemEstimate, ...]
    differences: tuple[DifferenceEstimate, ...]
    scale: float
    """What the scores were multiplied by, so that they spread as ratings do; below 0 where lower scores go with higher
    ratings."""
    note: str = (
        "Intervals hold if the rated items are a random part of all, which nothing in the data can show."
    )


def estimate_systems(joined: Joined, measure: str | MeasureGrid, *, level: float = 0.95) -> Estimates:
    """Each system's mean rating over all items that the measure scored, and each difference between two systems.

    ``measure`` is one of the joined ones by name, or any grid on the same axes, such as that of ``linear_combination``,
    whose predictions are held out. Do not pick the measure by how narrow it makes these intervals.
    """
    grid = joined.measure_named(measure) if isinstance(measure, str) else measure
    human, scores = joined.human.values, joined.plus(grid).measures[-1].values
    if np.isnan(scores).all():
        raise Unsuitable(f"{grid.name} scores no answer of these systems.")
    scale = _scale(human, scores)
    scores = scores * scale
    systems = [
        _system(name, human[at], scores[at], level)
        for at, name in enumerate(joined.systems)
        if not np.isnan(scores[at]).all()
    ]
    known = {name: at for at, name in enumerate(joined.systems)}
    pairs = [(known[a.system], known[b.system]) for a, b in combinations(systems, 2)]
    differences = [_difference(joined.systems, human, scores, pair, level) for pair in pairs]
    adjusted = holm([one.estimate.p for one in differences]).tolist()
    return Estimates(
        measure=grid.name,
        rater=grid.rater,
        criterion=joined.criterion,
        level=level,
        systems=tuple(systems),
        differences=tuple(
            dataclasses.replace(one, p_adjusted=p, alpha=round(1 - level, 12))
            for one, p in zip(differences, adjusted, strict=True)
        ),
        scale=scale,
    )


def partly_rated(human: Floats, scores: Floats, items: Flags | None = None) -> PartlyRated:
    """A system's ratings, scores of the same items (NaN where absent), and the others' scores, of marked ``items``."""
    wanted = np.ones(human.shape, dtype=bool) if items is None else items
    rated = wanted & ~np.isnan(human)
    return PartlyRated(human[rated], scores[rated], scores[wanted & ~rated & ~np.isnan(scores)])


def _scale(human: Floats, scores: Floats) -> float:
    """The spread of ratings over that of scores, within systems, with the sign of their covariance; 1 where undefined.

    Lambda lies between 0 and 1, so a measure from 0 to 1 could say little about ratings from 1 to 5, and one on which
    lower is better nothing at all.
    """
    both = ~np.isnan(human) & ~np.isnan(scores)
    ratings, predicted = (np.where(both, side, 0.0) for side in (human, scores))
    counts = np.maximum(both.sum(axis=1, keepdims=True), 1)
    dy, df = (
        np.where(both, side - side.sum(axis=1, keepdims=True) / counts, 0) for side in (ratings, predicted)
    )
    yy, ff, yf = float((dy * dy).sum()), float((df * df).sum()), float((dy * df).sum())
    if not yy or ff <= FLAT * float((predicted * predicted).sum()):
        return 1.0
    return math.copysign(math.sqrt(yy / ff), yf)


def _system(name: str, human: Floats, scores: Floats, level: float) -> SystemEstimate:
    parts = partly_rated(human, scores)
    shift = welch_t(parts.predicted_rated, parts.predicted_rest)
    warnings = list(_doubts(parts))
    if shift.p < SHIFTED:
        which = "higher" if shift.difference > 0 else "lower"
        warnings.append(
            f"by this measure the rated items are {which} than the others (p = {shift.p:.2g}): "
            "they do not look like a random part"
        )
    return SystemEstimate(name, ppi_mean(*parts, confidence=level), shift.p, tuple(warnings))


def _difference(
    names: tuple[str, ...], human: Floats, scores: Floats, pair: tuple[int, int], level: float
) -> DifferenceEstimate:
    a, b = pair
    rated = ~np.isnan(human)
    both, either = rated[a] & rated[b], rated[a] | rated[b]
    shared = ~np.isnan(scores[a]) & ~np.isnan(scores[b])
    paired = 2 * int((both & shared).sum()) >= max(4, int((either & shared).sum()))
    # Items on which one of the two is rated would be neither rated nor unrated pairs.
    parts = [
        partly_rated(human[at], scores[at], (both | (shared & ~either)) if paired else None) for at in pair
    ]
    if paired:
        unscored = np.isnan(parts[0].predicted_rated + parts[1].predicted_rated)
        parts = [
            part._replace(predicted_rated=np.where(unscored, np.nan, part.predicted_rated)) for part in parts
        ]
    warnings = list(dict.fromkeys(doubt for part in parts for doubt in _doubts(part)))
    dropped = int((either & ~both).sum())
    if paired and dropped:
        warnings.append(f"{dropped} items are left out because only one of the systems is rated on them")
    elif not paired and shared.any():
        warnings.append(
            "most items have ratings of one system only, so the systems are compared as if unpaired"
        )
    estimate = ppi_difference(parts[0], parts[1], paired=paired, confidence=level)
    return DifferenceEstimate(names[a], names[b], estimate, paired, estimate.p, tuple(warnings))


def _places(error: float) -> int:
    """Decimals that show two digits of the error."""
    return min(12, max(0, 1 - math.floor(math.log10(error)))) if error else 2


def _doubts(parts: PartlyRated) -> tuple[str, ...]:
    doubts = []
    scored = int((~np.isnan(parts.predicted_rated)).sum())
    if 2 <= scored < FEW:
        doubts.append(f"only {scored} rated items: the interval is rough")
    if scored and len(parts.predicted_rest) < 2:
        left = "every item is rated" if not len(parts.predicted_rest) else "only one item is not rated"
        doubts.append(f"{left}, so the measure has nothing to add")
    if unscored := len(parts.rated) - scored:
        doubts.append(
            f"{unscored} rated items without a score count for the ratings alone, of which there are {len(parts.rated)}"
        )
    return tuple(doubts)
