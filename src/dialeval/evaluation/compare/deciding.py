"""One pair of systems, some pairs, or all of them, with the correction that many looks call for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from dialeval.core import DEFAULT_RESAMPLING, CorpusResult, Outcome, Resampling
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare.comparison import Comparison, decided
from dialeval.evaluation.compare.corpora import compare_corpora
from dialeval.evaluation.compare.items import compare_items
from dialeval.evaluation.compare.pairing import check_same_measure, shared_items
from dialeval.stats import holm


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
