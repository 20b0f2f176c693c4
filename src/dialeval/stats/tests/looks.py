"""Looking twice: collecting more items because the first were not enough, without more false claims than promised.

Testing again after adding items claims a difference that does not exist in 11 to 12 % of the cases, not 5 %. There are
two remedies: test the new items alone, or spend alpha over both looks (Lan & DeMets, 1983). As the number of new items
may depend on what was seen, the looks are combined with weights fixed beforehand, each from its own items (the inverse
normal method; Lehmacher & Wassmer, 1999), and not by testing all items together.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.resampling.bootstrap import Floats

Spending: TypeAlias = Literal["obrien-fleming", "pocock"]
"""How alpha is spent: hardly anything on the first look, or about as much as on the second."""


class Looks(NamedTuple):
    """What the two-sided p-value has to be below, at the first look and, for both together, at the second."""

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
    """How much of alpha has been spent when this share of the items is in (Lan & DeMets, 1983).

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
    """The chance, where nothing differs, of |z| < ``first`` at the first look and |z| >= ``second`` at the second."""
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
