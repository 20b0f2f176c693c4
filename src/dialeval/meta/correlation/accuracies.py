"""Pairwise accuracy of every measure: the share of pairs of systems that it orders as people do."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling
from dialeval.files.documents import finite
from dialeval.meta.document import Level, Row
from dialeval.ratings.joined import Flags, Joined
from dialeval.stats.correlation.pairwise import calibrate_ties, pairwise_accuracy, soft_pairwise_accuracy

MOST: Final = 1 << 21
"""Pairs of answers to one item, beyond which their ties are not calibrated."""
MOST_SOFT: Final = 1 << 18
"""The same for soft accuracy, which looks at each of them in every trial."""


class _Accuracy(NamedTuple):
    """How often one measure puts two systems in the order that people do; NaN where undefined or not asked for."""

    pairwise: float
    """Of systems' means (Kocmi et al., 2021)."""
    soft: float
    """Of systems' means, by how sure of the order both sides are (Thompson et al., 2024)."""
    tied: float
    """Of the answers to one item, ties counting (Deutsch et al., 2023), with the best ``epsilon``."""
    epsilon: float
    """The difference up to which the measure's values had best count as tied, chosen on these very pairs."""


def with_accuracies(
    rows: Sequence[Row], joined: Joined, *, resampling: Resampling = DEFAULT_RESAMPLING
) -> tuple[Row, ...]:
    """The rows with each measure's accuracies at the levels ``system`` and ``system_within_item``.

    Higher values have to be better with all measures. Without resamples there is no soft accuracy, nor where it would
    take long: beyond ``MOST_SOFT`` pairs of answers.
    """
    levels = {row.level for row in rows}
    accuracies = {
        measure.name: _accuracy(joined.human.values, measure.values, levels, resampling)
        for measure in joined.measures
    }
    return tuple(_with_accuracy(row, accuracies[row.measure]) for row in rows)


def _with_accuracy(row: Row, accuracy: _Accuracy) -> Row:
    pairwise, soft, tied, epsilon = map(finite, accuracy)
    if row.level == "system":
        return replace(row, pairwise_accuracy=pairwise, soft_pairwise_accuracy=soft)
    if row.level == "system_within_item":
        return replace(row, acc_eq=tied, tie_epsilon=epsilon)
    return row


def _accuracy(human: Floats, scores: Floats, levels: Collection[Level], resampling: Resampling) -> _Accuracy:
    both = ~np.isnan(human) & ~np.isnan(scores)
    counts = both.sum(axis=0)
    pairs = int((counts * (counts - 1) // 2).sum())
    pairwise = soft = tied = epsilon = math.nan
    if "system" in levels:
        pairwise = pairwise_accuracy(*(_means(side, both) for side in (human, scores))).value
        if resampling.resamples and pairs <= MOST_SOFT:
            draws, seed = resampling.resamples, resampling.seed
            soft = soft_pairwise_accuracy(human, scores, resamples=draws, seed=seed).value
    if "system_within_item" in levels and pairs <= MOST:
        calibrated = calibrate_ties(human, scores)
        tied, epsilon = calibrated.accuracy, calibrated.epsilon
    return _Accuracy(pairwise, soft, tied, epsilon)


def _means(values: Floats, there: Flags) -> Floats:
    sums, counts = np.where(there, values, 0.0).sum(axis=1), there.sum(axis=1)
    means: Floats = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0)
    return means
