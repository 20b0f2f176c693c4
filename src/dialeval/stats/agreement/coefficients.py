"""Every measure of agreement by its name, from one matrix of ratings, with an interval over resampled units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, Protocol, TypeAlias

import numpy as np

from dialeval.stats.agreement.alpha import Scale, krippendorff_alpha, resample_alpha
from dialeval.stats.agreement.icc import Form, icc, icc_rows, icc_score
from dialeval.stats.agreement.kappa import (
    Chance,
    counts_of,
    fleiss_kappa,
    fleiss_rows,
    fleiss_score,
    mean_cohen_kappa,
    not_categories,
    percent_agreement,
    resample_mean_cohen,
)
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Bounds, Floats, bootstrap, percentile_interval

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


class Resample(Protocol):
    """Computes a statistic on resamples of the units."""

    def __call__(self, ratings: Floats, /, *, resamples: int, seed: int) -> Floats:
        """The values on each resample, shape (resamples,); NaN where it is undefined."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A measure of agreement, of ratings of shape (units, raters), NaN where a rater gave none."""

    estimate: Callable[[Floats], Estimate]
    resample: Resample


def agreement_interval(
    statistic: AgreementName,
    ratings: Floats,
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Bounds:
    """The central ``confidence`` of the statistic over resampled units; NaN at both ends where it is never defined.

    Units are drawn whole, with all their ratings; raters stay as they are. Units that cannot enter the statistic,
    having too few ratings, are not drawn.
    """
    return percentile_interval(
        AGREEMENTS[statistic].resample(ratings, resamples=resamples, seed=seed), confidence
    )


def _fleiss(ratings: Floats, *, chance: Chance) -> Estimate:
    reason = not_categories(ratings)
    return Estimate.undefined(reason, 0) if reason else fleiss_kappa(counts_of(ratings), chance=chance)


def _resample_fleiss(ratings: Floats, /, *, resamples: int, seed: int, chance: Chance) -> Floats:
    if not_categories(ratings):
        return np.full(resamples, np.nan)
    score = partial(fleiss_score, chance=chance)
    return bootstrap(fleiss_rows(counts_of(ratings)), score, resamples=resamples, seed=seed)


def _percent(ratings: Floats) -> Estimate:
    reason = not_categories(ratings)
    return Estimate.undefined(reason, 0) if reason else percent_agreement(counts_of(ratings))


def _resample_percent(ratings: Floats, /, *, resamples: int, seed: int) -> Floats:
    if not_categories(ratings):
        return np.full(resamples, np.nan)
    rows = fleiss_rows(counts_of(ratings))[:, :2]
    return bootstrap(rows, lambda totals: totals[..., 0] / totals[..., 1], resamples=resamples, seed=seed)


def _resample_icc(ratings: Floats, /, *, resamples: int, seed: int, form: Form) -> Floats:
    rows = icc_rows(ratings)
    if len(rows) < 2 or rows.shape[1] < 5:
        return np.full(resamples, np.nan)
    return bootstrap(rows, partial(icc_score, form=form), resamples=resamples, seed=seed)


def _alpha(level: Scale) -> Agreement:
    return Agreement(partial(krippendorff_alpha, level=level), partial(resample_alpha, level=level))


AGREEMENTS: Final[Mapping[AgreementName, Agreement]] = {
    "percent_agreement": Agreement(_percent, _resample_percent),
    "fleiss_kappa": Agreement(partial(_fleiss, chance="fleiss"), partial(_resample_fleiss, chance="fleiss")),
    "free_kappa": Agreement(partial(_fleiss, chance="free"), partial(_resample_fleiss, chance="free")),
    "mean_cohen_kappa": Agreement(mean_cohen_kappa, resample_mean_cohen),
    "alpha_nominal": _alpha("nominal"),
    "alpha_ordinal": _alpha("ordinal"),
    "alpha_interval": _alpha("interval"),
    "alpha_ratio": _alpha("ratio"),
    "icc_2_1": Agreement(partial(icc, form="2,1"), partial(_resample_icc, form="2,1")),
    "icc_2_k": Agreement(partial(icc, form="2,k"), partial(_resample_icc, form="2,k")),
}
