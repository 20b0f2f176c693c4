"""Kappa: agreement on categories beyond what chance would give, for two raters (Cohen) and for many (Fleiss).

A kappa is (agreement - chance) / (1 - chance): 1 is perfect, 0 is chance. It is undefined if chance alone agrees
always, that is, if only one category is used: perfect agreement there proves nothing, so it is not called 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.agreement._pairable import (
    Weigh,
    categories_of,
    check_ratings,
    code_of,
    pairable,
    pairs_within,
)
from dialeval.stats.estimate import Statistic
from dialeval.stats.resampling.bootstrap import Floats, Integers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
"""Distance of two categories: all equally, by their places on the scale, or by the square of that."""


class ResampledKappas(NamedTuple):
    """Each pair of raters, in as many resamples as there are rows; shapes (resamples, pairs)."""

    kappa: Floats
    """NaN if it is undefined."""
    shared: Floats
    """Number of units that both rated."""


@dataclass(frozen=True, slots=True, eq=False)
class RaterPairs:
    """All pairs of raters who share a unit, and what each unit adds to them."""

    first: Integers
    second: Integers
    apart: Floats
    """Distance of two categories, shape (categories, categories)."""
    sums: csr_array[np.float64]
    """Per unit: each pair's disagreement, then the category that its first rater chose, then that of its second."""

    def compare(self, weights: Floats) -> ResampledKappas:
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
        return ResampledKappas(1 - share, shared)


def rater_pairs(ratings: Floats, weights: Weights, categories: Floats | None = None) -> RaterPairs:
    """The pairs of raters in ``ratings``, shape (units, raters); none if no unit has two ratings."""
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


Chance: TypeAlias = Literal["fleiss", "free"]
"""Choices of raters who are blind: choose as often as all raters did, or choose all categories equally often."""

HELD: Final = 1 << 22
"""Sums held at once when raters are compared in many resamples."""

MOST_CATEGORIES: Final = 256
"""More different values than this are measurements, of which kappa makes no sense."""


def cohen_kappa(
    a: Floats, b: Floats, *, weights: Weights = "none", categories: Sequence[float] | None = None
) -> Statistic:
    """Cohen's kappa of two raters over the units both rated, which ``n`` counts (Cohen, 1960; weighted: 1968).

    Weighted kappas go by the places of the ``categories`` in ascending order. These are the ones the two raters used
    if none are given, so give them if the scale has categories that nobody chose.
    """
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"two raters need one rating each per unit, not shapes {a.shape} and {b.shape}")
    ratings = np.column_stack([a, b])
    both = ratings[~np.isnan(ratings).any(axis=1)]
    reason = not_categories(both) if len(both) else "no unit was rated by both raters"
    if reason is not None:
        return Statistic.undefined(reason, len(both))
    value = float(
        rater_pairs(both, weights, _ascending(categories)).compare(np.ones((1, len(both)))).kappa[0, 0]
    )
    if math.isnan(value):
        return Statistic.undefined(f"both raters always chose one category ({both[0, 0]:g})", len(both))
    return Statistic(value, len(both))


class PairwiseKappa(NamedTuple):
    """Cohen's kappa between every two raters."""

    kappa: Floats
    """Shape (raters, raters), symmetric. NaN if two share no unit (``n`` is 0), where both always chose one and the
    same category, and on the diagonal."""
    n: Integers
    """Number of units that both rated, shape (raters, raters); on the diagonal, that the rater rated."""


def pairwise_cohen(
    ratings: Floats, *, weights: Weights = "none", categories: Sequence[float] | None = None
) -> PairwiseKappa:
    """Cohen's kappa between every two of ``ratings``' rows, shape (raters, units), NaN if one gave no rating.

    As ``cohen_kappa`` of each pair, the categories being those of all raters together.
    """
    by_unit = check_ratings(ratings).T
    reason = not_categories(by_unit)
    if reason is not None:
        raise ValueError(reason)
    pairs = rater_pairs(by_unit, weights, _ascending(categories))
    compared = pairs.compare(np.ones((1, pairs.sums.shape[0])))
    raters = len(ratings)
    kappa, n = np.full((raters, raters), np.nan), np.zeros((raters, raters), dtype=np.int64)
    for rows, columns in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
        kappa[rows, columns], n[rows, columns] = compared.kappa[0], compared.shared[0]
    np.fill_diagonal(n, (~np.isnan(by_unit)).sum(axis=0))
    return PairwiseKappa(kappa, n)


def mean_cohen_kappa(ratings: Floats, *, weights: Weights = "none") -> Statistic:
    """The mean of Cohen's kappa over all pairs of raters that have one; ``n`` counts these pairs.

    ``ratings`` is of shape (units, raters), NaN if a rater gave none. Each pair weighs the same (Light, 1971).
    """
    reason = not_categories(check_ratings(ratings))
    if reason is not None:
        return Statistic.undefined(reason, 0)
    kappa = pairwise_cohen(ratings.T, weights=weights).kappa
    defined = kappa[np.triu_indices(len(kappa), 1)]
    defined = defined[~np.isnan(defined)]
    if not defined.size:
        return Statistic.undefined("no two raters share units on which more than one category was chosen", 0)
    return Statistic(float(defined.mean()), len(defined))


def mean_cohen_of_weights(ratings: Floats) -> Weigh | None:
    """Return a function from counts of units with two ratings or more to mean Cohen's kappa; None if undefined."""
    if not_categories(check_ratings(ratings)) is not None:
        return None
    pairs = rater_pairs(ratings, "none")
    size = max(1, HELD // max(1, pairs.sums.shape[1]))

    def weigh(weights: Floats) -> Floats:
        blocks = [weights[start : start + size] for start in range(0, len(weights), size)]
        return np.concatenate([_row_means(pairs.compare(block).kappa) for block in blocks])

    return weigh if len(pairs.first) else None


def counts_of(ratings: Floats, categories: Sequence[float] | None = None) -> Integers:
    """Count the raters who put each unit into each category, shape (units, categories), categories ascending.

    ``ratings`` is of shape (units, raters), NaN if a rater gave none. The categories are those that occur, where
    none are given; chance agreement of ``free`` kappa depends on them.
    """
    checked = check_ratings(ratings)
    rated = ~np.isnan(checked)
    unit, rating = np.flatnonzero(rated) // max(1, checked.shape[1]), checked[rated]
    values = (
        categories_of(rating) if categories is None else categories_of(np.asarray(categories, np.float64))
    )
    if len(values) > MOST_CATEGORIES:
        raise ValueError(_too_many(len(values)))
    cells = np.bincount(unit * len(values) + code_of(rating, values), minlength=len(checked) * len(values))
    return cells.reshape(len(checked), len(values))


def percent_agreement(counts: Floats | Integers) -> Statistic:
    """The share of agreeing pairs of raters, averaged over the units with two ratings or more, which ``n`` counts."""
    rows = fleiss_rows(counts)
    if not len(rows):
        return Statistic.undefined("no unit has two ratings or more", 0)
    return Statistic(float(rows[:, 0].mean()), len(rows))


def fleiss_kappa(counts: Floats | Integers, *, chance: Chance = "fleiss") -> Statistic:
    """Fleiss' kappa of ``counts``, shape (units, categories), as ``counts_of`` gives them (Fleiss, 1971).

    Agreement is the mean over units of the share of agreeing pairs of raters. Chance is the sum of the squared shares
    of the categories among all ratings; or, if ``free``, 1 / categories (Randolph, 2005), all columns counting. The
    number of raters may vary from unit to unit; units with fewer than two ratings are left out, and ``n`` counts the
    others. Undefined if only one category is used.
    """
    rows = fleiss_rows(counts)
    if not len(rows):
        return Statistic.undefined("no unit has two ratings or more", 0)
    value = float(fleiss_score(rows.sum(axis=0), chance=chance))
    if math.isnan(value):
        return Statistic.undefined("only one category is used", len(rows))
    return Statistic(value, len(rows))


def fleiss_rows(counts: Floats | Integers) -> Floats:
    """Rows of units with two ratings or more: each has its share of agreeing pairs, 1, and its counts."""
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any():
        raise ValueError(f"counts must be 0 or more, of shape (units, categories), not {table.shape}")
    sizes = table.sum(axis=1)
    table, sizes = table[sizes >= 2], sizes[sizes >= 2]
    agreeing = ((table**2).sum(axis=1) - sizes) / (sizes * (sizes - 1))
    return np.column_stack([agreeing, np.ones(len(table)), table])


def fleiss_score(totals: Floats, *, chance: Chance = "fleiss") -> Floats:
    """Kappas of summed rows, shape (..., 2 + categories) to (...); NaN if only one category is used."""
    agreement, pooled = totals[..., 0] / totals[..., 1], totals[..., 2:]
    if chance == "free":
        blind = np.full(agreement.shape, 1 / max(1, pooled.shape[-1]))
    else:
        blind = (pooled**2).sum(axis=-1) / pooled.sum(axis=-1) ** 2
    over = 1 - blind
    return np.asarray(np.divide(agreement - blind, over, out=np.full(over.shape, np.nan), where=over > 0))


def not_categories(ratings: Floats) -> str | None:
    """Why kappa makes no sense of these ratings: too many different values; None if it does."""
    different = len(categories_of(ratings[~np.isnan(ratings)]))
    return _too_many(different) if different > MOST_CATEGORIES else None


def _too_many(different: int) -> str:
    return (
        f"{different:,} different values are measurements, not categories (at most {MOST_CATEGORIES}); "
        "Krippendorff's alpha takes them"
    )


def _ascending(categories: Sequence[float] | None) -> Floats | None:
    return None if categories is None else categories_of(np.asarray(categories, dtype=np.float64))


def _row_means(kappa: Floats) -> Floats:
    """The mean of each row's defined values; NaN if it has none."""
    defined = ~np.isnan(kappa)
    count = defined.sum(axis=1)
    sums = np.where(defined, kappa, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, count, out=np.full(len(kappa), np.nan), where=count > 0))
