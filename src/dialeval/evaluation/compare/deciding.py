"""One pair of systems, some pairs, or all of them, with the correction that many looks call for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from dialeval.core import CorpusResult, Outcome
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare.comparison import Comparison
from dialeval.evaluation.compare.corpora import compare_corpora
from dialeval.evaluation.compare.items import compare_items
from dialeval.evaluation.compare.pairing import check_same_measure, shared_items
from dialeval.stats import holm


def compare(
    a: Outcome,
    b: Outcome,
    *,
    trials: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    cluster: Callable[[str], str] | None = None,
) -> Comparison:
    """Whether two systems differ under the measure that both results share, item by item.

    ``cluster`` gives the cluster of an item's id, such as its dialogue: then clusters are resampled and swapped
    whole. Items are paired by id and taken in the order of their ids, so the order of the data moves nothing.
    """
    return _settle(_compare(a, b, trials=trials, seed=seed, level=level, cluster=cluster), None)


def compare_all(
    results: Sequence[Outcome],
    *,
    trials: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    cluster: Callable[[str], str] | None = None,
) -> tuple[Comparison, ...]:
    """Every pair of systems under one measure, with Holm's correction over the pairs.

    Pairs that share no scored item cannot be compared and are left out.
    """
    pairs = [(a, b) for a, b in combinations(results, 2) if shared_items(a, b)]
    return compare_pairs(pairs, trials=trials, seed=seed, level=level, cluster=cluster)


def compare_pairs(
    pairs: Sequence[tuple[Outcome, Outcome]],
    *,
    trials: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    cluster: Callable[[str], str] | None = None,
) -> tuple[Comparison, ...]:
    """These pairs under one measure, with Holm's correction over them; a pair that stands alone needs none."""
    raw = [
        _compare(a, b, trials=trials, seed=seed, level=level, cluster=cluster, rivals=len(pairs))
        for a, b in pairs
    ]
    if len(raw) == 1:
        return (_settle(raw[0], None),)
    adjusted = holm([comparison.p for comparison in raw]).tolist()
    return tuple(_settle(comparison, p) for comparison, p in zip(raw, adjusted, strict=True))


def _compare(
    a: Outcome,
    b: Outcome,
    *,
    trials: int,
    seed: int,
    level: float,
    cluster: Callable[[str], str] | None,
    rivals: int = 1,
) -> Comparison:
    """One pair before correction, each kind of result in its own way."""
    if trials < 1:
        raise Unsuitable(
            f"A comparison rests on resampling, but trials is {trials}. Ask for 1000 trials or so."
        )
    check_same_measure(a, b)
    if isinstance(a, CorpusResult) and isinstance(b, CorpusResult):
        return compare_corpora(a, b, level=level, cluster=cluster, rivals=rivals)
    if isinstance(a, CorpusResult) or isinstance(b, CorpusResult):
        raise Unsuitable(
            f"One result under {a.signature.call} has no values per item. Measure both systems anew."
        )
    return compare_items(a, b, trials=trials, seed=seed, level=level, cluster=cluster, rivals=rivals)


def _settle(comparison: Comparison, p_adjusted: float | None) -> Comparison:
    decided = replace(comparison, p_adjusted=p_adjusted)
    return replace(decided, more_items=0) if decided.significant else decided
