"""Checks of judgements: repeats and infinite values are refused, with the file and line they came from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Integers
from dialeval.data.codec.bad import Where
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import is_stdin
from dialeval.data.reader import read_guessing
from dialeval.data.types import Judgement
from dialeval.errors import BadInput

if TYPE_CHECKING:
    from dialeval.ratings.table import Ratings

Source: TypeAlias = str | Path


class Names(NamedTuple):
    """Whose judgement it is, and of what."""

    item: str
    system: str
    rater: str
    criterion: str

    def __str__(self) -> str:
        return f"of rater {self.rater!r} for {self.criterion!r} of item {self.item!r}, system {self.system!r}"


@dataclass(eq=False)
class BadJudgement(BadInput):
    """A judgement that cannot be used, found after it was read, when its line was known no more."""

    names: Names | None = None


@contextmanager
def located(sources: Sequence[Source], format: str | None = None) -> Iterator[None]:
    """Give every BadJudgement raised inside its file and line, by reading the sources again.

    Run folders, standard input and foreign formats have no lines to name; then the error stays as it was.
    """
    try:
        yield
    except BadJudgement as error:
        places = [] if error.names is None else _places(error.names, sources, format)
        if places:
            # A rater's second value is the one that should not be there, so the last place is named.
            error.path, error.line = places[-1]
        if len(places) > 1:
            others = "; ".join(_shown(place, error.path) for place in places[:-1])
            error.found += f" (the other stands in {others})"
        raise


def _places(names: Names, sources: Sequence[Source], format: str | None) -> list[Where]:
    """Places of judgements of these names, as far as the files can still be read."""
    places: list[Where] = []
    for source in sources:
        if not is_stdin(source) and Path(source).is_file():
            try:
                places += _in_file(names, source, format)
            except BadInput:
                continue  # what is wrong with that file was not what stopped us
    return places


def _in_file(names: Names, source: Source, format: str | None) -> Iterator[Where]:
    last: list[Row] = []
    for record in read_guessing(source, kind="judgement", format=format, note=last.append).records:
        judgement = record if isinstance(record, Judgement) else None
        if (
            last
            and judgement
            and names == (judgement.item, judgement.system, judgement.rater, judgement.criterion)
        ):
            yield last[-1].where
        del last[:-1]


def _shown(place: Where, path: str) -> str:
    return f"line {place.line}" if place.path == path else f"{place.path}, line {place.line}"


Repeats: TypeAlias = Literal["first", "last", "mean", "separate"]
"""Treatment of several judgements by one rater of the same answer: one of them counts, their mean does, or each
beyond the first is that of another rater, ``ann (2)``."""


class Codes(dict[str, int]):
    """Numbers for names, the next one for a name never seen."""

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self)
        return code


def checked(ratings: Ratings, source: str, repeats: Repeats | None) -> Ratings:
    """The ratings without repeats; refused if a value is infinite, or a rater gave two and ``repeats`` is None."""
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
        found = f"two values, {_shown_value(a[unlike[0]])} and {_shown_value(b[unlike[0]])},"
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


def _shown_value(value: float) -> str:
    return "none" if math.isnan(value) else f"{value:g}"
