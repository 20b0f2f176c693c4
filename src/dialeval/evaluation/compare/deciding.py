"""One pair of systems, some pairs, or all of them, with the correction that many looks call for."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from itertools import combinations

from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling, Result
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare.comparison import Comparison, Corrected, decided
from dialeval.evaluation.compare.items import Common, compare_items
from dialeval.evaluation.compare.leaving_out import compare_left_out, several_runs
from dialeval.evaluation.compare.names import with_names
from dialeval.evaluation.compare.pairing import check_same_measure, share_items
from dialeval.evaluation.compare.undecided import Setting
from dialeval.stats import Adjusted, adjust_families, combined_p
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
