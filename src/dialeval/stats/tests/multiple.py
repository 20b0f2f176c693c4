"""Correction for making many comparisons at once, over a family of tests that has a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.resampling.bootstrap import Floats, Integers

Correction: TypeAlias = Literal["holm", "bh"]
"""What is kept below alpha: the chance of any false claim, or the expected share of false ones among the claims."""

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
    """How many have a p-value."""
    correction: Correction


@dataclass(frozen=True, slots=True, eq=False)
class Adjusted:
    """One measure's p-values after correction, in the order given."""

    p_values: Floats
    family: Family


def adjust_families(
    p_values: Mapping[str, Sequence[float]], *, primary: str | None = None, correction: Correction = "holm"
) -> dict[str, Adjusted]:
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
) -> dict[str, Adjusted]:
    sizes = [len(p_values[name]) for name in names]
    pooled = np.array([p for name in names for p in p_values[name]], dtype=np.float64)
    family = Family(role, tuple(names), int(np.count_nonzero(~np.isnan(pooled))), correction)
    parts = np.split(CORRECTIONS[correction](pooled), np.cumsum(sizes)[:-1]) if names else []
    return {name: Adjusted(part, family) for name, part in zip(names, parts, strict=True)}


def _ascending(p_values: ArrayLike) -> tuple[Floats, Integers]:
    """The p-values as an array, and the places of those that are no NaN, smallest first."""
    given = np.asarray(p_values, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(given))
    return given, tested[np.argsort(given[tested], kind="stable")]
