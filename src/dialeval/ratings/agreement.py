"""Agreement of raters by criterion: every coefficient with its interval, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.data.framed import text_table
from dialeval.display.notes import Note, codes
from dialeval.display.wording import count, first_few
from dialeval.files.documents import finite
from dialeval.ratings.raters import (
    ALONE,
    KappaTable,
    RaterAgreement,
    incomparable,
    kappa_table,
    rater_agreements,
)
from dialeval.ratings.scale import Cut, collapse
from dialeval.ratings.table import Ratings, Unit
from dialeval.stats.agreement.coefficients import AGREEMENTS, FEWEST, Absence, AgreementName, agreement_limits
from dialeval.stats.agreement.kappa import not_categories
from dialeval.stats.estimate import Estimate, Statistic
from dialeval.stats.resampling.jackknife import jackknife_error

OF_SAMPLED: Final[tuple[AgreementName, ...]] = ("icc_2_1", "icc_2_k")
"""Measures that are about raters like these by their definition."""
Raters: TypeAlias = Literal["fixed", "sampled"]
"""Whose agreement on other items intervals are about: that of these raters, or of others like them, too."""
NO_INTERVAL: Final[Mapping[Absence, str]] = {
    "undefined": "the coefficient is undefined without one of the items or raters",
    "few-units": f"there are fewer than {FEWEST} items or dialogues that count",
    "few-raters": "two raters leave nobody to compare with when one is left out",
    "constant": "the coefficient is the same whichever item is left out",
    "unseen": "it depends on a category that raters have not agreed on yet",
}
"""Why there is no interval, in words."""
NOT_NAMED: Final = "raters are not named, so other raters cannot be sampled"


class Limits(NamedTuple):
    """Settings of intervals."""

    resampling: Resampling
    raters: Raters
    labels: Mapping[Unit, int]
    """Units that belong together; empty if all units are independent."""

    @classmethod
    def asked(cls, resampling: Resampling, raters: Raters) -> Limits:
        """Before it is known of which units."""
        return cls(resampling, raters, {})

    def over(self, units: Sequence[Unit]) -> Limits:
        """Return the table of these units alone."""
        if self.resampling.cluster == "none":
            return self
        items = list(dict.fromkeys(unit.item for unit in units))
        together = self.resampling.clusters(items)
        codes = range(len(items)) if together is None else together.tolist()
        of_item = dict(zip(items, codes, strict=True))
        labels = {unit: of_item[unit.item] for unit in units}
        return self if len(set(labels.values())) == len(units) else self._replace(labels=labels)

    def clusters(self, units: Sequence[Unit]) -> Integers | None:
        """Which of the units belong together; None if all are independent."""
        return np.array([self.labels[unit] for unit in units], dtype=np.int64) if self.labels else None

    def measured(
        self, name: AgreementName, laid: Table, value: Statistic | None = None, *, named: bool = True
    ) -> Estimate:
        """The measure of a table, whose columns are raters if ``named``."""
        value = AGREEMENTS[name].estimate(laid.values) if value is None else value
        if not value.defined or not self.resampling.resamples:
            return value.estimate()
        together = self.clusters(laid.units)
        sampled = self.raters == "sampled" or (name in OF_SAMPLED and together is None)
        if sampled and not named:
            return value.estimate(reason=NOT_NAMED)
        bounds, absence = agreement_limits(
            name,
            laid.values,
            raters="like-these" if sampled else "these",
            confidence=self.resampling.confidence,
            clusters=together,
        )
        return value.estimate(bounds, None if absence is None else NO_INTERVAL[absence])


class Table(NamedTuple):
    """Ratings laid out, and what its lines are."""

    values: Floats
    """Shape (units, raters), or (units, most ratings of a unit)."""
    units: tuple[Unit, ...]

    @property
    def complete(self) -> Table:
        """The units that have as many values as any has."""
        if not self.values.shape[1]:
            return self
        whole = (~np.isnan(self.values)).sum(axis=1)
        kept = whole == whole.max(initial=0)
        return Table(
            self.values[kept], tuple(unit for unit, keep in zip(self.units, kept, strict=True) if keep)
        )


FEW_RATERS: Final = 3
FEW_ITEMS: Final = 10
SKEWED: Final = 0.8
"""From this share on, one category leaves kappa little to work with."""


def notes_on(
    values: Floats, raters: Sequence[RaterAgreement], percent: float, kappa: float
) -> tuple[Note, ...]:
    """The notes on one criterion, from its packed values and its raters."""
    given = values[~np.isnan(values)]
    if not given.size:
        return (Note("no_value", "there are no values"),)
    return (*_few(values, raters), *_alone(raters), *_skewed(given, percent, kappa))


def _few(values: Floats, raters: Sequence[RaterAgreement]) -> Iterator[Note]:
    if len(raters) == 1:
        yield Note("one_rater", f"there is only one rater, {raters[0].rater}: agreement requires two")
    elif len(raters) < FEW_RATERS:
        text = f"there are only {len(raters)} raters: a single unusual rater would change every number"
        yield Note("few_raters", text)
    single = int(((~np.isnan(values)).sum(axis=1) < 2).sum())
    if single and len(raters) > 1:
        text = (
            f"{single:,} of {len(values):,} items have fewer than two ratings and do not count for agreement"
        )
        yield Note("rated_once", text)
    if len(raters) > 1 and 0 < len(values) - single < FEW_ITEMS:
        items = f"only {len(values) - single} items have two ratings or more"
        yield Note("few_items", f"{items}: intervals over so few are unreliable")


def _alone(raters: Sequence[RaterAgreement]) -> Iterator[Note]:
    alone = [rater.rater for rater in raters if ALONE in codes(rater.flags)]
    if alone:
        share = "share" if len(alone) > 1 else "shares"
        yield Note("alone", f"{first_few(alone, most=5)} {share} no item with another rater")


def _skewed(given: Floats, percent: float, kappa: float) -> Iterator[Note]:
    different, counts = np.unique(given, return_counts=True)
    if len(different) == 1:
        text = f"only one value is used ({different[0]:g}): agreement beyond chance is undefined"
        yield Note("one_value", text)
    elif percent >= SKEWED > kappa and counts.max() / counts.sum() >= SKEWED:
        share = 100 * counts.max() / counts.sum()
        text = (
            f"{share:.0f} % of the ratings are {different[counts.argmax()]:g}, so chance agreement is high and kappa"
            f" is low although {100 * percent:.0f} % of pairs agree"
        )
        yield Note("skewed", text)


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
"""Why ``OF_NUMBERS`` are undefined if they are."""
COMPLETE: Final = "fleiss_kappa_complete"
Name: TypeAlias = str
"""One of ``stats.AGREEMENTS``, or ``COMPLETE``."""


class Values(NamedTuple):
    """Which values raters gave."""

    lowest: float
    highest: float
    different: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CriterionAgreement:
    """Agreement of the raters of one criterion; a unit is one system's answer to one item."""

    criterion: str
    items: int
    """Number of units that have at least one value."""
    raters: int
    """If they are anonymous, how many ratings a unit has at most."""
    ratings: int
    """Number of values that were given."""
    could_not_say: int
    """Number of times that a rater gave no value."""
    complete_items: int
    """Number of units that have as many values as any has: those of ``fleiss_kappa_complete``."""
    scale: Values | None
    """None if no value was given."""
    measures: Mapping[Name, Estimate]
    """By the names of ``stats.AGREEMENTS``, and ``fleiss_kappa_complete``."""
    kappas: KappaTable | None
    """Every two raters; None if there is a reason in ``apart``."""
    apart: str | None
    """Why none is compared with another: no categories, too large a table, or raters whom nobody names."""
    per_rater: tuple[RaterAgreement, ...]
    """Counts and agreement of each rater; empty if raters are anonymous."""
    classes: Mapping[str, Mapping[Name, Estimate]]
    """The measures of categories again, for ratings in two classes, by the cut as it is written (``>3``)."""
    warnings: tuple[Note, ...]
    about: Raters = "fixed"
    """Whose agreement intervals are about; those of ICC are about other raters, too, if items are independent."""
    clusters: int | None = None
    """Number of dialogues (or items, of several systems' answers) that belong together; None if all are independent."""
    design_effect: float | None = None
    """Its effect on the variance of alpha."""

    def __str__(self) -> str:
        found = self.measures.values()
        columns: dict[str, list[object]] = {
            "coefficient": list(self.measures),
            "value": [each.value for each in found],
            "low": [each.low for each in found],
            "high": [each.high for each in found],
            "": [each.reason for each in found],
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
        return self.measures["fleiss_kappa"]

    @property
    def fleiss_kappa_complete(self) -> Estimate:
        """Fleiss' kappa over the units that have as many values as any has."""
        return self.measures[COMPLETE]

    @property
    def krippendorff_alpha(self) -> Mapping[str, Estimate]:
        """Alpha on a nominal, ordinal and interval scale."""
        return {level: self.measures[f"alpha_{level}"] for level in ("nominal", "ordinal", "interval")}


def agreement_of(
    ratings: Ratings,
    *,
    cuts: Sequence[Cut] = (),
    resampling: Resampling = DEFAULT_RESAMPLING,
    raters: Raters = "fixed",
) -> tuple[CriterionAgreement, ...]:
    """Compute the agreement of raters on each criterion, in order of first sight; no intervals without resamples.

    Answers to one item, and turns of one dialogue if ids show these, are left out together.
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
            laid.packed.values,
            per_rater,
            measures["percent_agreement"].number,
            measures["fleiss_kappa"].number,
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


def _measures(laid: _Laid, unfit: Sequence[AgreementName], limits: Limits) -> dict[Name, Estimate]:
    """Every measure; those that are ``unfit`` for names of categories say so."""
    measures = _of_values(laid, [name for name in OF_VALUES if name not in unfit], limits)
    measures |= _of_raters(laid, [name for name in OF_RATERS if name not in unfit], limits)
    return measures | {name: Estimate.undefined(NOMINAL) for name in unfit}


def _of_values(laid: _Laid, names: Sequence[AgreementName], limits: Limits) -> dict[Name, Estimate]:
    # Where others are drawn, columns have to be raters; else the smaller table will do.
    named = laid.matrix is not None
    table = laid.matrix if limits.raters == "sampled" and laid.matrix is not None else laid.packed
    measures: dict[Name, Estimate] = {name: limits.measured(name, table, named=named) for name in names}
    complete = table.complete
    whole = len(complete.values) == len(table.values)
    measures[COMPLETE] = (
        measures["fleiss_kappa"] if whole else limits.measured("fleiss_kappa", complete, named=named)
    )
    return measures


def _of_raters(laid: _Laid, names: Sequence[AgreementName], limits: Limits) -> dict[Name, Estimate]:
    none = Estimate.undefined(laid.apart or "")
    measures: dict[Name, Estimate] = {"mean_cohen_kappa": none, **dict.fromkeys(names, none)}
    if laid.matrix is not None:
        measures |= {name: limits.measured(name, laid.matrix) for name in names}
    if laid.matrix is not None and laid.kappas is not None:
        measures["mean_cohen_kappa"] = limits.measured(
            "mean_cohen_kappa", laid.matrix, _mean_kappa(laid.kappas)
        )
    return measures


def _mean_kappa(table: KappaTable) -> Statistic:
    """As ``stats.mean_cohen_kappa``, from the kappas that are there already."""
    kappas = [pair.kappa for pair in table.pairs]
    if not kappas:
        return Statistic.undefined("no two raters share items on which more than one category was chosen", 0)
    return Statistic(float(np.mean(kappas)), len(kappas))


def _scale(values: Floats) -> Values | None:
    return Values(float(values.min()), float(values.max()), len(np.unique(values))) if values.size else None
