"""Is one system better than another, or is it noise, and how many more items would settle it?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dialeval.core import CorpusResult, Floats, Interval, LeaveOneOut, Outcome, Result, Signature
from dialeval.corpus import leave_out
from dialeval.errors import Unsuitable
from dialeval.stats import (
    bootstrap_p,
    cohens_d_paired,
    difference_of,
    holm,
    jackknife_error,
    jackknife_interval,
    jackknife_p,
    mcnemar,
    paired_bootstrap,
    percentile_interval,
    permutation_test,
    required_items,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems under one measure, over the items that have a value from both."""

    measure: str
    """The metric's signature in full."""
    a: str
    b: str
    score_a: float
    """Over the paired items, so it may differ from a's score over all of its own."""
    score_b: float
    difference: float
    """a's score minus b's."""
    interval: Interval
    """Where the difference plausibly lies: a percentile bootstrap over items."""
    p_bootstrap: float
    p_permutation: float
    p_mcnemar: float | None
    """Only for yes/no measures over independent items, so None where clusters were given."""
    p_adjusted: float | None
    """The deciding p-value after Holm's correction; None where one pair stands alone."""
    effect_size: float | None
    """Cohen's d of the per-item differences; None where undefined."""
    wins: int
    """Items on which a does better; where the measure has no better, on which a's value is higher."""
    ties: int
    losses: int
    n: int
    unpaired: int
    """Items without a value from either system, or that only one of them was given."""
    more_items: int | None
    """Further items that would settle it with 80 % power; 0 where it is settled, None where no number would."""
    alpha: float
    higher_is_better: bool | None
    p_jackknife: float | None = None
    """Only for corpus measures, which have no other test, no effect size, and no item that could win."""

    @property
    def p(self) -> float:
        """The p-value that decides: the adjusted one, else the jackknife's, McNemar's or the permutation test's."""
        if self.p_adjusted is not None:
            return self.p_adjusted
        if self.p_jackknife is not None:
            return self.p_jackknife
        return self.p_permutation if self.p_mcnemar is None else self.p_mcnemar

    @property
    def significant(self) -> bool:
        """Whether the deciding p-value is below alpha."""
        return self.p < self.alpha

    @property
    def better(self) -> str | None:
        """The system shown to be better; None where none is, or where the measure has no better."""
        if not self.significant or self.higher_is_better is None:
            return None
        return self.a if (self.difference > 0) is self.higher_is_better else self.b

    @property
    def verdict(self) -> str:
        """Who is better and by how much, or what it would take to know, in plain words."""
        return _verdict(self)


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
    return _settle(_measure(a, b, trials=trials, seed=seed, level=level, cluster=cluster), None)


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
    pairs = [(a, b) for a, b in combinations(results, 2) if _shared(a, b)]
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
        _measure(a, b, trials=trials, seed=seed, level=level, cluster=cluster, rivals=len(pairs))
        for a, b in pairs
    ]
    if len(raw) == 1:
        return (_settle(raw[0], None),)
    adjusted = holm([comparison.p for comparison in raw]).tolist()
    return tuple(_settle(comparison, p) for comparison, p in zip(raw, adjusted, strict=True))


def _measure(
    a: Outcome,
    b: Outcome,
    *,
    trials: int,
    seed: int,
    level: float,
    cluster: Callable[[str], str] | None,
    rivals: int = 1,
) -> Comparison:
    """One pair before correction; its ``more_items`` is an estimate even where the difference is settled."""
    if trials < 1:
        raise Unsuitable(
            f"A comparison rests on resampling, but trials is {trials}. Ask for 1000 trials or so."
        )
    _same_measure(a, b)
    if isinstance(a, CorpusResult) or isinstance(b, CorpusResult):
        return _measure_corpora(a, b, level, cluster, rivals)
    pairs = _pair(a, b)
    n = len(pairs.items)
    aggregate, direction = a.metric.aggregate, a.metric.higher_is_better
    labels = None if cluster is None else _codes([cluster(item) for item in pairs.items])
    scores = [aggregate(rows.sum(axis=0)) for rows in (pairs.rows_a, pairs.rows_b)]
    score_a, score_b = map(float, scores)
    difference = float(difference_of(*scores))
    resampled = paired_bootstrap(
        pairs.rows_a, pairs.rows_b, aggregate, trials=trials, seed=seed, clusters=labels
    )
    alpha = round(1 - level, 12)
    units = n if labels is None else int(labels.max()) + 1
    needed = required_items(difference, _spread(resampled), units, alpha=alpha / rivals)
    effect = cohens_d_paired(pairs.values_a - pairs.values_b)
    wins, losses = _wins(pairs.values_a, pairs.values_b, direction)
    yes_no = cluster is None and _is_yes_no(pairs, score_a, score_b)
    return Comparison(
        measure=str(a.signature),
        a=_system(a),
        b=_system(b),
        score_a=score_a,
        score_b=score_b,
        difference=difference,
        interval=Interval(*percentile_interval(resampled, level), level),
        p_bootstrap=bootstrap_p(resampled),
        p_permutation=permutation_test(
            pairs.rows_a,
            pairs.rows_b,
            aggregate,
            # The smallest p is 1/trials, and Holm multiplies it by the rivals: leave it room below alpha.
            trials=max(trials, math.ceil(5 * rivals / alpha)),
            seed=seed,
            clusters=labels,
        ),
        p_mcnemar=mcnemar(pairs.values_a, pairs.values_b) if yes_no else None,
        p_adjusted=None,
        effect_size=None if math.isnan(effect) else effect,
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        n=n,
        unpaired=pairs.unpaired,
        more_items=None if needed is None else max(1, math.ceil(needed * n / units) - n),
        alpha=alpha,
        higher_is_better=direction,
    )


def _measure_corpora(
    a: Outcome, b: Outcome, level: float, cluster: Callable[[str], str] | None, rivals: int
) -> Comparison:
    """One pair under a corpus measure, each item or cluster being left out of both systems at once."""
    if not (isinstance(a, CorpusResult) and isinstance(b, CorpusResult)):
        raise TypeError(f"{a.signature.name} gave two kinds of results")
    items = _paired(a, b)
    one, other = (_without(result, items, cluster) for result in (a, b))
    difference = float(difference_of(np.array(one.score), np.array(other.score)))
    without = difference_of(one.without, other.without)
    alpha, n, units = round(1 - level, 12), len(items), len(without)
    needed = required_items(difference, jackknife_error(without), units, alpha=alpha / rivals)
    return Comparison(
        measure=str(a.signature),
        a=_system(a),
        b=_system(b),
        score_a=one.score,
        score_b=other.score,
        difference=difference,
        interval=Interval(*jackknife_interval(difference, without, level), level),
        p_bootstrap=math.nan,
        p_permutation=math.nan,
        p_mcnemar=None,
        p_adjusted=None,
        effect_size=None,
        wins=0,
        ties=0,
        losses=0,
        n=n,
        unpaired=len(set(a.items) | set(b.items)) - n,
        more_items=None if needed is None else max(1, math.ceil(needed * n / units) - n),
        alpha=alpha,
        higher_is_better=a.measure.higher_is_better,
        p_jackknife=jackknife_p(difference, without),
    )


def _without(
    result: CorpusResult, items: Sequence[str], cluster: Callable[[str], str] | None
) -> LeaveOneOut:
    subjects = {subject.item: subject for subject in result.subjects}
    return leave_out(result.measure, [subjects[item] for item in items], cluster)


def _settle(comparison: Comparison, p_adjusted: float | None) -> Comparison:
    decided = replace(comparison, p_adjusted=p_adjusted)
    return replace(decided, more_items=0) if decided.significant else decided


class _Pairs(NamedTuple):
    items: list[str]
    rows_a: Floats
    rows_b: Floats
    values_a: Floats
    values_b: Floats
    unpaired: int


def _pair(a: Result, b: Result) -> _Pairs:
    items = _paired(a, b)
    either = len(set(a.items) | set(b.items))
    (at_a, at_b) = ([places[item] for item in items] for places in (_scored(a), _scored(b)))
    return _Pairs(items, a.rows[at_a], b.rows[at_b], a.values[at_a], b.values[at_b], either - len(items))


def _same_measure(a: Outcome, b: Outcome) -> None:
    if a.signature != b.signature:
        raise Unsuitable(_unlike(a.signature, b.signature))
    if a.provenance.resources != b.provenance.resources:
        raise Unsuitable(_unlike_resources(a, b))


def _paired(a: Outcome, b: Outcome) -> list[str]:
    items = _shared(a, b)
    if not items:
        raise Unsuitable(
            f"{_system(a)} and {_system(b)} share no item with a value from both under {a.signature.call}: "
            f"{a.scored} of {len(a)} and {b.scored} of {len(b)} items have one, and "
            f"{len(set(a.items) & set(b.items))} ids are in both. Score both systems on the same items."
        )
    return items


def _shared(a: Outcome, b: Outcome) -> list[str]:
    """Ids of the items with a value from both, sorted."""
    return sorted(_scored(a).keys() & _scored(b).keys())


def _scored(result: Outcome) -> dict[str, int]:
    """Where each item with a value stands."""
    if len(set(result.items)) < len(result):
        twice = next(item for item, times in Counter(result.items).items() if times > 1)
        raise Unsuitable(
            f"{_system(result)} has several values for one item (first: {twice!r}) under {result.signature.call}, "
            "so items cannot be paired. Give every item of the data its own id."
        )
    return {item: at for at, item in enumerate(result.items) if at not in result.reasons}


def _system(result: Outcome) -> str:
    names = list(dict.fromkeys(result.systems))
    if len(names) != 1:
        found = f"{len(names)} systems ({', '.join(names[:5])})" if names else "no items"
        raise Unsuitable(
            f"A comparison needs results of one system each, but found one with {found} under "
            f"{result.signature.call}. Evaluate each system on its own."
        )
    return names[0]


def _unlike(a: Signature, b: Signature) -> str:
    parts = " and ".join(f"{key} ({one} and {other})" for key, one, other in _differing(a, b))
    return (
        f"These results come from different measures and cannot be compared: {a} and {b} differ in {parts}. "
        "Score both systems with the same measure."
    )


def _unlike_resources(a: Outcome, b: Outcome) -> str:
    one, other = dict(a.provenance.resources), dict(b.provenance.resources)
    names = sorted(name for name in one | other if one.get(name) != other.get(name))
    return (
        f"These results under {a.signature.call} rest on different resources and cannot be compared: {_system(a)} and "
        f"{_system(b)} differ in {' and '.join(names)}. Score both systems on the same items in one study."
    )


def _differing(a: Signature, b: Signature) -> Iterator[tuple[str, str, str]]:
    one, other = (
        {"name": sig.name, **dict(sig.parameters), **dict(sig.facts), "version": sig.version}
        for sig in (a, b)
    )
    for key in dict.fromkeys([*one, *other]):
        if one.get(key, "unset") != other.get(key, "unset"):
            yield key, str(one.get(key, "unset")), str(other.get(key, "unset"))


def _codes(labels: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.unique(np.asarray(labels), return_inverse=True)[1].astype(np.int64)


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


def _verdict(c: Comparison) -> str:
    up = c.difference >= 0
    high, low = (c.a, c.b) if up else (c.b, c.a)
    ends = (c.interval.low, c.interval.high) if up else (-c.interval.high, -c.interval.low)
    gap, *bounds = _numbers(abs(c.difference), *ends)
    corrected = "" if c.p_adjusted is None else " after Holm's correction"
    evidence = f"({100 * c.interval.level:g} % interval {bounds[0]} to {bounds[1]}, {_p(c.p)}{corrected})"
    if c.better is not None:
        return f"{c.better} is better than {c.b if c.better == c.a else c.a} by {gap} {evidence}."
    if c.significant:
        return f"{high} scores higher than {low} by {gap} {evidence}."
    if math.isnan(c.difference):
        return f"No difference shown: {c.a} or {c.b} has no defined score."
    if c.difference == 0:
        return f"No difference shown: {c.a} and {c.b} score the same on {c.n:,} items."
    return f"No difference shown: {high} scores {gap} higher than {low} {evidence}{_prospect(c)}."


def _prospect(c: Comparison) -> str:
    if c.more_items is None:
        return "; too few items to tell how many would settle it"
    magnitude = 10 ** max(0, len(str(c.more_items)) - 2)
    about = math.ceil(c.more_items / magnitude) * magnitude
    return f"; about {about:,} more item{'s' * (about > 1)} would settle a difference of this size"


def _numbers(*values: float) -> list[str]:
    """The values with as many decimals as give the largest three significant digits."""
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    places = 3 if largest == 0 else min(12, max(0, 2 - math.floor(math.log10(largest))))
    return [f"{value:z.{places}f}" for value in values]


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
