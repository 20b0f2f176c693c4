"""Accuracy over pairs of systems, for every measure: does it put two of them in people's order?"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.ratings.joined import Flags, Joined
from dialeval.stats.correlation.levels import Level
from dialeval.stats.correlation.pairwise import calibrate_ties, pairwise_accuracy, soft_pairwise_accuracy

MOST: Final = 1 << 21
"""Pairs of answers to one item, beyond which their ties are not calibrated."""
MOST_SOFT: Final = 1 << 18
"""The same for soft accuracy, which looks at each of them in every trial."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often one measure puts two systems in the order that people do; None where undefined or not asked for."""

    measure: str
    pairwise: float | None = None
    """Of systems' means (Kocmi et al., 2021)."""
    soft: float | None = None
    """Of systems' means, by how sure of the order both sides are (Thompson et al., 2024)."""
    tied: float | None = None
    """Of the answers to one item, ties counting (Deutsch et al., 2023), with the best ``epsilon``."""
    epsilon: float | None = None
    """The difference up to which the measure's values had best count as tied, chosen on these very pairs."""


def accuracies(
    joined: Joined, *, levels: Collection[Level], trials: int = 1000, seed: int = 0
) -> tuple[Accuracy, ...]:
    """Each measure's accuracies at the levels ``system`` and ``system_within_item``, higher values being better.

    Without ``trials`` there is no soft accuracy, nor where it would take long: beyond ``MOST_SOFT`` pairs of answers.
    """
    return tuple(
        _accuracy(measure.name, joined.human.values, measure.values, levels, trials, seed)
        for measure in joined.measures
    )


def _accuracy(
    name: str, human: Floats, scores: Floats, levels: Collection[Level], trials: int, seed: int
) -> Accuracy:
    both = ~np.isnan(human) & ~np.isnan(scores)
    counts = both.sum(axis=0)
    pairs = int((counts * (counts - 1) // 2).sum())
    pairwise = soft = tied = epsilon = math.nan
    if "system" in levels:
        pairwise = pairwise_accuracy(*(_means(side, both) for side in (human, scores))).value
        if trials and pairs <= MOST_SOFT:
            soft = soft_pairwise_accuracy(human, scores, resamples=trials, seed=seed).value
    if "system_within_item" in levels and pairs <= MOST:
        found = calibrate_ties(human, scores)
        tied, epsilon = found.accuracy, found.epsilon
    return Accuracy(name, *(None if math.isnan(one) else one for one in (pairwise, soft, tied, epsilon)))


def _means(values: Floats, there: Flags) -> Floats:
    sums, counts = np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return means
