"""Ratings laid out one after another, unit by unit: memory grows with the ratings, not with units times categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.resampling.bootstrap import Floats, Integers

Weigh: TypeAlias = Callable[[Floats], Floats]
"""From how often each unit occurs, shape (some, units), to a coefficient, shape (some,); NaN if it is undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairable:
    """The ratings of all units that have at least two, in order of their units."""

    unit: Integers
    """Whose rating each is, counted from 0 over these units; shape (ratings,)."""
    rater: Integers
    """Who gave each: the column it came from."""
    code: Integers
    """Each rating's place among ``values``."""
    values: Floats
    """The categories, ascending."""
    sizes: Integers
    """Number of ratings of each unit, two or more; shape (units,)."""


def pairable(ratings: Floats, categories: Floats | None = None) -> Pairable:
    """The pairable ratings among ``ratings``, shape (units, raters), NaN if there is none."""
    checked = check_ratings(ratings)
    rated = ~np.isnan(checked)
    sizes = rated.sum(axis=1)
    enough = sizes >= 2
    rated &= enough[:, None]
    ratings, sizes = checked[rated], sizes[enough]
    unit = np.repeat(np.arange(len(sizes)), sizes)
    rater = np.flatnonzero(rated) % max(1, checked.shape[1])
    values = categories_of(ratings) if categories is None else categories
    return Pairable(unit, rater, code_of(ratings, values), values, sizes)


class Patterns(NamedTuple):
    """Each unit's different categories and how often it got them, ordered by unit, then by category."""

    unit: Integers
    code: Integers
    times: Integers


def patterns(ratings: Pairable) -> Patterns:
    """Count how often each unit got each of its categories."""
    width = max(1, len(ratings.values))
    keys, times = np.unique(ratings.unit * width + ratings.code, return_counts=True)
    return Patterns(keys // width, keys % width, times)


def pairs_within(unit: Integers) -> Iterator[tuple[Integers, Integers]]:
    """All pairs of positions i < j that share a unit, where ``unit`` is sorted, in batches by j - i."""
    first, apart = np.arange(len(unit)), 1
    while True:
        first = first[first + apart < len(unit)]
        first = first[unit[first] == unit[first + apart]]
        if not first.size:
            return
        yield first, first + apart
        apart += 1


def check_ratings(ratings: Floats) -> Floats:
    """The ratings as floats; ValueError if they have no two axes or an infinite value."""
    checked = np.asarray(ratings, dtype=np.float64)
    if checked.ndim != 2 or np.isinf(checked).any():
        raise ValueError(
            f"ratings must be finite or NaN and of shape (units, raters); these have the shape {checked.shape}"
        )
    return checked


def categories_of(ratings: Floats) -> Floats:
    """The different values, ascending."""
    return np.unique(ratings)


def code_of(ratings: Floats, categories: Floats) -> Integers:
    """The index of each value in the ascending categories; ValueError names a value that is not among them."""
    place = np.searchsorted(categories, ratings)
    known = place < len(categories)
    known[known] = categories[place[known]] == ratings[known]
    if not known.all():
        raise ValueError(f"{ratings[~known][0]:g} is none of the categories {categories.tolist()}")
    return place
