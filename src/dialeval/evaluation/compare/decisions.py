"""Comparisons of two systems item by item, of one pair, some pairs or all, and the correction of their tests."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling, Result
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare.comparison import Comparison, Corrected, decided
from dialeval.evaluation.compare.leaving_out import compare_left_out, several_runs
from dialeval.evaluation.compare.pairs import (
    are_aligned,
    check_same_measure,
    paired,
    places_of_values,
    same_answers,
    share_items,
)
from dialeval.evaluation.compare.sentences import with_names
from dialeval.evaluation.compare.undecided import Setting, Sides, undecided
from dialeval.files.documents import finite
from dialeval.stats import (
    AdjustedFamily,
    Sums,
    adjust_families,
    bootstrap_differences,
    bootstrap_p,
    combined_p,
    design_effect,
    mcnemar,
    permutation_p,
    spread_of_difference,
    spread_of_identical,
    wins_of,
)
from dialeval.stats.resampling.intervals import is_yes_no, joined_rows
from dialeval.stats.tests.multiple import Correction


def compare(
    a: Result,
    b: Result,
    resampling: Resampling = DEFAULT_RESAMPLING,
    *,
    margin: float | None = None,
    names: Sequence[str] | None = None,
) -> Comparison:
    """Whether two systems differ under the measure that both results share, item by item.

    ``margin`` is the smallest difference that matters: with one, systems may be shown to be equivalent. Clusters, such
    as the turns of a dialogue, are resampled and swapped whole. Items are paired by id and taken in the order of their
    ids, so the order of the data moves nothing. ``names`` stand for the names of the systems, which are "the first" and
    "the second" if they have none.
    """
    first, second = with_names((a, b), names)
    return without_credit(decided(_compare(first, second, Setting(resampling, margin))), first, second)


def compare_all(
    results: Sequence[Result],
    resampling: Resampling = DEFAULT_RESAMPLING,
    *,
    margin: float | None = None,
    tests: int | None = None,
    names: Sequence[str] | None = None,
) -> tuple[Comparison, ...]:
    """Every pair of systems under one measure, with Holm's correction over the pairs.

    Pairs that share no scored item cannot be compared and are left out. ``names`` as in `compare`, other options as in
    `compare_pairs`.
    """
    pairs = [(a, b) for a, b in combinations(with_names(results, names), 2) if share_items(a, b)]
    return compare_pairs(pairs, resampling, margin=margin, tests=tests)


def compare_pairs(
    pairs: Sequence[tuple[Result, Result]],
    resampling: Resampling = DEFAULT_RESAMPLING,
    *,
    margin: float | None = None,
    tests: int | None = None,
    spent: float | None = None,
) -> tuple[Comparison, ...]:
    """These pairs under one measure, with Holm's correction over them; a pair that stands alone needs none.

    ``tests`` is the size of the family where other measures belong to it too, to be corrected by `decide_families`:
    then p-values must be fine enough, and more items are needed. ``spent`` is what p-values have to be below where this
    is one of two looks (`dialeval.stats.looks`); otherwise 1 - confidence.
    """
    setting = Setting(resampling, margin, tests or len(pairs), spent)
    results = list({id(r): r for pair in pairs for r in pair if r.per_item and not several_runs(r)}.values())
    common = Common(results, resampling) if len(results) > 2 else None
    return decide_families([_compare(a, b, setting, common) for a, b in pairs])


def without_credit(comparison: Comparison, a: Result, b: Result) -> Comparison:
    """The comparison, in which no system is better that left items unanswered which the measure does not count."""
    winner = {comparison.a: a, comparison.b: b}.get(comparison.better or "")
    if winner is None or not winner.uncounted:
        return comparison
    return dataclasses.replace(comparison, better=None, verdict="different")


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


def add_first_look(comparisons: Sequence[Comparison], first: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons with the evidence of a first look at other items, the same measures and pairs in their order.

    Both looks count the same, whatever their numbers of items. The p-values have to be below `dialeval.stats.looks`'s
    second; `decide_families` decides.
    """
    if [pair.measure for pair in comparisons] != [pair.measure for pair in first]:
        found, needed = (
            ", ".join(dict.fromkeys(pair.measure or "" for pair in pairs)) for pairs in (first, comparisons)
        )
        raise Unsuitable(
            f"Both looks must compare the same systems under the same measures, but the first has {len(first)} "
            f"comparisons ({found}) and this one {len(comparisons)} ({needed})."
        )
    return tuple(_looked_twice(now, before) for now, before in zip(comparisons, first, strict=True))


def _looked_twice(now: Comparison, before: Comparison) -> Comparison:
    if now.basis is None or now.p_value is None or now.difference.value is None:
        return now
    if before.p_value is None or before.difference.value is None:
        return now
    p = combined_p((before.difference.value, before.p_value), (now.difference.value, now.p_value))
    return dataclasses.replace(now, basis=dataclasses.replace(now.basis, p_looks=p))


def _decided(
    pairs: Sequence[Comparison], corrected: AdjustedFamily, equivalent: Floats, *, role: bool
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


def _compare(a: Result, b: Result, setting: Setting, common: Common | None = None) -> Comparison:
    """One pair before correction, each kind of result in its own way."""
    if setting.resampling.resamples < 1:
        raise Unsuitable(
            f"A comparison rests on resampling, but found {setting.resampling.resamples} resamples. "
            "Ask for 1000 or so."
        )
    if setting.margin is not None and not 0 < setting.margin < math.inf:
        raise Unsuitable(
            f"A margin is the smallest difference that matters, so above 0, but found {setting.margin:g}."
        )
    check_same_measure(a, b)
    if a.per_item is not b.per_item:
        raise Unsuitable(
            f"One result under {a.signature.call} has no values per item. Measure both systems again."
        )
    if a.per_item and not several_runs(a, b):
        return compare_items(a, b, setting, common)
    return compare_left_out(a, b, setting)


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
    """True if both systems are known to have given the same answers."""


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
