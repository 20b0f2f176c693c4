"""The mean of a coefficient over groups of pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dialeval.stats.correlation.coefficients import complete
from dialeval.stats.correlation.weighted import weigher
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import Floats


@dataclass(frozen=True, slots=True)
class GroupedCorrelation:
    """The mean of the groups' coefficients, each group counting the same."""

    mean: float
    """NaN exactly where ``reason`` is not None."""
    n: int
    """How many pairs are in the groups that entered."""
    groups: int
    """How many groups have a pair."""
    undefined: int
    """How many of these were left out: fewer than two pairs, or one value on either side."""
    reason: str | None = None
    """Why there is no mean."""


def grouped_correlation(
    x: ArrayLike, y: ArrayLike, groups: NDArray[np.generic], kind: Coefficient
) -> GroupedCorrelation:
    """The coefficient of each group's pairs, averaged over the groups where it is defined.

    Pairs with NaN on either side are left out. ``groups`` labels each pair.
    """
    labels = np.asarray(groups)
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if labels.shape != xs.shape:
        raise ValueError(f"{xs.shape} pairs need as many group labels, not {labels.shape}")
    both = ~(np.isnan(xs) | np.isnan(ys))
    coefficients, sizes = group_correlations(*complete(xs, ys), labels[both], kind)
    return average(coefficients, sizes)


def group_correlations(
    x: Floats, y: Floats, groups: NDArray[np.generic], kind: Coefficient
) -> tuple[Floats, NDArray[np.int64]]:
    """The coefficient of each group in order of its label, NaN where undefined, and how many pairs it has."""
    if not len(x):
        return np.empty(0), np.empty(0, np.int64)
    order = np.argsort(groups, kind="stable")
    sizes = np.unique(groups, return_counts=True)[1].astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return weigher(x[order], y[order], kind=kind, starts=starts)(np.ones((1, len(x))))[0], sizes


def average(coefficients: Floats, sizes: NDArray[np.int64]) -> GroupedCorrelation:
    """The mean of the coefficients that are defined, and what it is of."""
    defined = ~np.isnan(coefficients)
    groups, left = len(coefficients), int(np.count_nonzero(defined))
    if not left:
        return GroupedCorrelation(math.nan, 0, groups, groups, _why(sizes))
    mean = float(coefficients[defined].mean())
    return GroupedCorrelation(mean, int(sizes[defined].sum()), groups, groups - left)


def _why(sizes: NDArray[np.int64]) -> str:
    if not len(sizes):
        return "fewer than 2 pairs (0)"
    if sizes.max() < 2:
        return f"no group has 2 pairs or more ({len(sizes)} groups)"
    return f"one side has a single value in each of the {len(sizes)} groups"
