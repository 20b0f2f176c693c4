"""Agreement as the JSON that ``dialeval annotate agreement --json`` prints (see ``docs/agreement.md``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from dialeval.display.notes import texts
from dialeval.files.documents import finite
from dialeval.ratings.agreement.coefficients import COMPLETE, CriterionAgreement, Measured
from dialeval.ratings.agreement.dropping import Dropped
from dialeval.ratings.agreement.raters import KappaTable, RaterAgreement

Json: TypeAlias = dict[str, Any]

ONE_RATER: Final = "there is one rater only"
"""Why nobody is dropped where nobody else is left."""

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
"""Where each measure stands; a dot leads into an object."""


def agreement_json(
    agreements: Sequence[CriterionAgreement], dropped: Sequence[Dropped] | None = None
) -> Json:
    """All criteria by name; undefined values are null, and ``reasons`` says why.

    ``dropped`` is None where nobody asked whom to drop.
    """
    gone = {one.criterion: one for one in dropped or ()}
    criteria = {one.criterion: _criterion(one) for one in agreements}
    for one in agreements if dropped is not None else ():
        found = criteria[one.criterion]
        found["dropped"] = _dropped(gone[one.criterion]) if one.criterion in gone else None
        if found["dropped"] is None:
            found["reasons"]["dropped"] = one.apart or ONE_RATER
    return {"criteria": criteria}


def _criterion(one: CriterionAgreement) -> Json:
    return {
        **_measures(one.measures),
        "items": one.items,
        "raters": one.raters,
        "ratings": one.ratings,
        "could_not_say": one.could_not_say,
        "complete_items": one.complete_items,
        "scale": None if one.scale is None else one.scale._asdict(),
        "intervals": _intervals(one.measures),
        "reasons": {**_reasons(one.measures), **_apart(one)},
        "pairs": None if one.kappas is None else _pairs(one.kappas),
        "per_rater": [_rater(rater) for rater in one.per_rater] or None,
        "classes": {
            cut: {**_measures(found), "intervals": _intervals(found), "reasons": _reasons(found)}
            for cut, found in one.classes.items()
        },
        "warnings": list(texts(one.warnings)),
    }


def _measures(measures: Mapping[str, Measured]) -> Json:
    out: Json = {}
    for name, path in PATHS.items():
        if name in measures:
            group, _, inside = path.partition(".")
            if inside:
                out.setdefault(group, {})[inside] = finite(measures[name].value)
            else:
                out[group] = finite(measures[name].value)
    return out


def _intervals(measures: Mapping[str, Measured]) -> Json:
    return {
        PATHS[name]: [one.interval.low, one.interval.high]
        for name, one in measures.items()
        if one.interval is not None
    }


def _reasons(measures: Mapping[str, Measured]) -> Json:
    return {PATHS[name]: one.estimate.reason for name, one in measures.items() if not one.estimate.defined}


def _apart(one: CriterionAgreement) -> Json:
    """Why there are no pairs, and nothing of each rater."""
    names = [name for name, there in (("pairs", one.kappas), ("per_rater", one.per_rater)) if not there]
    return {name: one.apart for name in names}


def _pairs(table: KappaTable) -> Json:
    return {
        "count": len(table.pairs),
        "exceeding": {f"{threshold:g}": count for threshold, count in table.exceeding.items()},
        "kappas": [pair._asdict() for pair in table.pairs],
    }


def _rater(one: RaterAgreement) -> Json:
    return {
        "rater": one.rater,
        "ratings": one.ratings,
        "could_not_say": one.could_not_say,
        "mean": finite(one.mean),
        "mean_kappa": finite(one.mean_kappa),
        "others": one.others,
        "flags": list(texts(one.flags)),
    }


def _dropped(one: Dropped) -> Json:
    return {
        "threshold": one.threshold,
        "rule": one.rule,
        "raters": [{"rater": gone.rater, "kappa": finite(gone.kappa), "why": gone.why} for gone in one.who],
        "after": None if one.after is None else _criterion(one.after),
    }
