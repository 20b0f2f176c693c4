"""Correction for many comparisons of a named family, and for a second look after more items were collected.

Testing again after adding items claims a difference that does not exist in 11 to 12 % of the cases, not 5 %. There are
two remedies: test the new items alone, or spend alpha over both looks (Lan & DeMets, 1983). As the number of new items
may depend on what was seen, the looks are combined with weights fixed beforehand, each from its own items (the inverse
normal method; Lehmacher & Wassmer, 1999), and not by testing all items together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.resampling.bootstrap import Floats, Integers

Correction: TypeAlias = Literal["holm", "bh"]
"""Rate kept below alpha: the chance of any false claim, or the expected share of false ones among the claims."""

Role: TypeAlias = Literal["confirmatory", "exploratory"]
"""Whether the tests of a family were declared beforehand as the ones that decide."""


def holm(p_values: ArrayLike) -> Floats:
    """Adjusted p-values, in the order given, that keep the family-wise error rate (Holm, 1979).

    The i-th smallest of m is multiplied by m - i + 1, made no smaller than those before it, and clipped at 1.
    NaN stays NaN and is not one of the m.
    """
    given, order = _ascending(p_values)
    adjusted = np.full(given.shape, np.nan)
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(given[order] * factors))
    return adjusted


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Adjusted p-values, in the order given, that keep the false discovery rate (Benjamini & Hochberg, 1995).

    The i-th smallest of m is multiplied by m / i, made no larger than those after it, and clipped at 1: calling
    significant all that fall below q lets a share of at most q of these be false, if the tests are independent or
    depend on each other positively. NaN stays NaN and is not one of the m.
    """
    given, order = _ascending(p_values)
    adjusted = np.full(given.shape, np.nan)
    factors = len(order) / np.arange(1, len(order) + 1)
    adjusted[order] = np.minimum(1, np.minimum.accumulate((given[order] * factors)[::-1])[::-1])
    return adjusted


CORRECTIONS: Final = {"holm": holm, "bh": benjamini_hochberg}


@dataclass(frozen=True, slots=True)
class Family:
    """Tests that are corrected together."""

    role: Role
    measures: tuple[str, ...]
    tests: int
    """Number of tests that have a p-value."""
    correction: Correction


@dataclass(frozen=True, slots=True, eq=False)
class AdjustedFamily:
    """One measure's p-values after correction, in the order given."""

    p_values: Floats
    family: Family


def adjust_families(
    p_values: Mapping[str, Sequence[float]], *, primary: str | None = None, correction: Correction = "holm"
) -> dict[str, AdjustedFamily]:
    """Each measure's p-values, one per pair of systems, corrected over their family.

    Without a ``primary`` measure all are one exploratory family. With one, declared before anybody looked, its tests
    are a confirmatory family of their own, always corrected by Holm, and all others together an exploratory one.
    """
    if primary is not None and primary not in p_values:
        raise ValueError(f"the primary measure {primary!r} is none of {', '.join(p_values)}")
    others = [name for name in p_values if name != primary]
    found = _adjust(p_values, others, "exploratory", correction)
    if primary is not None:
        found |= _adjust(p_values, [primary], "confirmatory", "holm")
    return {name: found[name] for name in p_values}


def _adjust(
    p_values: Mapping[str, Sequence[float]], names: Sequence[str], role: Role, correction: Correction
) -> dict[str, AdjustedFamily]:
    sizes = [len(p_values[name]) for name in names]
    pooled = np.array([p for name in names for p in p_values[name]], dtype=np.float64)
    family = Family(role, tuple(names), int(np.count_nonzero(~np.isnan(pooled))), correction)
    parts = np.split(CORRECTIONS[correction](pooled), np.cumsum(sizes)[:-1]) if names else []
    return {name: AdjustedFamily(part, family) for name, part in zip(names, parts, strict=True)}


def _ascending(p_values: ArrayLike) -> tuple[Floats, Integers]:
    """The p-values as an array, and the places of those that are no NaN, smallest first."""
    given = np.asarray(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(given))
    return given, tested[np.argsort(given[tested], kind="stable")]


Spending: TypeAlias = Literal["obrien-fleming", "pocock"]
"""Spending of alpha: hardly anything on the first look, or about as much as on the second."""


class Looks(NamedTuple):
    """Limits of the two-sided p-value, at the first look and, for both together, at the second."""

    first: float
    second: float


def looks(share: float = 0.5, *, alpha: float = 0.05, spending: Spending = "obrien-fleming") -> Looks:
    """Limits that keep the chance of a false claim, at either of two looks, at alpha.

    ``share`` is the weight of the first look, fixed beforehand, such as its planned share of all items.
    """
    if not 0 < share < 1:
        raise ValueError(f"the share of the first look lies between 0 and 1, not {share}")
    spent = spent_alpha(share, alpha=alpha, spending=spending)
    first = _quantile(spent)
    low, high = 0.0, 12.0
    for _ in range(80):
        middle = (low + high) / 2
        if _late_claim(first, middle, share) > alpha - spent:
            low = middle
        else:
            high = middle
    return Looks(spent, _two_sided(high))


def spent_alpha(share: float, *, alpha: float = 0.05, spending: Spending = "obrien-fleming") -> float:
    """Share of alpha that is spent when this share of the items is in (Lan & DeMets, 1983).

    2 (2 - 2 Phi(z[1 - alpha / 4] / sqrt(share))), either side spending half of alpha, or alpha ln(1 + (e - 1) share).
    """
    if spending == "pocock":
        return alpha * math.log(1 + (math.e - 1) * share)
    return 2 * _two_sided(_quantile(alpha / 2) / math.sqrt(share))


def combined_p(first: tuple[float, float], second: tuple[float, float], share: float = 0.5) -> float:
    """The p-value of both looks, each given as its difference and two-sided p-value, over its own items alone."""
    z = [math.copysign(_quantile(p), difference) for difference, p in (first, second)]
    return _two_sided(abs(math.sqrt(share) * z[0] + math.sqrt(1 - share) * z[1]))


def _late_claim(first: float, second: float, share: float) -> float:
    """The chance, if nothing differs, of |z| < ``first`` at the first look and |z| >= ``second`` at the second."""
    from scipy.special import ndtr

    nodes, weights = _gauss()
    z = first * nodes
    middle, spread = math.sqrt(share) * z, math.sqrt(1 - share)
    missed = ndtr((second - middle) / spread) - ndtr((-second - middle) / spread)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return float(first * (weights * density * (1 - missed)).sum())


@cache
def _gauss() -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre's quadrature."""
    nodes, weights = np.polynomial.legendre.leggauss(100)
    return nodes, weights


def _quantile(p: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(max(p, 1e-300) / 2))  # of 0 it would be infinite, and that of two looks undefined


def _two_sided(z: float) -> float:
    return math.erfc(z / math.sqrt(2))
