"""Cohen's kappa of every two raters at once, from sums over the units that both rated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.agreement._pairable import pairable, pairs_within
from dialeval.stats.resampling.bootstrap import Floats, Integers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
"""How far apart two categories are: all equally, by their places on the scale, or by the square of that."""


class Compared(NamedTuple):
    """Each pair of raters, in as many resamples as there are rows; shapes (resamples, pairs)."""

    kappa: Floats
    """NaN where it is undefined."""
    shared: Floats
    """How many units both rated."""


@dataclass(frozen=True, slots=True, eq=False)
class RaterPairs:
    """All pairs of raters who share a unit, and what each unit adds to them."""

    first: Integers
    second: Integers
    apart: Floats
    """How far apart two categories are, shape (categories, categories)."""
    sums: csr_array[np.float64]
    """Per unit: each pair's disagreement, then the category that its first rater chose, then that of its second."""

    def compare(self, weights: Floats) -> Compared:
        """Kappas of units drawn so often, ``weights`` being of shape (resamples, units).

        kappa = 1 - n * observed disagreement / disagreement of independent raters (Cohen, 1968, equation 12).
        """
        resamples, pairs, k = len(weights), len(self.first), len(self.apart)
        totals = np.asarray(weights @ self.sums)
        observed = totals[:, :pairs]
        chosen = totals[:, pairs:].reshape(resamples, 2, pairs, k)
        shared = chosen[:, 0].sum(axis=-1)
        expected = ((chosen[:, 0] @ self.apart) * chosen[:, 1]).sum(axis=-1)
        share = np.divide(
            observed * shared, expected, out=np.full(observed.shape, np.nan), where=expected > 0
        )
        return Compared(1 - share, shared)


def rater_pairs(ratings: Floats, weights: Weights, categories: Floats | None = None) -> RaterPairs:
    """The pairs of raters in ``ratings``, shape (units, raters); none where no unit has two ratings."""
    from scipy.sparse import csr_array

    units = pairable(ratings, categories)
    blocks = list(pairs_within(units.unit))
    i, j = (np.concatenate([block[side] for block in blocks] or [np.empty(0, np.int64)]) for side in (0, 1))
    raters, k = ratings.shape[1], len(units.values)
    keys, pair = np.unique(units.rater[i] * raters + units.rater[j], return_inverse=True)
    apart, pairs = _apart(k, weights), len(keys)
    columns = [pair, pairs + pair * k + units.code[i], pairs * (1 + k) + pair * k + units.code[j]]
    added = np.concatenate([apart[units.code[i], units.code[j]], np.ones(2 * len(pair))])
    places = (np.tile(units.unit[i], 3), np.concatenate(columns))
    sums = csr_array((added, places), shape=(len(units.sizes), pairs * (1 + 2 * k)))
    return RaterPairs(keys // max(1, raters), keys % max(1, raters), apart, sums)


def _apart(k: int, weights: Weights) -> Floats:
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)
    return {"none": np.minimum(steps, 1), "linear": steps, "quadratic": steps**2}[weights]
