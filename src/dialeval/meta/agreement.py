"""How well raters agree, criterion by criterion: every measure with its interval, or the reason there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.meta.classes import Cut, collapse
from dialeval.meta.rater_warnings import warnings_of
from dialeval.meta.raters import KappaTable, RaterAgreement, kappa_table, rater_agreements, too_large
from dialeval.meta.ratings import Ratings
from dialeval.stats.agreement import AGREEMENTS, AgreementName, agreement_interval
from dialeval.stats.estimate import Estimate
from dialeval.stats.kappa import not_categories
from dialeval.stats.resampling import Bounds

OF_VALUES: Final[tuple[AgreementName, ...]] = (
    "percent_agreement",
    "fleiss_kappa",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
)
"""Measures that do not ask whose a rating is."""
OF_CLASSES: Final[tuple[AgreementName, ...]] = ("percent_agreement", "fleiss_kappa", "alpha_nominal")
"""Measures of ratings in two classes."""
OF_RATERS: Final[tuple[AgreementName, ...]] = ("icc_2_1", "icc_2_k")
"""Measures that compare rater with rater, beside Cohen's kappa."""
COMPLETE: Final = "fleiss_kappa_complete"
Name: TypeAlias = str
"""One of ``stats.AGREEMENTS``, or ``COMPLETE``."""


class Measured(NamedTuple):
    """A measure of agreement, with its interval over resampled units where it has one."""

    estimate: Estimate
    interval: Bounds | None

    @property
    def value(self) -> float:
        """The measure's value; NaN where it is undefined."""
        return self.estimate.value


class Values(NamedTuple):
    """Which values raters gave."""

    low: float
    high: float
    different: int


@dataclass(frozen=True, slots=True, eq=False)
class CriterionAgreement:
    """How well the raters of one criterion agree; a unit is one system's answer to one item."""

    criterion: str
    items: int
    """How many units have at least one value."""
    raters: int
    ratings: int
    """How many values were given."""
    could_not_say: int
    """How many times a rater gave no value."""
    complete_items: int
    """How many units have as many values as any has: those of ``fleiss_kappa_complete``."""
    scale: Values | None
    """None where no value was given."""
    measures: Mapping[Name, Measured]
    """By the names of ``stats.AGREEMENTS``, and ``fleiss_kappa_complete``."""
    kappas: KappaTable | None
    """Every two raters; None where ratings are no categories or the table would be too large."""
    per_rater: tuple[RaterAgreement, ...]
    classes: Mapping[str, Mapping[Name, Measured]]
    """The measures of categories again, for ratings in two classes, by the cut as it is written (``>3``)."""
    warnings: tuple[str, ...]

    @property
    def fleiss_kappa(self) -> Estimate:
        """Fleiss' kappa over the units with two values or more."""
        return self.measures["fleiss_kappa"].estimate

    @property
    def fleiss_kappa_complete(self) -> Estimate:
        """Fleiss' kappa over the units that have as many values as any has."""
        return self.measures[COMPLETE].estimate

    @property
    def krippendorff_alpha(self) -> Mapping[str, Estimate]:
        """Alpha on a nominal, ordinal and interval scale."""
        return {
            level: self.measures[f"alpha_{level}"].estimate for level in ("nominal", "ordinal", "interval")
        }


def agreement_of(
    ratings: Ratings,
    *,
    cuts: Sequence[Cut] = (),
    trials: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> tuple[CriterionAgreement, ...]:
    """How well raters agree on each criterion, in order of first sight; no intervals where ``trials`` is 0."""
    how = _How(trials, seed, level)
    return tuple(_agreement(ratings.criterion_named(name), name, cuts, how) for name in ratings.criteria)


class _How(NamedTuple):
    trials: int
    seed: int
    level: float


def _agreement(own: Ratings, name: str, cuts: Sequence[Cut], how: _How) -> CriterionAgreement:
    said = ~np.isnan(own.value)
    values = own.packed(name)
    large = too_large(len(values), len(own.raters))
    matrix = own.matrix(name) if large is None else None
    apart = large or not_categories(values)
    table = None if matrix is None or apart else kappa_table(own.raters, matrix)
    per_rater = rater_agreements(own, table)
    measures = {**_of_values(values, OF_VALUES, how), **_of_raters(matrix, table, apart, how)}
    return CriterionAgreement(
        criterion=name,
        items=len(values),
        raters=len(own.raters),
        ratings=int(said.sum()),
        could_not_say=int((~said).sum()),
        complete_items=len(_complete(values)),
        scale=_scale(own.value[said]),
        measures=measures,
        kappas=table,
        per_rater=per_rater,
        classes={
            str(cut): _of_values(collapse(own, cut).packed(name), OF_CLASSES, how)
            for cut in dict.fromkeys(cuts)
        },
        warnings=warnings_of(
            values, per_rater, measures["percent_agreement"].value, measures["fleiss_kappa"].value
        ),
    )


def _of_values(values: Floats, names: Sequence[AgreementName], how: _How) -> dict[Name, Measured]:
    found: dict[Name, Measured] = {one: _measured(one, values, how) for one in names}
    complete = _complete(values)
    whole = len(complete) == len(values)
    found[COMPLETE] = found["fleiss_kappa"] if whole else _measured("fleiss_kappa", complete, how)
    return found


def _of_raters(
    matrix: Floats | None, table: KappaTable | None, apart: str | None, how: _How
) -> dict[Name, Measured]:
    found: dict[Name, Measured] = {}
    if matrix is None or table is None:
        found["mean_cohen_kappa"] = Measured(Estimate.undefined(apart or "", 0), None)
    else:
        found["mean_cohen_kappa"] = _measured("mean_cohen_kappa", matrix, how, _mean_kappa(table))
    for one in OF_RATERS:
        if matrix is None:
            found[one] = Measured(Estimate.undefined(apart or "", 0), None)
        else:
            found[one] = _measured(one, matrix, how)
    return found


def _mean_kappa(table: KappaTable) -> Estimate:
    """As ``stats.mean_cohen_kappa``, from the kappas that are there already."""
    kappas = [pair.kappa for pair in table.pairs]
    if not kappas:
        return Estimate.undefined("no two raters share items on which more than one category was chosen", 0)
    return Estimate(float(np.mean(kappas)), len(kappas))


def _measured(name: AgreementName, values: Floats, how: _How, estimate: Estimate | None = None) -> Measured:
    estimate = AGREEMENTS[name].estimate(values) if estimate is None else estimate
    if not estimate.defined or not how.trials:
        return Measured(estimate, None)
    bounds = agreement_interval(name, values, trials=how.trials, seed=how.seed, level=how.level)
    return Measured(estimate, None if math.isnan(bounds.low) or math.isnan(bounds.high) else bounds)


def _complete(values: Floats) -> Floats:
    """The units that have as many values as any has, of a packed table."""
    return values[~np.isnan(values[:, -1])] if values.shape[1] else values


def _scale(values: Floats) -> Values | None:
    return Values(float(values.min()), float(values.max()), len(np.unique(values))) if values.size else None
