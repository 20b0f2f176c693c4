"""Agreement of raters by criterion: every coefficient with its interval, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling
from dialeval.data.framed import text_table
from dialeval.display.notes import Note
from dialeval.display.wording import count
from dialeval.files.documents import finite
from dialeval.ratings.agreement.intervals import Limits, Measured, Raters, Table
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
from dialeval.stats.agreement.coefficients import AGREEMENTS, AgreementName
from dialeval.stats.agreement.kappa import not_categories
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.jackknife import jackknife_error

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


class Values(NamedTuple):
    """Which values raters gave."""

    low: float
    high: float
    different: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
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
    about: Raters = "fixed"
    """Whose agreement intervals are about; those of ICC are about other raters, too, where items are independent."""
    clusters: int | None = None
    """How many dialogues (or items, of several systems' answers) belong together; None where all are independent."""
    design_effect: float | None = None
    """What that does to the variance of alpha."""

    def __str__(self) -> str:
        measured = self.measures.values()
        columns: dict[str, list[object]] = {
            "coefficient": list(self.measures),
            "value": [None if math.isnan(each.value) else each.value for each in measured],
            "low": [each.interval.low if each.interval else None for each in measured],
            "high": [each.interval.high if each.interval else None for each in measured],
            "": [each.estimate.reason or each.no_interval for each in measured],
        }
        return text_table(self._caption(), columns)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._caption()}>"

    def _caption(self) -> str:
        raters, items = count(self.raters, "rater"), count(self.items, "item")
        return f"{self.criterion}: {raters}, {items}, {count(self.ratings, 'rating')}"

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
    raters: Raters = "fixed",
) -> tuple[CriterionAgreement, ...]:
    """How well raters agree on each criterion, in order of first sight; no intervals without resamples.

    Answers to one item, and turns of one dialogue where ids show these, are left out together.
    """
    return tuple(
        _agreement(ratings.criterion_named(name), name, cuts, Limits.asked(resampling, raters))
        for name in ratings.criteria
    )


def with_flags(
    agreements: Sequence[CriterionAgreement], flags: Mapping[str, tuple[Note, ...]]
) -> tuple[CriterionAgreement, ...]:
    """Agreements whose raters also carry these flags, which ratings alone cannot tell; nobody is dropped for them."""
    return tuple(
        replace(
            agreement,
            per_rater=tuple(
                replace(rater, flags=(*rater.flags, *flags.get(rater.rater, ())))
                for rater in agreement.per_rater
            ),
        )
        for agreement in agreements
    )


class _Laid(NamedTuple):
    """The ratings of one criterion as tables."""

    packed: Table
    matrix: Table | None
    kappas: KappaTable | None
    apart: str | None
    """Why there is no table of kappas."""

    @classmethod
    def out(cls, ratings: Ratings, name: str) -> _Laid:
        packed = _packed(ratings, name)
        hidden = incomparable(ratings, len(packed.values))
        if hidden is not None:
            return cls(packed, None, None, hidden)
        matrix, apart = ratings.matrix(name), not_categories(packed.values)
        kappas = None if apart else kappa_table(ratings.raters, matrix)
        return cls(packed, Table(matrix, ratings.units), kappas, apart)


def _packed(ratings: Ratings, name: str) -> Table:
    return Table(ratings.packed(name), ratings.where(~np.isnan(ratings.value)).units)


def _agreement(ratings: Ratings, name: str, cuts: Sequence[Cut], asked: Limits) -> CriterionAgreement:
    said, laid = ~np.isnan(ratings.value), _Laid.out(ratings, name)
    limits = asked.over(ratings.units)
    per_rater = rater_agreements(ratings, laid.kappas)
    measures = _measures(laid, OF_NUMBERS if ratings.nominal else (), limits)
    return CriterionAgreement(
        criterion=name,
        items=len(laid.packed.values),
        raters=len(ratings.raters),
        ratings=int(said.sum()),
        could_not_say=int((~said).sum()),
        complete_items=len(laid.packed.complete.values),
        scale=_scale(ratings.value[said]),
        measures=measures,
        kappas=laid.kappas,
        apart=laid.apart,
        per_rater=() if ratings.anonymous else per_rater,
        classes={
            str(cut): _of_values(_collapsed(ratings, cut, name), OF_CLASSES, limits)
            for cut in dict.fromkeys(cuts)
        },
        warnings=notes_on(
            laid.packed.values, per_rater, measures["percent_agreement"].value, measures["fleiss_kappa"].value
        ),
        about=limits.raters,
        clusters=len(set(limits.labels.values())) or None,
        design_effect=_design_effect(
            laid.packed, limits, "alpha_nominal" if ratings.nominal else "alpha_interval"
        ),
    )


def _collapsed(ratings: Ratings, cut: Cut, name: str) -> _Laid:
    classes = collapse(ratings, cut)
    hidden = incomparable(classes, len(classes.units))
    matrix = None if hidden else Table(classes.matrix(name), classes.units)
    return _Laid(_packed(classes, name), matrix, None, None)


def _design_effect(table: Table, limits: Limits, name: AgreementName) -> float | None:
    together = limits.clusters(table.units)
    if together is None or not limits.resampling.resamples:
        return None
    errors = [
        jackknife_error(AGREEMENTS[name].leave_out(table.values, which).without) for which in (together, None)
    ]
    return finite((errors[0] / errors[1]) ** 2) if errors[1] else None


def _measures(laid: _Laid, unfit: Sequence[AgreementName], limits: Limits) -> dict[Name, Measured]:
    """Every measure; those that are ``unfit`` for names of categories say so."""
    measures = _of_values(laid, [name for name in OF_VALUES if name not in unfit], limits)
    measures |= _of_raters(laid, [name for name in OF_RATERS if name not in unfit], limits)
    return measures | {name: Measured(Estimate.undefined(NOMINAL, 0), None) for name in unfit}


def _of_values(laid: _Laid, names: Sequence[AgreementName], limits: Limits) -> dict[Name, Measured]:
    # Where others are drawn, columns have to be raters; else the smaller table will do.
    named = laid.matrix is not None
    table = laid.matrix if limits.raters == "sampled" and laid.matrix is not None else laid.packed
    measures: dict[Name, Measured] = {name: limits.measured(name, table, named=named) for name in names}
    complete = table.complete
    whole = len(complete.values) == len(table.values)
    measures[COMPLETE] = (
        measures["fleiss_kappa"] if whole else limits.measured("fleiss_kappa", complete, named=named)
    )
    return measures


def _of_raters(laid: _Laid, names: Sequence[AgreementName], limits: Limits) -> dict[Name, Measured]:
    none = Measured(Estimate.undefined(laid.apart or "", 0), None)
    measures: dict[Name, Measured] = {"mean_cohen_kappa": none, **dict.fromkeys(names, none)}
    if laid.matrix is not None:
        measures |= {name: limits.measured(name, laid.matrix) for name in names}
    if laid.matrix is not None and laid.kappas is not None:
        measures["mean_cohen_kappa"] = limits.measured(
            "mean_cohen_kappa", laid.matrix, _mean_kappa(laid.kappas)
        )
    return measures


def _mean_kappa(table: KappaTable) -> Estimate:
    """As ``stats.mean_cohen_kappa``, from the kappas that are there already."""
    kappas = [pair.kappa for pair in table.pairs]
    if not kappas:
        return Estimate.undefined("no two raters share items on which more than one category was chosen", 0)
    return Estimate(float(np.mean(kappas)), len(kappas))


def _scale(values: Floats) -> Values | None:
    return Values(float(values.min()), float(values.max()), len(np.unique(values))) if values.size else None
