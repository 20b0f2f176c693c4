"""Every measure of agreement by its name, from one matrix of ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.stats.agreement._pairable import Weigh
from dialeval.stats.agreement.alpha import Scale, alpha_of_weights, krippendorff_alpha
from dialeval.stats.agreement.icc import Form, icc, icc_rows, icc_score
from dialeval.stats.agreement.kappa import (
    Chance,
    counts_of,
    fleiss_kappa,
    fleiss_rows,
    fleiss_score,
    mean_cohen_kappa,
    mean_cohen_of_weights,
    not_categories,
    percent_agreement,
)
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Floats, Integers, draws
from dialeval.stats.resampling.jackknife import LeftOut

AgreementName: TypeAlias = Literal[
    "percent_agreement",
    "fleiss_kappa",
    "free_kappa",
    "mean_cohen_kappa",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "alpha_ratio",
    "icc_2_1",
    "icc_2_k",
]


HELD: Final = 1 << 20
"""Weights held at once."""
BLOCKS: Final = 1000
"""More units than this are left out in this many blocks of equal size."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure of agreement, of ratings of shape (units, raters), NaN where a rater gave none."""

    estimate: Callable[[Floats], Estimate]
    weigher: Callable[[Floats], Weigh | None]
    """How it follows from how often each unit that can enter occurs; None where it is undefined."""
    complete: bool = False
    """Whether only units that every rater rated can enter; else those with two ratings or more can."""

    def enters(self, ratings: Floats) -> NDArray[np.bool_]:
        """Which units have enough ratings, shape (units,)."""
        rated = (~np.isnan(ratings)).sum(axis=1)
        return np.asarray(rated >= (ratings.shape[1] if self.complete else 2))

    def resample(self, ratings: Floats, *, resamples: int = 1000, seed: int = 0) -> Floats:
        """The measure on resamples of the units, shape (resamples,); NaN where it is undefined."""
        weigh, units = self.weigher(ratings), int(self.enters(ratings).sum())
        if weigh is None:
            return np.full(resamples, np.nan)
        return np.concatenate(
            [weigh(some) for some in draws(units, resamples=resamples, seed=seed, cells=HELD)]
        )

    def leave_out(self, ratings: Floats, clusters: Integers | None = None) -> LeftOut:
        """The measure, and without each unit that can enter, or each cluster; of very many, without each block."""
        weigh, value = self.weigher(ratings), self.estimate(ratings).value
        enters = self.enters(ratings)
        labels = np.arange(len(ratings)) if clusters is None else clusters
        group = np.unique(labels[enters], return_inverse=True)[1]
        if group.max(initial=-1) >= BLOCKS:
            group = (np.random.default_rng(0).permutation(int(group.max()) + 1) % BLOCKS)[group]
        if weigh is None:
            return LeftOut(value, np.full(int(group.max(initial=-1)) + 1, np.nan))
        groups = np.arange(int(group.max()) + 1)
        size = max(1, HELD // len(group))
        with np.errstate(invalid="ignore"):  # without the only unit there is none: NaN
            parts = [
                weigh((group != groups[start : start + size, None]).astype(np.float64))
                for start in range(0, len(groups), size)
            ]
        return LeftOut(value, np.concatenate(parts))


def _fleiss(ratings: Floats, *, chance: Chance) -> Estimate:
    reason = not_categories(ratings)
    return Estimate.undefined(reason, 0) if reason else fleiss_kappa(counts_of(ratings), chance=chance)


def _weigh_fleiss(ratings: Floats, *, chance: Chance) -> Weigh | None:
    if not_categories(ratings):
        return None
    rows = fleiss_rows(counts_of(ratings))
    return (lambda weights: fleiss_score(weights @ rows, chance=chance)) if len(rows) else None


def _percent(ratings: Floats) -> Estimate:
    reason = not_categories(ratings)
    return Estimate.undefined(reason, 0) if reason else percent_agreement(counts_of(ratings))


def _weigh_percent(ratings: Floats) -> Weigh | None:
    if not_categories(ratings):
        return None
    rows = fleiss_rows(counts_of(ratings))[:, :2]
    return (lambda weights: weights @ rows[:, 0] / (weights @ rows[:, 1])) if len(rows) else None


def _weigh_icc(ratings: Floats, *, form: Form) -> Weigh | None:
    rows = icc_rows(ratings)
    if len(rows) < 2 or rows.shape[1] < 5:
        return None
    return lambda weights: icc_score(weights @ rows, form)


def _alpha(level: Scale) -> Agreement:
    return Agreement(partial(krippendorff_alpha, level=level), partial(alpha_of_weights, level=level))


AGREEMENTS: Final[Mapping[AgreementName, Agreement]] = {
    "percent_agreement": Agreement(_percent, _weigh_percent),
    "fleiss_kappa": Agreement(partial(_fleiss, chance="fleiss"), partial(_weigh_fleiss, chance="fleiss")),
    "free_kappa": Agreement(partial(_fleiss, chance="free"), partial(_weigh_fleiss, chance="free")),
    "mean_cohen_kappa": Agreement(mean_cohen_kappa, mean_cohen_of_weights),
    "alpha_nominal": _alpha("nominal"),
    "alpha_ordinal": _alpha("ordinal"),
    "alpha_interval": _alpha("interval"),
    "alpha_ratio": _alpha("ratio"),
    "icc_2_1": Agreement(partial(icc, form="2,1"), partial(_weigh_icc, form="2,1"), complete=True),
    "icc_2_k": Agreement(partial(icc, form="2,k"), partial(_weigh_icc, form="2,k"), complete=True),
}
