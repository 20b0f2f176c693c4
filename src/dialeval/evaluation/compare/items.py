"""Two systems under a metric: paired bootstrap, permutation test, McNemar, effect size."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dialeval.core import Floats, Resampling, Result
from dialeval.evaluation.compare.comparison import Basis, Comparison, MoreItems
from dialeval.evaluation.compare.pairing import paired_items, places_of_values, system_of
from dialeval.files.documents import finite
from dialeval.stats import (
    bootstrap_p,
    cohens_d_paired,
    difference_of,
    mcnemar,
    paired_bootstrap,
    percentile_interval,
    permutation_test,
    required_items,
)


def compare_items(
    a: Result, b: Result, resampling: Resampling, *, margin: float | None, tests: int
) -> Comparison:
    """Two systems item by item, before correction; ``more_items`` is an estimate even where it is settled."""
    pairs = _pair(a, b)
    n = len(pairs.items)
    aggregate, direction = a.metric.aggregate, a.metric.higher_is_better
    clusters = resampling.clusters(pairs.items)
    scores = [aggregate(rows.sum(axis=0)) for rows in (pairs.rows_a, pairs.rows_b)]
    score_a, score_b = map(float, scores)
    difference = float(difference_of(*scores))
    resampled = paired_bootstrap(
        pairs.rows_a,
        pairs.rows_b,
        aggregate,
        resamples=resampling.resamples,
        seed=resampling.seed,
        clusters=clusters,
    )
    alpha = resampling.alpha
    units = n if clusters is None else int(clusters.max()) + 1
    needed = required_items(difference, _spread(resampled), units, alpha=alpha / tests)
    effect = cohens_d_paired(pairs.values_a - pairs.values_b)
    wins, losses = _wins(pairs.values_a, pairs.values_b, direction)
    yes_no = clusters is None and _is_yes_no(pairs, score_a, score_b)
    low, high = percentile_interval(resampled, resampling.confidence)
    p_mcnemar = mcnemar(pairs.values_a, pairs.values_b) if yes_no else None
    p_permutation = permutation_test(
        pairs.rows_a,
        pairs.rows_b,
        aggregate,
        # The smallest p is 1/resamples, and Holm multiplies it by the tests: leave it room below alpha.
        resamples=max(resampling.resamples, math.ceil(5 * tests / alpha)),
        seed=resampling.seed,
        clusters=clusters,
    )
    more = MoreItems(None if needed is None else max(1, math.ceil(needed * n / units) - n))
    return Comparison(
        a=system_of(a),
        b=system_of(b),
        difference=finite(difference),
        low=finite(low),
        high=finite(high),
        p_bootstrap=finite(bootstrap_p(resampled)),
        p_permutation=finite(p_permutation),
        p_mcnemar=finite(p_mcnemar),
        p_adjusted=finite(p_permutation if p_mcnemar is None else p_mcnemar),
        significant=False,
        better=None,
        effect_size=finite(effect),
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        n=n,
        unpaired=pairs.unpaired,
        more_items=None,
        margin=margin,
        units=units,
        basis=Basis(
            str(a.signature),
            score_a,
            score_b,
            resampling.confidence,
            alpha,
            direction,
            more,
        ),
    )


class _Pairs(NamedTuple):
    items: list[str]
    rows_a: Floats
    rows_b: Floats
    values_a: Floats
    values_b: Floats
    unpaired: int


def _pair(a: Result, b: Result) -> _Pairs:
    items = paired_items(a, b)
    either = len(set(a.items) | set(b.items))
    (at_a, at_b) = ([places[item] for item in items] for places in (places_of_values(a), places_of_values(b)))
    return _Pairs(items, a.rows[at_a], b.rows[at_b], a.values[at_a], b.values[at_b], either - len(items))


def _spread(differences: Floats) -> float:
    defined = differences[~np.isnan(differences)]
    return float(defined.std(ddof=1)) if defined.size > 1 else math.nan


def _wins(values_a: Floats, values_b: Floats, direction: bool | None) -> tuple[int, int]:
    equal = np.isclose(values_a, values_b, rtol=1e-10, atol=0)
    higher = int(np.count_nonzero((values_a > values_b) & ~equal))
    lower = int(np.count_nonzero((values_a < values_b) & ~equal))
    return (lower, higher) if direction is False else (higher, lower)


def _is_yes_no(pairs: _Pairs, score_a: float, score_b: float) -> bool:
    """Whether items are right or wrong and the score is the share of right ones, as McNemar's test supposes."""
    return all(
        bool(np.isin(values, (0.0, 1.0)).all()) and math.isclose(score, float(values.mean()), abs_tol=1e-9)
        for values, score in ((pairs.values_a, score_a), (pairs.values_b, score_b))
    )
