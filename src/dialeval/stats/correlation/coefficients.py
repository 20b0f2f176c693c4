"""Pearson's, Spearman's and Kendall's coefficients, of one pair of variables with p-values or of stacks of them.

Two points always lie on a line, so of two pairs every coefficient is 1 or -1 and its p-value 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dialeval.stats.correlation.weighted import FLAT, midranks, ratio, weigher
from dialeval.stats.estimate import Coefficient, Statistic
from dialeval.stats.resampling.bootstrap import CELLS, Floats, Integers

MOST_EXACT: Final = 33
"""Up to this many pairs without ties, Kendall's p-value is exact, as in scipy."""
_FEW: Final = 200
"""Up to this many values in a row, Kendall's coefficient looks at every pair of them."""
MOST_ORDERED: Final = 9
"""Up to this many pairs, Spearman's p-value is exact, with ties or without: 9 values have 362,880 orders."""


def pearson(x: ArrayLike, y: ArrayLike) -> Statistic:
    """Pearson's product-moment coefficient, and the p-value of normal variables that do not correlate.

    Pairs with NaN on either side are left out. Under the null, (r + 1) / 2 has a Beta(n/2 - 1, n/2 - 1)
    distribution (Student, 1908).
    """
    xs, ys = complete(x, y)
    reason = why_undefined(xs, ys) or _why_infinite(xs, ys)
    if reason:
        return Statistic.undefined(reason, len(xs))
    value = float(correlations(xs, ys, "pearson"))
    if math.isnan(value):
        flat = "first" if _flat(xs) else "second"
        return Statistic.undefined(
            f"only rounding error tells the values of the {flat} variable apart", len(xs)
        )
    return Statistic(value, len(xs), _beta_p(value, len(xs)))


def spearman(x: ArrayLike, y: ArrayLike) -> Statistic:
    """Spearman's coefficient, which is Pearson's of the midranks, and its p-value.

    Pairs with NaN on either side are left out. Of up to 9 pairs, p is exact: the share of all orders of one side whose
    coefficient is as far from 0 or farther (Kendall, 1970, chapter 4). scipy's default differs there, and calls three
    pairs in perfect order certain. Of more pairs, p is from Student's t of n - 2 degrees of freedom, an approximation
    where ties are many, and no smaller than the 2 / n! of a perfect order.
    """
    xs, ys = complete(x, y)
    reason = why_undefined(xs, ys)
    if reason:
        return Statistic.undefined(reason, len(xs))
    value, n = float(correlations(xs, ys, "spearman")), len(xs)
    if n <= MOST_ORDERED:
        return Statistic(value, n, _orders_p(xs, ys))
    return Statistic(value, n, max(_beta_p(value, n), 2 * math.exp(-math.lgamma(n + 1))))


def kendall(x: ArrayLike, y: ArrayLike, variant: Literal["b", "c"] = "b") -> Statistic:
    """Kendall's tau-b, which corrects for ties (Kendall, 1945), or Stuart's tau-c (1953), and its p-value.

    Pairs with NaN on either side are left out. p is exact of up to 33 pairs without ties and if at most one
    pair of pairs is out of order, else from the normal approximation with the variance under ties (Kendall, 1970,
    chapter 5).
    """
    xs, ys = complete(x, y)
    n = len(xs)
    reason = why_undefined(xs, ys)
    if reason:
        return Statistic.undefined(reason, n)
    sizes_x, sizes_y = _tie_sizes(xs), _tie_sizes(ys)
    untied = math.sqrt(_pairs(n) - _pairs(sizes_x)) * math.sqrt(_pairs(n) - _pairs(sizes_y))
    tau = float(correlations(xs, ys, "kendall"))
    more = round(tau * untied)
    if variant == "c":
        classes = min(len(sizes_x), len(sizes_y))
        tau = min(1.0, max(-1.0, 2 * more / (n**2 * (classes - 1) / classes)))
    return Statistic(tau, n, _kendall_p(more, n, sizes_x, sizes_y))


COEFFICIENTS: Final[Mapping[Coefficient, Callable[[ArrayLike, ArrayLike], Statistic]]] = MappingProxyType(
    {"pearson": pearson, "spearman": spearman, "kendall": kendall}
)


def correlations(x: Floats, y: Floats, kind: Coefficient) -> Floats:
    """The coefficient of each row of two stacks of shape (..., n), which broadcast; NaN if it is undefined.

    There must be no NaN in the stacks. NaN comes of fewer than two values, and where one variable has one value.
    """
    if kind == "kendall":
        return _kendall_rows(x, y)
    if x.shape[-1] < 2:
        return np.full(np.broadcast_shapes(x.shape[:-1], y.shape[:-1]), np.nan)
    dx, dy = (_centred_ranks(v) if kind == "spearman" else _centred(v) for v in (x, y))
    return ratio(np.asarray((dx * dy).sum(axis=-1)), (dx * dx).sum(axis=-1), (dy * dy).sum(axis=-1))


def complete(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """The pairs that have a number on both sides."""
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if xs.shape != ys.shape or xs.ndim != 1:
        raise ValueError(
            f"variables to correlate must be two rows of one length, not {xs.shape} and {ys.shape}"
        )
    both = ~(np.isnan(xs) | np.isnan(ys))
    return xs[both], ys[both]


def why_undefined(x: Floats, y: Floats) -> str | None:
    """Why no coefficient of these pairs is defined, or None."""
    if len(x) < 2:
        return f"fewer than 2 pairs ({len(x)})"
    for name, values in (("first", x), ("second", y)):
        if (values == values[0]).all():
            return f"all values of the {name} variable are equal ({values[0]:g})"
    return None


def _why_infinite(x: Floats, y: Floats) -> str | None:
    for name, values in (("first", x), ("second", y)):
        if not np.isfinite(values).all():
            return f"the {name} variable has infinite values"
    return None


def _centred(values: Floats) -> Floats:
    """Values minus their mean over their largest size; all zero if that is rounding error."""
    size = np.abs(values).max(axis=-1, keepdims=True)
    scaled = values / np.where(size > 0, size, 1)
    centred = scaled - scaled.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True))
    return np.asarray(np.where(spread > FLAT, centred, 0))


def _flat(values: Floats) -> bool:
    return not _centred(values).any()


def _centred_ranks(values: Floats) -> Floats:
    return np.asarray(midranks(values) - (values.shape[-1] + 1) / 2)


def _kendall_rows(x: Floats, y: Floats) -> Floats:
    """Each row is a group of pairs that occur once."""
    shape = np.broadcast_shapes(x.shape, y.shape)
    n, out = shape[-1], np.full(shape[:-1], np.nan)
    if n < 2 or not out.size:
        return out
    if n <= _FEW:
        return _kendall_by_pairs(x, y)
    rows_x, rows_y = (np.broadcast_to(v, shape).reshape(-1, n) for v in (x, y))
    size = max(1, CELLS // n)
    parts = []
    for start in range(0, len(rows_x), size):
        xs, ys = rows_x[start : start + size], rows_y[start : start + size]
        starts = np.arange(0, xs.size + 1, n)
        parts.append(weigher(xs.ravel(), ys.ravel(), kind="kendall", starts=starts)(np.ones((1, xs.size)))[0])
    return np.concatenate(parts).reshape(shape[:-1])


def _kendall_by_pairs(x: Floats, y: Floats) -> Floats:
    """Of short rows: every place is compared with every later one, n(n - 1)/2 of them."""
    shape = np.broadcast_shapes(x.shape, y.shape)
    n = shape[-1]
    stacks = [v.reshape(1, n) if v.size == n else np.broadcast_to(v, shape).reshape(-1, n) for v in (x, y)]
    rows, size = max(map(len, stacks)), max(1, 2 * CELLS // n**2)
    parts = []
    for start in range(0, rows, size):
        ups = [_ups(stack if len(stack) == 1 else stack[start : start + size]) for stack in stacks]
        untied = [np.count_nonzero(stack, axis=-1) for stack in ups]
        parts.append(ratio((ups[0] * ups[1]).sum(axis=-1, dtype=np.float64), *untied))
    return np.concatenate(parts).reshape(shape[:-1])


def _ups(rows: Floats) -> NDArray[np.int8]:
    """Of each row and two places, the first before the second: 1 if values rise, -1 if they fall, 0 for a tie."""
    first, second = np.triu_indices(rows.shape[-1], 1)
    earlier, later = rows[:, first], rows[:, second]
    return (later > earlier).view(np.int8) - (later < earlier).view(np.int8)


def _beta_p(r: float, n: int) -> float:
    if n == 2:
        return 1.0
    from scipy.special import betainc

    # The same as Student's t of n - 2 degrees of freedom, and exact in the far tail.
    return min(1.0, 2 * float(betainc(n / 2 - 1, n / 2 - 1, (1 - abs(r)) / 2)))


def _orders_p(x: Floats, y: Floats) -> float:
    """The share of the orders of y whose coefficient with x is as far from 0 as the one at hand, or farther."""
    ranks_x, ranks_y = ((2 * _centred_ranks(values)).round().astype(np.int64) for values in (x, y))
    sizes = _order_sizes(tuple(sorted(ranks_x.tolist())), tuple(sorted(ranks_y.tolist())))
    return (len(sizes) - int(np.searchsorted(sizes, abs(int(ranks_x @ ranks_y))))) / len(sizes)


@lru_cache(maxsize=32)
def _order_sizes(x: tuple[int, ...], y: tuple[int, ...]) -> Integers:
    """The products of x with every order of y, without their signs, ascending."""
    # Whole numbers, so that equal ones tie. Without ties all variables have the same ranks, and this is remembered.
    products = np.array(y, dtype=np.int64)[_orders(len(y))] @ np.array(x, dtype=np.int64)
    return np.sort(np.abs(products))


@lru_cache(maxsize=MOST_ORDERED)
def _orders(n: int) -> NDArray[np.int8]:
    """Every order of n places, shape (n!, n)."""
    if n == 1:
        return np.zeros((1, 1), np.int8)
    shorter = _orders(n - 1)
    return np.concatenate([np.insert(shorter, start, n - 1, axis=1) for start in range(n)])


def _tie_sizes(values: Floats) -> list[int]:
    sizes: list[int] = np.unique(values, return_counts=True)[1].tolist()
    return sizes


def _pairs(sizes: int | list[int]) -> int:
    """Number of pairs of pairs within ties of these sizes."""
    return sum(size * (size - 1) // 2 for size in ([sizes] if isinstance(sizes, int) else sizes))


def _kendall_p(more: int, n: int, sizes_x: list[int], sizes_y: list[int]) -> float:
    """Two-sided p-value of ``more`` concordant than discordant pairs of pairs."""
    tied_x, tied_y = _pairs(sizes_x), _pairs(sizes_y)
    least = (_pairs(n) - abs(more)) // 2
    if not tied_x and not tied_y and (n <= MOST_EXACT or least <= 1):
        return _inversions_p(n, least)
    m = n * (n - 1.0)
    spread_x, spread_y = (sum(t * (t - 1) * (2 * t + 5) for t in sizes) for sizes in (sizes_x, sizes_y))
    triples_x, triples_y = (sum(t * (t - 1) * (t - 2) for t in sizes) for sizes in (sizes_x, sizes_y))
    variance = (m * (2 * n + 5) - spread_x - spread_y) / 18 + 2 * tied_x * tied_y / m
    variance += triples_x * triples_y / (9 * m * (n - 2))
    return math.erfc(abs(more) / math.sqrt(variance) / math.sqrt(2))


def _inversions_p(n: int, least: int) -> float:
    """Twice the chance that a random order of n has at most ``least`` inversions (Kendall, 1970, chapter 5)."""
    if least <= 1:
        # One order has none and n - 1 have one: also where n is too large to go through all.
        return min(1.0, 2 * math.exp(math.log(max(1, least * n)) - math.lgamma(n + 1)))
    chances = np.ones(1)
    for size in range(2, n + 1):
        chances = np.convolve(chances, np.full(size, 1 / size))
    return min(1.0, 2 * float(chances[: least + 1].sum()))
