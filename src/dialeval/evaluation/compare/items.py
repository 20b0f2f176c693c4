"""Two systems under a metric, item by item: permutation test, bootstrap, McNemar, and the spread of the difference."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dialeval.core import Floats, Integers, Resampling, Result
from dialeval.evaluation.compare.comparison import Comparison
from dialeval.evaluation.compare.pairing import are_aligned, paired, places_of_values, same_answers
from dialeval.evaluation.compare.undecided import Setting, Sides, undecided
from dialeval.files.documents import finite
from dialeval.stats import (
    Sums,
    bootstrap_differences,
    bootstrap_p,
    design_effect,
    mcnemar,
    permutation_p,
    spread_of_difference,
    spread_of_identical,
    wins_of,
)
from dialeval.stats.resampling.intervals import is_yes_no, joined_rows


class Common:
    """Several systems' rows on the items that all of them have, so that sums are computed once for all pairs."""

    def __init__(self, results: Sequence[Result], resampling: Resampling) -> None:
        self._results, self._resampling = results, resampling
        self._places: Sequence[Integers] = ()
        self._items: Sequence[str] = []
        if are_aligned(results):
            self._items, (places, _) = paired(results[0], results[0])
            self._places = [places] * len(results)
        else:
            values = [places_of_values(result) for result in results]
            if all(places.keys() == values[0].keys() for places in values):
                self._items = sorted(values[0])
                self._places = [np.array([own[item] for item in self._items], np.int64) for own in values]
        self._sums: Sums | None = None

    def sums(self, a: Result, b: Result, items: Sequence[str]) -> tuple[Sums, tuple[int, int]] | None:
        """Those of two systems on these items, and where they stand among all; None where the items are others."""
        if items != self._items:
            return None
        if self._sums is None:
            rows = [result.rows[places] for result, places in zip(self._results, self._places, strict=True)]
            self._sums = sums_of(rows, items, self._resampling)
        places = [id(result) for result in self._results]
        return self._sums, (places.index(id(a)), places.index(id(b)))


def sums_of(rows: Sequence[Floats], items: Sequence[str], resampling: Resampling) -> Sums:
    """The sums of these rows over resamples of the items, or of their dialogues."""
    return Sums(
        rows, resamples=resampling.resamples, seed=resampling.seed, clusters=resampling.clusters(items)
    )


def compare_items(a: Result, b: Result, setting: Setting, common: Common | None = None) -> Comparison:
    """Two systems item by item, not yet decided; with ``common`` sums where several systems are compared."""
    pairs, resampling = _pair(a, b), setting.resampling
    aggregate, direction = a.metric.aggregate, a.metric.higher_is_better
    rows, clusters = (pairs.rows_a, pairs.rows_b), resampling.clusters(pairs.items)
    yes_no = _yes_no(a, pairs)
    score_a, score_b = (float(aggregate(side.sum(axis=0))) for side in rows)
    if pairs.identical and math.isfinite(score_a):
        spread = spread_of_identical(len(pairs.items) if clusters is None else int(clusters.max()) + 1)
    else:
        spread = spread_of_difference(
            *rows, aggregate, clusters=clusters, yes_no=yes_no, limits=a.metric.limits
        )
    effect = None if clusters is None else design_effect(*joined_rows(*rows, aggregate), clusters).value
    known = common.sums(a, b, pairs.items) if common else None
    sums, places = known or (sums_of(rows, pairs.items, resampling), (0, 1))
    resampled = bootstrap_differences(sums, places, aggregate)
    p_permutation = permutation_p(
        sums,
        places,
        aggregate,
        # The smallest p is 1/resamples, and correction multiplies it by the tests: leave it room below alpha.
        finest=math.ceil(5 * setting.tests / setting.alpha),
        alpha=resampling.alpha,
    )
    p_mcnemar = mcnemar(pairs.values_a, pairs.values_b) if yes_no and clusters is None else None
    wins = wins_of(pairs.values_a, pairs.values_b, higher_is_better=direction is not False)
    comparison = undecided(Sides(a, b, score_a, score_b, len(pairs.items), effect), spread, setting)
    return dataclasses.replace(
        comparison,
        p_bootstrap=finite(bootstrap_p(resampled)),
        p_permutation=finite(p_permutation),
        p_mcnemar=finite(p_mcnemar),
        wins=wins.wins,
        ties=wins.ties,
        losses=wins.losses,
    )


class _Pairs(NamedTuple):
    items: Sequence[str]
    rows_a: Floats
    rows_b: Floats
    values_a: Floats
    values_b: Floats
    identical: bool
    """Whether both systems are known to have given the same answers."""


def _pair(a: Result, b: Result) -> _Pairs:
    items, (at_a, at_b) = paired(a, b)
    rows_a, rows_b = a.rows[at_a], b.rows[at_b]
    same = same_answers(a, b, at_a, at_b) and np.array_equal(rows_a, rows_b)
    return _Pairs(items, rows_a, rows_b, a.values[at_a], b.values[at_b], same)


def _yes_no(a: Result, pairs: _Pairs) -> bool:
    """Whether items are right or wrong and the score is the share of right ones, as McNemar's test supposes."""
    said = a.metric.yes_no
    if said is not None:
        return said
    rows = np.concatenate([pairs.rows_a, pairs.rows_b])
    return is_yes_no(rows, a.metric.aggregate, np.concatenate([pairs.values_a, pairs.values_b]))
