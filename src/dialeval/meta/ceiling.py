"""How well people agree with people: what a measure can be expected to reach.

The raters are split at random into two groups whose means are correlated, as Sharma et al. (2017, section 5.4) and Sato
et al. (2020, section 4.2) do once and we do many times. Half of the raters are noisier than all of them: the
Spearman-Brown formula says what two groups of full size would reach (Spearman, 1910; Brown, 1910).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.meta.instability import FiveNumbers
from dialeval.meta.joined import Joined
from dialeval.stats.estimate import Coefficient
from dialeval.stats.levels import Level, level_correlation
from dialeval.stats.resampling import percentile_interval

Split: TypeAlias = Literal["raters", "ratings"]
"""What is split into halves: the raters, or the ratings of each cell, whoever gave them."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """How well one half of the people agrees with the other."""

    level: Level
    coefficient: Coefficient
    mean: float | None
    """Over the repeats; None where there is a reason."""
    low: float | None
    """The central 95 % of the repeats: how much depends on who falls into which half."""
    high: float | None
    corrected: float | None
    """The mean by the Spearman-Brown formula, 2r / (1 + r); None where r is negative."""
    repeats: int
    raters: int
    split: Split
    reason: str | None = None
    five: FiveNumbers | None = None
    """The repeats as a box plot shows them."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How well one rater agrees with the mean of all others, over the cells of that rater."""

    rater: str
    level: Level
    coefficient: Coefficient
    value: float | None
    n: int
    reason: str | None = None


def split_half(
    joined: Joined,
    *,
    level: Level = "item",
    coefficient: Coefficient = "spearman",
    repeats: int = 100,
    seed: int = 0,
    split: Split | None = None,
) -> Ceiling:
    """The agreement of two random halves of the people.

    By default the raters are split, or the ratings of each cell where a cell typically met fewer than half of them:
    with a crowd, many cells would fall wholly into one half and be lost.
    """
    raters, chosen = len(joined.people.raters), split or _fitting(joined)
    reason = _too_few(joined)
    if reason is not None:
        return Ceiling(level, coefficient, None, None, None, None, repeats, raters, chosen, reason)
    rng = np.random.default_rng(seed)
    trials = [
        level_correlation(*_halves(joined, chosen, rng), kind=coefficient, level=level)
        for _ in range(repeats)
    ]
    found = np.array([one.value for one in trials])
    if np.isnan(found).all():
        reason = trials[0].reason
        return Ceiling(level, coefficient, None, None, None, None, repeats, raters, chosen, reason)
    mean, bounds = float(np.nanmean(found)), percentile_interval(found, 0.95)
    corrected = 2 * mean / (1 + mean) if mean >= 0 else None
    five = FiveNumbers(*np.nanquantile(found, [0, 0.25, 0.5, 0.75, 1]).tolist())
    return Ceiling(level, coefficient, mean, *bounds, corrected, repeats, raters, chosen, five=five)


def leave_one_out(
    joined: Joined, *, level: Level = "item", coefficient: Coefficient = "spearman"
) -> tuple[LeftOut, ...]:
    """Each rater against the mean of all others, in the order of the raters."""
    return tuple(_left_out(joined, level, coefficient))


def _left_out(joined: Joined, level: Level, coefficient: Coefficient) -> Iterator[LeftOut]:
    people = joined.people
    sums, counts = _sums(joined, people.value, np.zeros(len(people.value), np.int64), 1)
    for rater, name in enumerate(people.raters):
        mine = people.rater == rater
        own = np.full(sums.shape[1:], np.nan)
        own[people.system[mine], people.item[mine]] = people.value[mine]
        given = ~np.isnan(own)
        others = counts[0] - given
        rest = np.divide(
            sums[0] - np.where(given, own, 0.0), others, out=np.full(own.shape, np.nan), where=others > 0
        )
        found = level_correlation(own, np.where(given, rest, np.nan), kind=coefficient, level=level)
        value = None if math.isnan(found.value) else found.value
        yield LeftOut(name, level, coefficient, value, found.n, found.reason)


def _too_few(joined: Joined) -> str | None:
    if len(joined.people.raters) < 2:
        return "one rater only: people cannot be compared with one another"
    if not (_per_cell(joined) > 1).any():
        return "no cell has more than one rating"
    return None


def _fitting(joined: Joined) -> Split:
    sizes = _per_cell(joined)
    typical = float(np.median(sizes[sizes > 0]))
    return "raters" if typical >= len(joined.people.raters) / 2 else "ratings"


def _per_cell(joined: Joined) -> Integers:
    people = joined.people
    return np.bincount(people.system * len(joined.items) + people.item)


def _halves(joined: Joined, split: Split, rng: np.random.Generator) -> Floats:
    """The two halves' means of every cell, shape (2, systems, items); NaN where a half has no rating."""
    people = joined.people
    if split == "raters":
        order = rng.permutation(len(people.raters))
        side = (order < (len(order) + rng.integers(2)) // 2).astype(np.int64)[people.rater]
    else:
        side = _alternating(people.system * len(joined.items) + people.item, rng)
    sums, counts = _sums(joined, people.value, side, 2)
    means: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


def _alternating(cells: Integers, rng: np.random.Generator) -> Integers:
    """A side for each rating, in turn within each cell, the ratings shuffled and the first side drawn."""
    shuffled = rng.permutation(len(cells))
    order = shuffled[np.argsort(cells[shuffled], kind="stable")]
    sizes = np.bincount(cells)
    starts = np.cumsum(sizes) - sizes
    first = rng.integers(2, size=len(sizes))
    side = np.empty(len(cells), dtype=np.int64)
    ranked = cells[order]
    side[order] = (np.arange(len(cells)) - starts[ranked] + first[ranked]) % 2
    return side


def _sums(joined: Joined, values: Floats, side: Integers, sides: int) -> tuple[Floats, Integers]:
    """Sums and numbers of ratings by side, shape (sides, systems, items)."""
    people, shape = joined.people, (sides, len(joined.systems), len(joined.items))
    places = (side * shape[1] + people.system) * shape[2] + people.item
    size = math.prod(shape)
    sums, counts = np.zeros(size), np.bincount(places, minlength=size)
    sums[:] = np.bincount(places, values, size)
    return sums.reshape(shape), counts.reshape(shape)
