"""Survival of a ranking of systems under another simulated user: the same scenarios, played by two users."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Estimate, Floats, Integers, Metric, Resampling, Result
from dialeval.errors import Unsuitable
from dialeval.stats import spread_without
from dialeval.stats.resampling.bootstrap import Aggregate
from dialeval.stats.resampling.intervals import limits_of_difference
from dialeval.stats.resampling.jackknife import LeftOut, leave_out
from dialeval.stats.tests.multiple import holm

Verdict: TypeAlias = Literal["survives", "depends", "undecided"]
SENTENCES: Final[Mapping[Verdict, str]] = {
    "survives": "the ranking survives the other user: every difference is shown under both, in the same direction",
    "depends": "the ranking depends on the user: a difference turns round with the user, by more than chance",
    "undecided": "undecided: these talks show neither that the ranking survives another user nor that it depends on it",
}


class PairUnderUsers(NamedTuple):
    """The difference of two systems under each of two users, and how far it changes."""

    a: str
    b: str
    first: Estimate
    """a minus b under the first user."""
    second: Estimate
    change: Estimate
    """The first difference minus the second."""
    p_first: float | None
    p_second: float | None
    p_change: float | None
    """p-values after Holm's correction over all pairs and users."""


class Survival(NamedTuple):
    """Pairs of systems under two users, and what they say together."""

    measure: str
    verdict: Verdict
    pairs: tuple[PairUnderUsers, ...]
    talks: int
    """Talks of each system that both users held."""


def compare_users(
    measure: str,
    first: Mapping[str, Result],
    second: Mapping[str, Result],
    resampling: Resampling,
) -> Survival:
    """Compare the differences of all systems that both users talked with, talk by talk.

    All four talks of a pair of systems with two users about one scenario and repeat are left out together, and all
    repeats of a scenario. Only talks in which all systems have a value under both users count.
    """
    systems = [name for name in first if name in second]
    if len(systems) < 2:
        raise Unsuitable(
            f"Found {len(systems)} systems in both runs, expected two or more with the same names."
        )
    results = [each[name] for each in (first, second) for name in systems]
    if not results[0].per_item:
        raise Unsuitable(f"{measure} has no value of single talks; name a measure that has, such as success.")
    items = _shared(results)
    if len(items) < 2:
        raise Unsuitable(
            f"The runs share {len(items)} talks in which every system has a value; run both with one file of "
            "scenarios and as many repeats."
        )
    clusters = resampling.clusters(items)
    rows = {
        (user, name): _rows(run[name], items)
        for user, run in (("first", first), ("second", second))
        for name in systems
    }
    pairs = list(_pairs(systems, rows, results[0].metric, clusters, resampling))
    return Survival(measure, _verdict(pairs, resampling.alpha), tuple(_corrected(pairs)), len(items))


def _shared(results: Sequence[Result]) -> list[str]:
    scored = [
        {item for place, item in enumerate(result.items) if place not in result.reasons} for result in results
    ]
    return [item for item in results[0].items if all(item in own for own in scored)]


def _rows(result: Result, items: Sequence[str]) -> Floats:
    places = {item: place for place, item in enumerate(result.items)}
    rows: Floats = result.rows[[places[item] for item in items]]
    return rows


def _pairs(
    systems: Sequence[str],
    rows: Mapping[tuple[str, str], Floats],
    metric: Metric[Any],
    clusters: Integers | None,
    resampling: Resampling,
) -> Iterator[PairUnderUsers]:
    for a, b in combinations(systems, 2):
        stacked = np.hstack([rows[user, name] for user in ("first", "second") for name in (a, b)])
        width = rows["first", a].shape[1]
        scores = _Scores(metric.aggregate, width)
        widest = limits_of_difference(metric.limits)
        found = [
            _tested(leave_out(stacked, how, clusters), limits, resampling.confidence)
            for how, limits in (
                (scores.under_first, widest),
                (scores.under_second, widest),
                (scores.change, limits_of_difference(widest)),
            )
        ]
        (one, p_one), (other, p_other), (change, p_change) = found
        yield PairUnderUsers(a, b, one, other, change, p_one, p_other, p_change)


class _Scores:
    """Differences as functions of the summed rows of two systems under two users, side by side."""

    def __init__(self, aggregate: Aggregate, width: int) -> None:
        self._aggregate, self._width = aggregate, width

    def _score(self, totals: Floats, place: int) -> Floats:
        part = totals[..., place * self._width : (place + 1) * self._width]
        return self._aggregate(part)

    def under_first(self, totals: Floats) -> Floats:
        """Return a minus b under the first user."""
        return np.asarray(self._score(totals, 0) - self._score(totals, 1))

    def under_second(self, totals: Floats) -> Floats:
        """Return a minus b under the second user."""
        return np.asarray(self._score(totals, 2) - self._score(totals, 3))

    def change(self, totals: Floats) -> Floats:
        """Return the difference of the two."""
        return np.asarray(self.under_first(totals) - self.under_second(totals))


def _tested(
    left: LeftOut, limits: tuple[float, float] | None, confidence: float
) -> tuple[Estimate, float | None]:
    spread = spread_without(left, limits)
    p = float(spread.skewed.p)
    found = spread.interval(confidence).estimate
    if left.score == 0 and found.bounds is None:  # equal in every talk
        return found, 1.0
    return found, None if np.isnan(p) else p


def _corrected(pairs: Sequence[PairUnderUsers]) -> list[PairUnderUsers]:
    """The pairs with p-values corrected over all of them."""
    raw = [(pair.p_first, pair.p_second, pair.p_change) for pair in pairs]
    flat = holm([np.nan if p is None else p for own in raw for p in own]).tolist()
    known = [None if np.isnan(p) else p for p in flat]
    triples = [known[place : place + 3] for place in range(0, len(known), 3)]
    return [
        pair._replace(p_first=first, p_second=second, p_change=change)
        for pair, (first, second, change) in zip(pairs, triples, strict=True)
    ]


def _verdict(pairs: Sequence[PairUnderUsers], alpha: float) -> Verdict:
    corrected = _corrected(pairs)
    if any(_turns_round(pair, alpha) for pair in corrected):
        return "depends"
    shown = (
        all(p is not None and p < alpha for p in (pair.p_first, pair.p_second))
        and pair.first.number * pair.second.number > 0
        for pair in corrected
    )
    return "survives" if all(shown) else "undecided"


def _turns_round(pair: PairUnderUsers, alpha: float) -> bool:
    changed = pair.p_change is not None and pair.p_change < alpha
    return changed and pair.first.number * pair.second.number < 0
