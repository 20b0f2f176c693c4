"""Ridge regression on ratings of several sets, whose weights may not point against their features' directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import nnls

from dialeval.core import Floats
from dialeval.selfeval.quality.head import Head

RIDGE: Final = 1.0
"""Weight of the squared weights, where a set's mean squared error weighs 1."""
FEWEST: Final = 20
"""Ratings that a set needs to be learnt from."""


@dataclass(frozen=True, slots=True, eq=False)
class RatedRows:
    """The features of one set's subjects, their ratings and their systems."""

    rows: Floats
    ratings: Floats
    systems: tuple[str, ...]

    def sample(self, chosen: np.ndarray) -> RatedRows:
        """These of its subjects, in that order."""
        return RatedRows(self.rows[chosen], self.ratings[chosen], tuple(self.systems[i] for i in chosen))


def fit_head(
    names: Sequence[str],
    directions: Sequence[int],
    sets: Sequence[RatedRows],
    importance: Sequence[float],
    *,
    ridge: float = RIDGE,
) -> Head:
    """The head that best predicts the ratings, each set weighing as much as its importance.

    Scales of rating differ between sets, and systems differ in much that the features do not see, so every set counts
    twice: centred as a whole, and centred within each of its systems. Ratings are scaled to a variance of 1. A feature
    that is undefined for a subject counts as the set's mean. A weight against its feature's direction becomes 0.
    """
    views = [view for rated in sets for view in _views(rated)]
    shares = np.repeat(np.asarray(importance, np.float64) / np.sum(importance) / 2, 2)
    centre = np.average([_filled(rated.rows).mean(axis=0) for rated in sets], axis=0, weights=importance)
    scale = np.sqrt(np.average([rows.var(axis=0) for rows, _ in views], axis=0, weights=shares))
    scale = np.where(scale > 1e-9, scale, 1.0)
    products = np.average([_product(rows / scale, rows / scale) for rows, _ in views], axis=0, weights=shares)
    targets = np.average([_product(rows / scale, ratings) for rows, ratings in views], axis=0, weights=shares)
    weight = _signed_ridge(products, targets, np.asarray(directions, np.float64), ridge)
    return Head(tuple(names), centre, scale, weight)


def _signed_ridge(products: Floats, targets: Floats, directions: Floats, ridge: float) -> Floats:
    """Weights with the signs of ``directions``: non-negative least squares on the factor of the normal equations."""
    turned = products * np.outer(directions, directions) + ridge * np.eye(len(targets))
    factor = np.linalg.cholesky(turned)
    weights, _ = nnls(factor.T, np.linalg.solve(factor, targets * directions))
    signed: Floats = weights * directions
    return signed


def _views(rated: RatedRows) -> list[tuple[Floats, Floats]]:
    """Features and ratings centred over the set, and within each system; of one system both are the same."""
    rows, ratings = _filled(rated.rows), rated.ratings.astype(np.float64)
    whole = (rows - rows.mean(axis=0), _unit(ratings - ratings.mean()))
    within_rows, within_ratings = rows.copy(), ratings.copy()
    for system in sorted(set(rated.systems)):
        members = np.array([name == system for name in rated.systems])
        within_rows[members] -= rows[members].mean(axis=0)
        within_ratings[members] -= ratings[members].mean()
    return [whole, (within_rows, _unit(within_ratings))]


def _filled(rows: Floats) -> Floats:
    """The set's mean where a feature is undefined; 0 where it always is."""
    known = ~np.isnan(rows)
    sums, counts = np.where(known, rows, 0).sum(axis=0), known.sum(axis=0)
    return np.where(known, rows, sums / np.maximum(counts, 1))


def _unit(ratings: Floats) -> Floats:
    spread = ratings.std()
    return ratings / spread if spread > 0 else ratings


def _product(rows: Floats, columns: Floats) -> Floats:
    product: Floats = rows.T @ columns / len(rows)
    return product
