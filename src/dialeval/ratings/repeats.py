"""Several judgements by one rater of the same answer: refused, or kept as one says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Integers
from dialeval.ratings.locating import BadJudgement

if TYPE_CHECKING:
    from dialeval.ratings.table import Ratings

Repeats: TypeAlias = Literal["first", "last", "mean", "separate"]
"""What becomes of several judgements by one rater of the same answer: one of them counts, their mean does, or each
beyond the first is that of another rater, ``ann (2)``."""


class Codes(dict[str, int]):
    """Numbers for names, the next one for a name never seen."""

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self)
        return code


def checked(ratings: Ratings, source: str, repeats: Repeats | None) -> Ratings:
    """The ratings without repeats; refused where a value is infinite, or a rater gave two and ``repeats`` is None."""
    if np.isinf(ratings.value).any():
        row = int(np.flatnonzero(np.isinf(ratings.value))[0])
        found, todo = f"the value {ratings.value[row]}", "Fix the value."
        raise _bad(ratings, source, row, found, "a finite number or none", todo)
    columns = (ratings.criterion, ratings.rater, ratings.system, ratings.item)
    order = np.lexsort(columns)
    same = np.ones(max(0, len(order) - 1), dtype=bool)
    for column in columns:
        same &= column[order[1:]] == column[order[:-1]]
    if not same.any():
        return ratings
    if repeats is not None:
        return _resolved(ratings, order, np.concatenate([[False], same]), repeats)
    first, second = order[:-1][same], order[1:][same]
    a, b = ratings.value[first], ratings.value[second]
    unlike = np.flatnonzero((a != b) & ~(np.isnan(a) & np.isnan(b)))
    if unlike.size:
        found = f"two values, {_shown(a[unlike[0]])} and {_shown(b[unlike[0]])},"
        todo = (
            "Keep one of them, say which counts (--repeats first, last, mean or separate; in a "
            "study 'repeats' under 'human'), or give each rater, and "
            "each item, a name of its own."
        )
        raise _bad(ratings, source, int(first[unlike[0]]), found, "one value per rater and criterion", todo)
    kept = np.ones(len(ratings), dtype=bool)
    kept[second] = False
    return replace(ratings.where(kept), repeated=ratings.repeated + len(second))


def _resolved(ratings: Ratings, order: Integers, again: NDArray[np.bool_], repeats: Repeats) -> Ratings:
    """One judgement of each rater and answer; ``again`` marks, in ``order``, those that repeat the one before."""
    group = np.cumsum(~again) - 1
    starts = np.flatnonzero(~again)
    if repeats == "separate":
        return _separated(ratings, order, np.arange(len(order)) - starts[group])
    ends = np.append(starts[1:], len(order)) - 1
    rows = order[ends if repeats == "last" else starts]
    value = ratings.value.copy()
    if repeats == "mean":
        known = ~np.isnan(ratings.value[order])
        counts = np.bincount(group[known], minlength=len(starts))
        sums = np.bincount(group, np.where(known, ratings.value[order], 0.0), len(starts))
        value[rows] = np.divide(sums, counts, out=np.full(len(starts), np.nan), where=counts > 0)
    kept = np.zeros(len(ratings), dtype=bool)
    kept[rows] = True
    return replace(replace(ratings, value=value).where(kept), repeated=ratings.repeated + int(again.sum()))


def _separated(ratings: Ratings, order: Integers, turn: Integers) -> Ratings:
    """Each further judgement as that of another rater, named by its turn."""
    times = np.empty(len(order), dtype=np.int64)
    times[order] = turn
    codes, names = Codes(), []
    for rater, time in zip(ratings.rater.tolist(), times.tolist(), strict=True):
        name = ratings.raters[rater]
        names.append(codes[f"{name} ({time + 1})" if time else name])
    return replace(ratings, raters=tuple(codes), rater=np.array(names, dtype=np.int64))


def _bad(ratings: Ratings, source: str, row: int, found: str, expected: str, todo: str) -> BadJudgement:
    names = ratings.names_of(row)
    return BadJudgement(source, f"{found} {names}", expected, todo, field="value", names=names)


def _shown(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:g}"
