"""Agreement as the JSON that ``dialeval annotate agreement --json`` prints (see ``docs/agreement.md``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from dialeval.display.notes import texts
from dialeval.files.documents import finite
from dialeval.ratings.agreement import COMPLETE, CriterionAgreement
from dialeval.ratings.exclusion import Dropped
from dialeval.ratings.raters import KappaTable, RaterAgreement
from dialeval.stats.estimate import Estimate

Json: TypeAlias = dict[str, Any]

ONE_RATER: Final = "there is one rater only"
"""Why nobody is dropped if nobody else is left."""

PATHS: Final[Mapping[str, str]] = {
    "fleiss_kappa": "fleiss_kappa",
    COMPLETE: COMPLETE,
    "alpha_nominal": "krippendorff_alpha.nominal",
    "alpha_ordinal": "krippendorff_alpha.ordinal",
    "alpha_interval": "krippendorff_alpha.interval",
    "percent_agreement": "percent_agreement",
    "mean_cohen_kappa": "mean_cohen_kappa",
    "icc_2_1": "icc",
    "icc_2_k": "icc_k",
}
"""Path of each measure; a dot leads into an object."""


def agreement_json(
    agreements: Sequence[CriterionAgreement], dropped: Sequence[Dropped] | None = None
) -> Json:
    """All criteria by name; undefined values are null, and ``reasons`` says why.

    ``dropped`` is None if dropping was not asked for.
    """
    gone = {drop.criterion: drop for drop in dropped or ()}
    criteria = {agreement.criterion: _criterion(agreement) for agreement in agreements}
    for agreement in agreements if dropped is not None else ():
        content = criteria[agreement.criterion]
        content["dropped"] = _dropped(gone[agreement.criterion]) if agreement.criterion in gone else None
        if content["dropped"] is None:
            content["reasons"]["dropped"] = agreement.apart or ONE_RATER
    return {"criteria": criteria}


def _criterion(agreement: CriterionAgreement) -> Json:
    return {
        **_measures(agreement.measures),
        "items": agreement.items,
        "raters": agreement.raters,
        "ratings": agreement.ratings,
        "could_not_say": agreement.could_not_say,
        "complete_items": agreement.complete_items,
        "scale": None if agreement.scale is None else agreement.scale._asdict(),
        "intervals": _intervals(agreement.measures),
        "reasons": {**_reasons(agreement.measures), **_apart(agreement)},
        "pairs": None if agreement.kappas is None else _pairs(agreement.kappas),
        "per_rater": [_rater(rater) for rater in agreement.per_rater] or None,
        "classes": {
            cut: {
                **_measures(measures),
                "intervals": _intervals(measures),
                "reasons": _reasons(measures),
                "no_interval": _no_intervals(measures),
            }
            for cut, measures in agreement.classes.items()
        },
        "warnings": list(texts(agreement.warnings)),
        "interval_raters": agreement.about,
        "clusters": agreement.clusters,
        "design_effect": agreement.design_effect,
        "no_interval": _no_intervals(agreement.measures),
    }


def _measures(measures: Mapping[str, Estimate]) -> Json:
    out: Json = {}
    for name, path in PATHS.items():
        if name in measures:
            group, _, inside = path.partition(".")
            if inside:
                out.setdefault(group, {})[inside] = measures[name].value
            else:
                out[group] = measures[name].value
    return out


def _intervals(measures: Mapping[str, Estimate]) -> Json:
    return {
        PATHS[name]: list(estimate.bounds)
        for name, estimate in measures.items()
        if estimate.bounds is not None
    }


def _no_intervals(measures: Mapping[str, Estimate]) -> Json:
    return {
        PATHS[name]: estimate.reason
        for name, estimate in measures.items()
        if estimate.value is not None and estimate.reason
    }


def _reasons(measures: Mapping[str, Estimate]) -> Json:
    return {PATHS[name]: estimate.reason for name, estimate in measures.items() if estimate.value is None}


def _apart(agreement: CriterionAgreement) -> Json:
    """Why there are no pairs, and nothing of each rater."""
    names = [
        name for name, there in (("pairs", agreement.kappas), ("per_rater", agreement.per_rater)) if not there
    ]
    return {name: agreement.apart for name in names}


def _pairs(table: KappaTable) -> Json:
    return {
        "count": len(table.pairs),
        "exceeding": {f"{threshold:g}": count for threshold, count in table.exceeding.items()},
        "kappas": [pair._asdict() for pair in table.pairs],
    }


def _rater(rater: RaterAgreement) -> Json:
    return {
        "rater": rater.rater,
        "ratings": rater.ratings,
        "could_not_say": rater.could_not_say,
        "mean": finite(rater.mean),
        "mean_kappa": finite(rater.mean_kappa),
        "others": rater.others,
        "flags": list(texts(rater.flags)),
    }


def _dropped(drop: Dropped) -> Json:
    return {
        "threshold": drop.threshold,
        "rule": drop.rule,
        "raters": [{"rater": gone.rater, "kappa": finite(gone.kappa), "why": gone.why} for gone in drop.who],
        "after": None if drop.after is None else _criterion(drop.after),
    }
