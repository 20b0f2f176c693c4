"""Dropping raters who do not agree with the others: who goes, why, and what changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Resampling
from dialeval.ratings.agreement.coefficients import CriterionAgreement, agreement_of
from dialeval.ratings.agreement.raters import KappaTable, pairwise_kappas
from dialeval.ratings.table import Ratings

DropRule: TypeAlias = Literal["mean", "worst-first", "every-pair"]
"""``mean``: all whose mean kappa is below the threshold, at once. ``worst-first``: the one with the lowest mean, then
again among the others. ``every-pair``: one by one until no pair is below it, as Sharma et al. (2017, section 5.3) left
their raters."""


class Gone(NamedTuple):
    """A rater who is dropped."""

    rater: str
    kappa: float
    """The mean kappa with the others who were there when it was dropped."""
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Dropped:
    """What dropping raters does to one criterion."""

    criterion: str
    threshold: float
    rule: DropRule
    who: tuple[Gone, ...]
    """In the order in which they were dropped."""
    kept: Ratings
    """The ratings of the others, on this criterion."""
    before: CriterionAgreement
    after: CriterionAgreement | None
    """None where nobody is left."""


def drop_raters(
    ratings: Ratings,
    criterion: str,
    threshold: float,
    *,
    rule: DropRule = "mean",
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Dropped:
    """Drop the raters of a criterion whose Cohen's kappa with the others is below ``threshold``.

    A rater who has no kappa, because no items are shared, is kept. Two raters are the fewest
    that can be compared, so one at a time nobody goes once two are left.
    """
    chosen = ratings.criterion_named(criterion)
    table = pairwise_kappas(chosen, criterion)
    who = _below(table, threshold) if rule == "mean" else _one_by_one(table, threshold, rule)
    gone = {drop.rater for drop in who}
    kept = chosen.by(raters=[rater for rater in chosen.raters if rater not in gone])
    (before,) = agreement_of(chosen, resampling=resampling)
    after = agreement_of(kept, resampling=resampling)
    return Dropped(criterion, threshold, rule, tuple(who), kept, before, after[0] if after else None)


def _below(table: KappaTable, threshold: float) -> list[Gone]:
    return [
        Gone(rater, float(mean), f"mean kappa {mean:.3f} with {others} others is below {threshold:g}")
        for rater, mean, others in zip(table.raters, table.means, _compared(table), strict=True)
        if mean < threshold
    ]


def _compared(table: KappaTable) -> list[int]:
    """With how many others each rater has a kappa: two who chose one category alike have none."""
    counts: list[int] = (~np.isnan(table.kappa)).sum(axis=1).tolist()
    return counts


def _one_by_one(table: KappaTable, threshold: float, rule: DropRule) -> list[Gone]:
    who: list[Gone] = []
    while len(table.raters) > 2:
        means = np.where(np.isnan(table.means), np.inf, table.means)
        if rule == "worst-first":
            index = int(means.argmin())
            if means[index] >= threshold:
                break
            why = f"lowest mean kappa of {len(means)} raters, {means[index]:.3f}, is below {threshold:g}"
        else:
            low = np.nan_to_num(table.kappa, nan=np.inf) < threshold
            if not low.any():
                break
            # The rater in most of the low pairs is dropped; ties are broken by the mean.
            index = int(np.lexsort((means, -low.sum(axis=1)))[0])
            why = f"kappa is below {threshold:g} with {int(low[index].sum())} of {_compared(table)[index]} others"
        who.append(Gone(table.raters[index], float(means[index]), why))
        table = table.without(table.raters[index])
    return who
