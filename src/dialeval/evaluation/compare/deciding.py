"""One pair of systems, some pairs, or all of them, with the correction that many looks call for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, CorpusResult, LeaveOneOut, Outcome, Resampling
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare.comparison import Basis, Comparison, decided
from dialeval.evaluation.compare.items import compare_items
from dialeval.evaluation.compare.pairing import check_same_measure, paired_items, shared_items, system_of
from dialeval.evaluation.corpus import leave_out
from dialeval.files.documents import finite
from dialeval.stats import (
    difference_of,
    holm,
    jackknife_error,
    jackknife_interval,
    jackknife_p,
    required_items,
)


def compare(
    a: Outcome,
    b: Outcome,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Comparison:
    """Whether two systems differ under the measure that both results share, item by item.

    Clusters, such as the turns of a dialogue, are resampled and swapped whole. Items are paired by id and taken in
    the order of their ids, so the order of the data moves nothing.
    """
    return decided(_compare(a, b, resampling))


def compare_all(
    results: Sequence[Outcome],
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> tuple[Comparison, ...]:
    """Every pair of systems under one measure, with Holm's correction over the pairs.

    Pairs that share no scored item cannot be compared and are left out.
    """
    pairs = [(a, b) for a, b in combinations(results, 2) if shared_items(a, b)]
    return compare_pairs(pairs, resampling)


def compare_pairs(
    pairs: Sequence[tuple[Outcome, Outcome]],
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> tuple[Comparison, ...]:
    """These pairs under one measure, with Holm's correction over them; a pair that stands alone needs none."""
    raw = [_compare(a, b, resampling, tests=len(pairs)) for a, b in pairs]
    if len(raw) == 1:
        return (decided(raw[0]),)
    known = [math.nan if pair.p_adjusted is None else pair.p_adjusted for pair in raw]
    return tuple(decided(pair, corrected=p) for pair, p in zip(raw, holm(known).tolist(), strict=True))


def _compare(a: Outcome, b: Outcome, resampling: Resampling, *, tests: int = 1) -> Comparison:
    """One pair before correction, each kind of result in its own way."""
    if resampling.resamples < 1:
        raise Unsuitable(
            f"A comparison rests on resampling, but found {resampling.resamples} resamples. Ask for 1000 or so."
        )
    check_same_measure(a, b)
    if isinstance(a, CorpusResult) and isinstance(b, CorpusResult):
        return compare_corpora(a, b, resampling, tests=tests)
    if isinstance(a, CorpusResult) or isinstance(b, CorpusResult):
        raise Unsuitable(
            f"One result under {a.signature.call} has no values per item. Measure both systems again."
        )
    return compare_items(a, b, resampling, tests=tests)


def compare_corpora(a: CorpusResult, b: CorpusResult, resampling: Resampling, *, tests: int) -> Comparison:
    """One pair under a corpus measure, each item or cluster being left out of both systems at once."""
    items = paired_items(a, b)
    side_a, side_b = (_without(result, items, resampling) for result in (a, b))
    difference = float(difference_of(np.array(side_a.score), np.array(side_b.score)))
    without = difference_of(side_a.without, side_b.without)
    alpha, n, units = resampling.alpha, len(items), len(without)
    needed = required_items(difference, jackknife_error(without), units, alpha=alpha / tests)
    low, high = jackknife_interval(difference, without, resampling.confidence)
    p = finite(jackknife_p(difference, without))
    return Comparison(
        a=system_of(a),
        b=system_of(b),
        difference=finite(difference),
        low=finite(low),
        high=finite(high),
        p_bootstrap=None,
        p_permutation=None,
        p_mcnemar=None,
        p_jackknife=p,
        p_adjusted=p,
        significant=False,
        better=None,
        effect_size=None,
        wins=None,
        ties=None,
        losses=None,
        n=n,
        unpaired=len(set(a.items) | set(b.items)) - n,
        more_items=None if needed is None else max(1, math.ceil(needed * n / units) - n),
        basis=Basis(
            str(a.signature),
            side_a.score,
            side_b.score,
            resampling.confidence,
            alpha,
            a.measure.higher_is_better,
        ),
    )


def _without(result: CorpusResult, items: Sequence[str], resampling: Resampling) -> LeaveOneOut:
    subjects = {subject.item: subject for subject in result.subjects}
    return leave_out(result.measure, [subjects[item] for item in items], resampling)
