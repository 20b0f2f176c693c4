"""Ranks, ties and orders of numbers, for Spearman's and Kendall's coefficients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.stats.resampling.bootstrap import Floats, Integers


class Order(NamedTuple):
    """Values sorted within their groups, and which of them tie."""

    order: Integers
    """Positions of the values, group by group, smallest first; equal values in the order given."""
    first: Integers
    """For each value as given, the place in ``order`` where those equal to it begin."""
    last: Integers
    """And the place after the last of them."""
    fresh: NDArray[np.bool_]
    """For each place in ``order``, whether no value equal to its own stands before it."""


def midranks(values: Floats) -> Floats:
    """Ranks from 1 along the last axis; equal values share the mean of their ranks (Kendall, 1945)."""
    n = values.shape[-1]
    if not n:
        return values.copy()
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    changes = ordered[..., 1:] != ordered[..., :-1]
    places = np.arange(n)
    begins = np.concatenate([np.ones_like(ordered[..., :1], dtype=bool), changes], axis=-1)
    ends = np.concatenate([changes, np.ones_like(ordered[..., :1], dtype=bool)], axis=-1)
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, n)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def order_within(values: Floats, group: Integers, within: Floats | None = None) -> Order:
    """The order of values within groups, which follow each other; those that also equal in ``within`` tie.

    ``group`` never decreases. ``within`` orders equal values further.
    """
    keys = (values, group) if within is None else (within, values, group)
    order = np.lexsort(keys)
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = False
    for key in keys:
        fresh[1:] |= key[order][1:] != key[order][:-1]
    begins = np.flatnonzero(fresh)
    tie = np.cumsum(fresh) - 1
    bounds = np.append(begins, len(order))
    first, last = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    first[order], last[order] = bounds[tie], bounds[tie + 1]
    return Order(order, first, last, fresh)


def levels_within(values: Floats, group: Integers) -> Integers:
    """The distinct values of each group numbered from 1, without gaps; ``group`` as in ``order_within``."""
    ordered = order_within(values, group)
    dense = np.cumsum(ordered.fresh)
    begins = np.flatnonzero(np.diff(group, prepend=-1))
    before = np.repeat(dense[begins] - 1, np.diff(begins, append=len(values)))
    levels = np.empty(len(values), np.int64)
    levels[ordered.order] = dense - before
    return levels
