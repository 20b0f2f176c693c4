"""Kappa: agreement on categories beyond what chance would give, for two raters (Cohen) and for many (Fleiss).

A kappa is (agreement - chance) / (1 - chance): 1 is perfect, 0 is chance. It is undefined where chance alone agrees
always, that is, where only one category is used: perfect agreement there proves nothing, so it is not called 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.stats.agreement._pairable import Weigh, categories_of, check_ratings, code_of
from dialeval.stats.agreement._rater_pairs import Weights, rater_pairs
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Floats, Integers

Chance: TypeAlias = Literal["fleiss", "free"]
"""What raters would do blindly: choose as often as all raters did, or choose all categories equally often."""

HELD: Final = 1 << 22
"""Sums held at once when raters are compared in many resamples."""

MOST_CATEGORIES: Final = 256
"""More different values than this are measurements, of which kappa makes no sense."""


def cohen_kappa(
    a: Floats, b: Floats, *, weights: Weights = "none", categories: Sequence[float] | None = None
) -> Estimate:
    """Cohen's kappa of two raters over the units both rated, which ``n`` counts (Cohen, 1960; weighted: 1968).

    Weighted kappas go by the places of the ``categories`` in ascending order. These are the ones the two raters used
    where none are given, so give them where the scale has categories that nobody chose.
    """
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"two raters need one rating each per unit, not shapes {a.shape} and {b.shape}")
    ratings = np.column_stack([a, b])
    both = ratings[~np.isnan(ratings).any(axis=1)]
    reason = not_categories(both) if len(both) else "no unit was rated by both raters"
    if reason is not None:
        return Estimate.undefined(reason, len(both))
    value = float(
        rater_pairs(both, weights, _ascending(categories)).compare(np.ones((1, len(both)))).kappa[0, 0]
    )
    if math.isnan(value):
        return Estimate.undefined(f"both raters always chose one category ({both[0, 0]:g})", len(both))
    return Estimate(value, len(both))


class PairwiseKappa(NamedTuple):
    """Cohen's kappa between every two raters."""

    kappa: Floats
    """Shape (raters, raters), symmetric. NaN where two share no unit (``n`` is 0), where both always chose one and the
    same category, and on the diagonal."""
    n: Integers
    """How many units both rated, shape (raters, raters); on the diagonal, how many the rater rated."""


def pairwise_cohen(
    ratings: Floats, *, weights: Weights = "none", categories: Sequence[float] | None = None
) -> PairwiseKappa:
    """Cohen's kappa between every two of ``ratings``' rows, shape (raters, units), NaN where one gave no rating.

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


def mean_cohen_kappa(ratings: Floats, *, weights: Weights = "none") -> Estimate:
    """The mean of Cohen's kappa over all pairs of raters that have one; ``n`` counts these pairs.

    ``ratings`` is of shape (units, raters), NaN where a rater gave none. Each pair weighs the same (Light, 1971).
    """
    reason = not_categories(check_ratings(ratings))
    if reason is not None:
        return Estimate.undefined(reason, 0)
    kappa = pairwise_cohen(ratings.T, weights=weights).kappa
    defined = kappa[np.triu_indices(len(kappa), 1)]
    defined = defined[~np.isnan(defined)]
    if not defined.size:
        return Estimate.undefined("no two raters share units on which more than one category was chosen", 0)
    return Estimate(float(defined.mean()), len(defined))


def mean_cohen_of_weights(ratings: Floats) -> Weigh | None:
    """How mean Cohen's kappa follows from how often each unit with two ratings or more occurs; None if undefined."""
    if not_categories(check_ratings(ratings)) is not None:
        return None
    pairs = rater_pairs(ratings, "none")
    size = max(1, HELD // max(1, pairs.sums.shape[1]))

    def weigh(weights: Floats) -> Floats:
        blocks = [weights[start : start + size] for start in range(0, len(weights), size)]
        return np.concatenate([_row_means(pairs.compare(block).kappa) for block in blocks])

    return weigh if len(pairs.first) else None


def counts_of(ratings: Floats, categories: Sequence[float] | None = None) -> Integers:
    """How many raters put each unit into each category, shape (units, categories), categories ascending.

    ``ratings`` is of shape (units, raters), NaN where a rater gave none. The categories are those that occur, where
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


def percent_agreement(counts: Floats | Integers) -> Estimate:
    """The share of agreeing pairs of raters, averaged over the units with two ratings or more, which ``n`` counts."""
    rows = fleiss_rows(counts)
    if not len(rows):
        return Estimate.undefined("no unit has two ratings or more", 0)
    return Estimate(float(rows[:, 0].mean()), len(rows))


def fleiss_kappa(counts: Floats | Integers, *, chance: Chance = "fleiss") -> Estimate:
    """Fleiss' kappa of ``counts``, shape (units, categories), as ``counts_of`` gives them (Fleiss, 1971).

    Agreement is the mean over units of the share of agreeing pairs of raters. Chance is the sum of the squared shares
    of the categories among all ratings; or, if ``free``, 1 / categories (Randolph, 2005), all columns counting. The
    number of raters may vary from unit to unit; units with fewer than two ratings are left out, and ``n`` counts the
    others. Undefined where only one category is used.
    """
    rows = fleiss_rows(counts)
    if not len(rows):
        return Estimate.undefined("no unit has two ratings or more", 0)
    value = float(fleiss_score(rows.sum(axis=0), chance=chance))
    if math.isnan(value):
        return Estimate.undefined("only one category is used", len(rows))
    return Estimate(value, len(rows))


def fleiss_rows(counts: Floats | Integers) -> Floats:
    """What each unit with two ratings or more adds: its share of agreeing pairs, 1, and its counts."""
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all() or (table < 0).any():
        raise ValueError(f"counts must be 0 or more, of shape (units, categories), not {table.shape}")
    sizes = table.sum(axis=1)
    table, sizes = table[sizes >= 2], sizes[sizes >= 2]
    agreeing = ((table**2).sum(axis=1) - sizes) / (sizes * (sizes - 1))
    return np.column_stack([agreeing, np.ones(len(table)), table])


def fleiss_score(totals: Floats, *, chance: Chance = "fleiss") -> Floats:
    """Kappas of summed rows, shape (..., 2 + categories) to (...); NaN where only one category is used."""
    agreement, pooled = totals[..., 0] / totals[..., 1], totals[..., 2:]
    if chance == "free":
        blind = np.full(agreement.shape, 1 / max(1, pooled.shape[-1]))
    else:
        blind = (pooled**2).sum(axis=-1) / pooled.sum(axis=-1) ** 2
    over = 1 - blind
    return np.asarray(np.divide(agreement - blind, over, out=np.full(over.shape, np.nan), where=over > 0))


def not_categories(ratings: Floats) -> str | None:
    """Why kappa makes no sense of these ratings: too many different values; None where it does."""
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
    """The mean of each row's defined values; NaN where it has none."""
    defined = ~np.isnan(kappa)
    count = defined.sum(axis=1)
    sums = np.where(defined, kappa, 0.0).sum(axis=1)
    return np.asarray(np.divide(sums, count, out=np.full(len(kappa), np.nan), where=count > 0))
