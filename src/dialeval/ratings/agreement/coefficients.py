"""How well raters agree, criterion by criterion: every measure with its interval, or the reason there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling
from dialeval.display.notes import Note
from dialeval.ratings.agreement.notes import notes_on
from dialeval.ratings.agreement.raters import (
    KappaTable,
    RaterAgreement,
    incomparable,
    kappa_table,
    rater_agreements,
)
from dialeval.ratings.scale import Cut, collapse
from dialeval.ratings.table import Ratings
from dialeval.stats.agreement.coefficients import AGREEMENTS, AgreementName, agreement_interval
from dialeval.stats.agreement.kappa import not_categories
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import Bounds

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
OF_NUMBERS: Final[tuple[AgreementName, ...]] = ("alpha_ordinal", "alpha_interval", *OF_RATERS)
"""Measures that ask which value is the higher one, or by how much."""
NOMINAL: Final = "values are names of categories, on no scale"
"""Why ``OF_NUMBERS`` are undefined where they are."""
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
    """Where they are anonymous, how many ratings a unit has at most."""
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
    """Every two raters; None where there is a reason in ``apart``."""
    apart: str | None
    """Why none is compared with another: no categories, too large a table, or raters whom nobody names."""
    per_rater: tuple[RaterAgreement, ...]
    """What each rater did; empty where raters are anonymous."""
    classes: Mapping[str, Mapping[Name, Measured]]
    """The measures of categories again, for ratings in two classes, by the cut as it is written (``>3``)."""
    warnings: tuple[Note, ...]

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
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> tuple[CriterionAgreement, ...]:
    """How well raters agree on each criterion, in order of first sight; no intervals without resamples."""
    return tuple(
        _agreement(ratings.criterion_named(name), name, cuts, resampling) for name in ratings.criteria
    )


class _Laid(NamedTuple):
    """The ratings of one criterion as tables."""

    values: Floats
    """Shape (units, most ratings of a unit)."""
    matrix: Floats | None
    """Shape (units, raters)."""
    kappas: KappaTable | None
    apart: str | None
    """Why there is no table of kappas."""

    @classmethod
    def out(cls, ratings: Ratings, name: str) -> _Laid:
        values = ratings.packed(name)
        hidden = incomparable(ratings, len(values))
        if hidden is not None:
            return cls(values, None, None, hidden)
        matrix, apart = ratings.matrix(name), not_categories(values)
        return cls(values, matrix, None if apart else kappa_table(ratings.raters, matrix), apart)


def _agreement(
    ratings: Ratings, name: str, cuts: Sequence[Cut], resampling: Resampling
) -> CriterionAgreement:
    said, laid = ~np.isnan(ratings.value), _Laid.out(ratings, name)
    per_rater = rater_agreements(ratings, laid.kappas)
    measures = _measures(laid, OF_NUMBERS if ratings.nominal else (), resampling)
    return CriterionAgreement(
        criterion=name,
        items=len(laid.values),
        raters=len(ratings.raters),
        ratings=int(said.sum()),
        could_not_say=int((~said).sum()),
        complete_items=len(_complete(laid.values)),
        scale=_scale(ratings.value[said]),
        measures=measures,
        kappas=laid.kappas,
        apart=laid.apart,
        per_rater=() if ratings.anonymous else per_rater,
        classes={
            str(cut): _of_values(collapse(ratings, cut).packed(name), OF_CLASSES, resampling)
            for cut in dict.fromkeys(cuts)
        },
        warnings=notes_on(
            laid.values, per_rater, measures["percent_agreement"].value, measures["fleiss_kappa"].value
        ),
    )


def _measures(laid: _Laid, unfit: Sequence[AgreementName], resampling: Resampling) -> dict[Name, Measured]:
    """Every measure; those that are ``unfit`` for names of categories say so."""
    measures = _of_values(laid.values, [name for name in OF_VALUES if name not in unfit], resampling)
    measures |= _of_raters(laid, [name for name in OF_RATERS if name not in unfit], resampling)
    return measures | {name: Measured(Estimate.undefined(NOMINAL, 0), None) for name in unfit}


def _of_values(
    values: Floats, names: Sequence[AgreementName], resampling: Resampling
) -> dict[Name, Measured]:
    measures: dict[Name, Measured] = {name: _measured(name, values, resampling) for name in names}
    complete = _complete(values)
    whole = len(complete) == len(values)
    measures[COMPLETE] = (
        measures["fleiss_kappa"] if whole else _measured("fleiss_kappa", complete, resampling)
    )
    return measures


def _of_raters(laid: _Laid, names: Sequence[AgreementName], resampling: Resampling) -> dict[Name, Measured]:
    none = Measured(Estimate.undefined(laid.apart or "", 0), None)
    measures: dict[Name, Measured] = {"mean_cohen_kappa": none, **dict.fromkeys(names, none)}
    if laid.matrix is not None:
        measures |= {name: _measured(name, laid.matrix, resampling) for name in names}
    if laid.matrix is not None and laid.kappas is not None:
        measures["mean_cohen_kappa"] = _measured(
            "mean_cohen_kappa", laid.matrix, resampling, _mean_kappa(laid.kappas)
        )
    return measures


def _mean_kappa(table: KappaTable) -> Estimate:
    """As ``stats.mean_cohen_kappa``, from the kappas that are there already."""
    kappas = [pair.kappa for pair in table.pairs]
    if not kappas:
        return Estimate.undefined("no two raters share items on which more than one category was chosen", 0)
    return Estimate(float(np.mean(kappas)), len(kappas))


def _measured(
    name: AgreementName, values: Floats, resampling: Resampling, estimate: Estimate | None = None
) -> Measured:
    estimate = AGREEMENTS[name].estimate(values) if estimate is None else estimate
    if not estimate.defined or not resampling.resamples:
        return Measured(estimate, None)
    draws, seed, confidence = resampling.resamples, resampling.seed, resampling.confidence
    bounds = agreement_interval(name, values, resamples=draws, seed=seed, confidence=confidence)
    return Measured(estimate, None if math.isnan(bounds.low) or math.isnan(bounds.high) else bounds)


def _complete(values: Floats) -> Floats:
    """The units that have as many values as any has, of a packed table."""
    return values[~np.isnan(values[:, -1])] if values.shape[1] else values


def _scale(values: Floats) -> Values | None:
    return Values(float(values.min()), float(values.max()), len(np.unique(values))) if values.size else None
