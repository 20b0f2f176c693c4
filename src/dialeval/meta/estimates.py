"""A system's mean rating from few ratings and many automatic scores, by prediction-powered inference.

Ratings of some items say how far a measure is off, its scores of the other items say what those would have been rated
(PPI++: Angelopoulos, Duchi & Zrnic, 2023). The interval holds however biased the measure is, as long as the rated items
are a random part of all. A measure that knows nothing about the ratings costs nothing: lambda goes to 0, and the plain
mean of the ratings is left.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.display.notes import Note
from dialeval.errors import Unsuitable
from dialeval.files.documents import finite
from dialeval.meta.document import DifferenceEstimate, Estimates, SystemEstimate
from dialeval.meta.document.few_ratings import ranks_of
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.resampling.prediction_powered import (
    Clusters,
    PartlyRated,
    PPIEstimate,
    ppi_difference,
    ppi_mean,
)
from dialeval.stats.tests.groups import welch_t
from dialeval.stats.tests.multiple import holm
from dialeval.stats.tests.power import FLAT

Flags: TypeAlias = NDArray[np.bool_]

FEW: Final = 20
"""Below this many rated items intervals are only roughly right."""
SHIFTED: Final = 0.01
"""p-value below which the measure scores rated and unrated items differently."""
RANDOM: Final = Note(
    "random_part",
    "Intervals are valid if the rated items are a random sample of all items, which the data cannot show.",
)


def estimate_systems(
    joined: Joined, measure: str | MeasureGrid, *, resampling: Resampling = DEFAULT_RESAMPLING
) -> Estimates:
    """Each system's mean rating over all items that the measure scored, and each difference between two systems.

    ``measure`` is one of the joined ones by name, or any grid on the same axes, such as that of ``linear_combination``,
    whose predictions are held out. Do not pick the measure by how narrow it makes these intervals. Of ``resampling``
    confidence and clusters count: the intervals are computed, not resampled, from sums over dialogues if items are
    turns of them.
    """
    grid = joined.measure_named(measure) if isinstance(measure, str) else measure
    human, scores = joined.human.values, joined.plus(grid).measures[-1].values
    if np.isnan(scores).all():
        raise Unsuitable(f"{grid.name} scores no answer of these systems.")
    scores = scores * scale_of(human, scores)
    known = [row for row in range(len(joined.systems)) if not np.isnan(scores[row]).all()]
    names, confidence = joined.systems, resampling.confidence
    together = resampling.clusters(joined.items)
    differences = [
        _difference(names, human, scores, pair, confidence, together) for pair in combinations(known, 2)
    ]
    adjusted = holm(
        [math.nan if difference.p is None else difference.p for difference in differences]
    ).tolist()
    corrected = tuple(
        with_correction(difference, p, resampling.alpha)
        for difference, p in zip(differences, adjusted, strict=True)
    )
    return Estimates(
        measure=grid.name,
        rater=grid.rater,
        criterion=joined.criterion,
        level=confidence,
        note=RANDOM,
        systems=tuple(_system(names[row], human[row], scores[row], confidence, together) for row in known),
        differences=corrected,
        ranks=ranks_of([names[row] for row in known], corrected),
    )


def partly_rated(human: Floats, scores: Floats, items: Flags | None = None) -> PartlyRated:
    """A system's ratings, scores of the same items (NaN if absent), and the others' scores, of marked ``items``."""
    rated, rest = _parted(human, scores, items)
    return PartlyRated(human[rated], scores[rated], scores[rest])


def _parted(human: Floats, scores: Floats, items: Flags | None) -> tuple[Flags, Flags]:
    """Which items are rated, and which others are scored."""
    wanted = np.ones(human.shape, dtype=bool) if items is None else items
    rated = wanted & ~np.isnan(human)
    return rated, wanted & ~rated & ~np.isnan(scores)


def _labels(human: Floats, scores: Floats, items: Flags | None, clusters: Integers | None) -> Clusters | None:
    """The cluster of each rated item and of each of the others."""
    rated, rest = _parted(human, scores, items)
    return None if clusters is None else (clusters[rated], clusters[rest])


def scale_of(human: Floats, scores: Floats) -> float:
    """The spread of ratings over that of scores, within systems, with the sign of their covariance; 1 if undefined.

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


def _system(
    name: str, human: Floats, scores: Floats, confidence: float, clusters: Integers | None
) -> SystemEstimate:
    parts, labels = partly_rated(human, scores), _labels(human, scores, None, clusters)
    of_rated, of_rest = labels or (None, None)
    shift = welch_t(
        _of_clusters(parts.predicted_rated, of_rated), _of_clusters(parts.predicted_rest, of_rest)
    )
    notes = list(_notes(parts, of_rated))
    if shift.p < SHIFTED:
        which = "higher" if shift.difference > 0 else "lower"
        text = (
            f"the measure scores the rated items {which} than the others (p = {shift.p:.2g}): "
            "they do not look like a random sample"
        )
        notes.append(Note("shifted", text))
    estimate, alone = (ppi_mean(*parts, confidence=confidence, clusters=which) for which in (labels, None))
    return SystemEstimate(
        system=name,
        p_shift=finite(shift.p),
        warnings=tuple(notes),
        design_effect=_design_effect(estimate, alone, clusters),
        **numbers_of(estimate),
    )


def _of_clusters(values: Floats, clusters: Integers | None) -> Floats:
    """The mean of each cluster, or the values if there are none."""
    known = ~np.isnan(values)
    if clusters is None:
        return values[known]
    codes = np.unique(clusters[known], return_inverse=True)[1]
    return np.asarray(np.bincount(codes, values[known]) / np.maximum(np.bincount(codes), 1))


def _design_effect(estimate: PPIEstimate, alone: PPIEstimate, clusters: Integers | None) -> float | None:
    """The variance over the variance as if items were independent."""
    return (
        None if clusters is None else finite((estimate.error / alone.error) ** 2 if alone.error else math.nan)
    )


def _difference(
    names: tuple[str, ...],
    human: Floats,
    scores: Floats,
    pair: tuple[int, int],
    confidence: float,
    clusters: Integers | None,
) -> DifferenceEstimate:
    a, b = pair
    rated = ~np.isnan(human)
    both, either = rated[a] & rated[b], rated[a] | rated[b]
    shared = ~np.isnan(scores[a]) & ~np.isnan(scores[b])
    paired = 2 * int((both & shared).sum()) >= max(4, int((either & shared).sum()))
    # Items on which one of the two is rated would be neither rated nor unrated pairs.
    items = (both | (shared & ~either)) if paired else None
    parts = [partly_rated(human[row], scores[row], items) for row in pair]
    labels = [_labels(human[row], scores[row], items, clusters) for row in pair]
    if paired:
        unscored = np.isnan(parts[0].predicted_rated + parts[1].predicted_rated)
        parts = [
            part._replace(predicted_rated=np.where(unscored, np.nan, part.predicted_rated)) for part in parts
        ]
    notes = dict.fromkeys(note for part in parts for note in _notes(part, None))
    pairing = _pairing_note(paired, dropped=int((either & ~both).sum()), shared=bool(shared.any()))
    alone = ppi_difference(parts[0], parts[1], paired=paired, confidence=confidence)
    estimate = alone
    if labels[0] is not None and labels[1] is not None:
        together = (labels[0], labels[1])
        estimate = ppi_difference(parts[0], parts[1], paired=paired, confidence=confidence, clusters=together)
    return DifferenceEstimate(
        a=names[a],
        b=names[b],
        paired=paired,
        p=finite(estimate.p),
        p_adjusted=None,
        higher=None,
        warnings=(*notes, *pairing),
        design_effect=_design_effect(estimate, alone, clusters),
        **numbers_of(estimate),
    )


def _pairing_note(paired: bool, *, dropped: int, shared: bool) -> Iterator[Note]:
    """Note on the items on which only one of two systems is rated."""
    if paired and dropped:
        text = f"{dropped} items are left out because only one of the systems is rated on them"
        yield Note("items_left_out", text)
    elif not paired and shared:
        text = "most items have ratings of one system only, so the systems are compared as if unpaired"
        yield Note("unpaired", text)


def with_correction(difference: DifferenceEstimate, p: float, alpha: float) -> DifferenceEstimate:
    """With the p-value after correction, and the system that is higher by it."""
    above = difference.a if (difference.estimate.value or 0.0) > 0 else difference.b
    return dataclasses.replace(difference, p_adjusted=finite(p), higher=above if p < alpha else None)


def numbers_of(estimate: PPIEstimate) -> dict[str, Any]:
    """The fields that estimates of means and of differences have in common."""
    return {
        "estimate": estimate.estimate,
        **{name: finite(getattr(estimate, name)) for name in ("error", "tuning", "effective_n")},
        "n_unrated": estimate.n_unrated,
        "classical": estimate.classical,
    }


def _notes(parts: PartlyRated, clusters: Integers | None) -> Iterator[Note]:
    scored = int((~np.isnan(parts.predicted_rated)).sum())
    dialogues = scored if clusters is None else len(np.unique(clusters))
    if scored >= 2 and dialogues < min(FEW, scored):
        yield Note("few_rated", f"only {dialogues} rated dialogues: the interval is rough")
    elif 2 <= scored < FEW:
        yield Note("few_rated", f"only {scored} rated items: the interval is rough")
    if scored and len(parts.predicted_rest) < 2:
        left = "every item is rated" if not len(parts.predicted_rest) else "only one item is not rated"
        yield Note("all_rated", f"{left}, so the measure has nothing to add")
    if unscored := len(parts.rated) - scored:
        without = f"{unscored} rated items without a score count only for the ratings alone"
        yield Note("rated_not_scored", f"{without}, of which there are {len(parts.rated)}")
