"""One pair of systems, some pairs, or all of them, with the correction that many looks call for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, CorpusResult, Floats, LeaveOneOut, Outcome, Resampling
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare.comparison import Basis, Comparison, Corrected, MoreItems, decided
from dialeval.evaluation.compare.items import compare_items
from dialeval.evaluation.compare.pairing import check_same_measure, paired_items, shared_items, system_of
from dialeval.evaluation.corpus import leave_out
from dialeval.files.documents import finite
from dialeval.stats import (
    Adjusted,
    adjust_families,
    difference_of,
    jackknife_error,
    jackknife_interval,
    jackknife_p,
    required_items,
)
from dialeval.stats.tests.multiple import Correction


def compare(
    a: Outcome,
    b: Outcome,
    resampling: Resampling = DEFAULT_RESAMPLING,
    *,
    margin: float | None = None,
) -> Comparison:
    """Whether two systems differ under the measure that both results share, item by item.

    ``margin`` is the smallest difference that matters: with one, systems may be shown to be equivalent. Clusters, such
    as the turns of a dialogue, are resampled and swapped whole. Items are paired by id and taken in the order of their
    ids, so the order of the data moves nothing.
    """
    return decided(_compare(a, b, resampling, margin=margin))


def compare_all(
    results: Sequence[Outcome],
    resampling: Resampling = DEFAULT_RESAMPLING,
    *,
    margin: float | None = None,
    tests: int | None = None,
) -> tuple[Comparison, ...]:
    """Every pair of systems under one measure, with Holm's correction over the pairs.

    Pairs that share no scored item cannot be compared and are left out. Options as in `compare_pairs`.
    """
    pairs = [(a, b) for a, b in combinations(results, 2) if shared_items(a, b)]
    return compare_pairs(pairs, resampling, margin=margin, tests=tests)


def compare_pairs(
    pairs: Sequence[tuple[Outcome, Outcome]],
    resampling: Resampling = DEFAULT_RESAMPLING,
    *,
    margin: float | None = None,
    tests: int | None = None,
) -> tuple[Comparison, ...]:
    """These pairs under one measure, with Holm's correction over them; a pair that stands alone needs none.

    ``tests`` is the size of the family where other measures belong to it too, to be corrected by `decide_families`:
    then p-values must be fine enough, and more items are needed.
    """
    return decide_families(
        [_compare(a, b, resampling, margin=margin, tests=tests or len(pairs)) for a, b in pairs]
    )


def decide_families(
    comparisons: Sequence[Comparison], *, primary: str | None = None, correction: Correction = "holm"
) -> tuple[Comparison, ...]:
    """The comparisons of a study under all of its measures, in their order, decided over families of tests.

    Without a ``primary`` measure all are one family. With one, declared before anybody looked, its comparisons are a
    confirmatory family of their own, corrected by Holm, and those of all other measures together an exploratory one.
    Tests of equivalence are corrected over the same families.
    """
    groups: dict[str, list[Comparison]] = {}
    for comparison in comparisons:
        groups.setdefault(comparison.measure or "", []).append(comparison)
    if not groups:
        return ()
    differ = {name: [_known(pair.p_value) for pair in group] for name, group in groups.items()}
    equal = {name: [_known(_p_equivalence(pair)) for pair in group] for name, group in groups.items()}
    primary = primary if primary in groups else None
    corrected, equivalent = (
        adjust_families(p_values, primary=primary, correction=correction) for p_values in (differ, equal)
    )
    again = {
        name: iter(_decided(pairs, corrected[name], equivalent[name].p_values, role=primary is not None))
        for name, pairs in groups.items()
    }
    return tuple(next(again[comparison.measure or ""]) for comparison in comparisons)


def _decided(
    pairs: Sequence[Comparison], corrected: Adjusted, equivalent: Floats, *, role: bool
) -> Iterator[Comparison]:
    """One measure's pairs with the p-values that correction left them."""
    family = corrected.family
    for pair, p, p_equivalence in zip(pairs, corrected.p_values.tolist(), equivalent.tolist(), strict=True):
        yield decided(
            pair,
            Corrected(p, p_equivalence, family.tests, family.correction, family.role if role else None),
        )


def _known(p: float | None) -> float:
    return math.nan if p is None else p


def _p_equivalence(comparison: Comparison) -> float | None:
    return None if comparison.basis is None else comparison.basis.p_equivalence


def _compare(
    a: Outcome, b: Outcome, resampling: Resampling, *, margin: float | None = None, tests: int = 1
) -> Comparison:
    """One pair before correction, each kind of result in its own way."""
    if resampling.resamples < 1:
        raise Unsuitable(
            f"A comparison rests on resampling, but found {resampling.resamples} resamples. Ask for 1000 or so."
        )
    check_same_measure(a, b)
    if isinstance(a, CorpusResult) and isinstance(b, CorpusResult):
        return compare_corpora(a, b, resampling, margin=margin, tests=tests)
    if isinstance(a, CorpusResult) or isinstance(b, CorpusResult):
        raise Unsuitable(
            f"One result under {a.signature.call} has no values per item. Measure both systems again."
        )
    return compare_items(a, b, resampling, margin=margin, tests=tests)


def compare_corpora(
    a: CorpusResult, b: CorpusResult, resampling: Resampling, *, margin: float | None, tests: int
) -> Comparison:
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
        more_items=None,
        margin=margin,
        units=units,
        basis=Basis(
            str(a.signature),
            side_a.score,
            side_b.score,
            resampling.confidence,
            alpha,
            a.measure.higher_is_better,
            MoreItems(None if needed is None else max(1, math.ceil(needed * n / units) - n)),
        ),
    )


def _without(result: CorpusResult, items: Sequence[str], resampling: Resampling) -> LeaveOneOut:
    subjects = {subject.item: subject for subject in result.subjects}
    return leave_out(result.measure, [subjects[item] for item in items], resampling)
