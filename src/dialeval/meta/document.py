"""Findings as the JSON of ``meta.json`` and of ``summary.json``'s ``human`` (docs/files.md)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np

from dialeval.meta.estimation.estimating import Estimates
from dialeval.meta.estimation.standing_in import AVERAGE
from dialeval.meta.examine import Findings, Spread
from dialeval.meta.instances.instances import InstanceValidation
from dialeval.meta.planning.curves import PowerCurve
from dialeval.meta.planning.plans import Plan
from dialeval.ratings.joined import Joined
from dialeval.stats.correlation.levels import Level, level_correlation
from dialeval.stats.resampling.prediction_powered import PPIEstimate
from dialeval.version import __version__

Json: TypeAlias = dict[str, Any]

MOST_UNJOINED: Final = 20
"""How many cells of unknown items and systems are listed; ``unjoined.jsonl`` has them all."""


def document(findings: Findings, sources: Mapping[str, str | None] | None = None) -> Json:
    """The findings as plain JSON, undefined numbers as null; ``sources`` are files and their digests."""
    inquiry, joined = findings.inquiry, findings.joined
    content: Json = {
        "format": 1,
        "rows": list(_rows(findings)),
        "human": _human(findings),
        "ceiling": findings.ceiling,
        "raters": findings.raters,
        "rivals": findings.rivals,
        "correlations": [_matrix(findings, level) for level in inquiry.levels],
        "instability": [_instability(one) for one in findings.instability],
        "means": list(_means(joined)),
        "combined": list(_combined(findings)),
        "estimates": [] if findings.estimates is None else [_estimates(findings.estimates)],
        "instances": [_instances(one) for one in findings.instances],
        "planning": [_planned(one) for one in findings.plans],
        "unjoined": _unjoined(joined),
        "notes": findings.notes,
        "settings": {
            "coefficient": inquiry.coefficient,
            "levels": inquiry.levels,
            "resample": inquiry.resample,
            "cluster": inquiry.cluster,
            "trials": inquiry.trials,
            "repeats": inquiry.repeats,
            "seed": inquiry.seed,
            "level": inquiry.level,
            "lower_is_better": findings.lower_is_better,
            "package": __version__,
            "sources": [{"path": path, "sha256": digest} for path, digest in (sources or {}).items()],
        },
    }
    plain: Json = _plain(content)
    return plain


def _rows(findings: Findings) -> Iterator[Json]:
    """The rows, with accuracies over pairs at the levels that compare systems."""
    accuracy = {one.measure: one for one in findings.accuracies}
    for row in findings.rows:
        more: Json = {}
        found = accuracy[row.measure]
        if row.level == "system":
            more = {"pairwise_accuracy": found.pairwise, "soft_pairwise_accuracy": found.soft}
        elif row.level == "system_within_item":
            more = {"acc_eq": found.tied, "tie_epsilon": found.epsilon}
        yield {**_plain(row), **more}


def _human(findings: Findings) -> Json:
    joined = findings.joined
    rated = ~np.isnan(joined.human.values)
    return {
        "criterion": joined.criterion,
        "raters": len(joined.rater_names),
        "ratings": joined.counts.ratings,
        "could_not_say": joined.counts.could_not_say,
        "repeated": joined.counts.repeated,
        "cells": int(rated.sum()),
        "items": int(rated.any(axis=0).sum()),
        "systems": int(rated.any(axis=1).sum()),
        "set_aside": joined.counts.set_aside,
        "system_identity": findings.identity.value,
        "system_identity_reason": findings.identity.reason,
    }


def _matrix(findings: Findings, level: Level) -> Json:
    """Correlations of people and all measures with one another."""
    grids = [findings.joined.human.values, *(measure.values for measure in findings.joined.measures)]
    kind = findings.inquiry.coefficient
    values = np.full((len(grids), len(grids)), np.nan)
    for a, one in enumerate(grids):
        for b in range(a, len(grids)):
            values[a, b] = values[b, a] = level_correlation(one, grids[b], kind=kind, level=level).value
    names = ["human", *(measure.name for measure in findings.joined.measures)]
    return {"level": level, "coefficient": kind, "names": names, "values": values.tolist()}


def _instability(spread: Spread) -> Json:
    small = spread.small
    return {
        "measure": small.measure,
        "coefficient": small.coefficient,
        "size": small.size,
        "trials": len(small.values) + small.undefined,
        "undefined": small.undefined,
        "five": small.summary,
        "whole": spread.whole,
    }


def _means(joined: Joined) -> Iterator[Json]:
    """Each system's means over the cells that people and a measure both have."""
    human = joined.human.values
    for measure in joined.measures:
        both = ~np.isnan(human) & ~np.isnan(measure.values)
        for at, system in enumerate(joined.systems):
            if n := int(both[at].sum()):
                own, theirs = measure.values[at, both[at]].mean(), human[at, both[at]].mean()
                yield {"measure": measure.name, "system": system, "human": theirs, "value": own, "n": n}


def _combined(findings: Findings) -> Iterator[Json]:
    names = {measure.name for measure in findings.joined.measures}
    made = {AVERAGE} | ({findings.combination.measure.name} if findings.combination else set())
    plain = [measure.name for measure in findings.joined.measures if measure.name not in made]
    if findings.inquiry.combine and AVERAGE in names:
        signs = {name: -1 if name in findings.lower_is_better else 1 for name in plain}
        weights = {name: sign / len(plain) for name, sign in signs.items()}
        yield {"measure": AVERAGE, "fitted": False, "weights": weights}
    if findings.combination is not None:
        weights = {one.measure: one.weight for one in findings.combination.weights}
        held_out = dict(findings.combination.signature.facts)["held_out"]
        name = findings.combination.measure.name
        yield {"measure": name, "fitted": True, "weights": weights, "held_out": held_out}


def _estimates(found: Estimates) -> Json:
    return {
        "measure": found.measure,
        "rater": found.rater,
        "criterion": found.criterion,
        "level": found.level,
        "note": found.note,
        "systems": [
            {"system": one.system, **_ppi(one.estimate), "p_shift": one.p_shift, "warnings": one.warnings}
            for one in found.systems
        ],
        "differences": [
            {
                "a": one.a,
                "b": one.b,
                **_ppi(one.estimate),
                "paired": one.paired,
                "p": one.estimate.p,
                "p_adjusted": one.p_adjusted,
                "higher": one.better,
                "warnings": one.warnings,
            }
            for one in found.differences
        ],
    }


def _ppi(one: PPIEstimate) -> Json:
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "error": one.error,
        "tuning": one.tuning,
        "n": one.n,
        "n_unrated": one.n_unrated,
        "effective_n": one.effective_n,
        "classical": one.classical,
        "reason": one.reason,
    }


def _instances(found: InstanceValidation) -> Json:
    counts = {
        "tested": found.tested,
        "significant": found.significant,
        "significant_adjusted": found.significant_adjusted,
    }
    fields: Json = _plain(found)
    return {**fields, **counts}


def _planned(plan: Plan) -> Json:
    """The answer and its curve; ``goal`` says what is enough, and ``enough`` is null where no size looked at is."""
    said: Json = {"question": plan.question, "over": plan.over, "reason": plan.reason}
    curve = plan.curve
    if curve is None:
        return {**said, "goal": None, "target": None, "at_hand": None, "enough": None, "points": []}
    goal = "power" if isinstance(curve, PowerCurve) else "width"
    return {**_plain(curve), **said, "goal": goal, "enough": curve.enough}


def _unjoined(joined: Joined) -> Json:
    apart = joined.apart
    return {
        "human": int(apart.human.sum()),
        "measures": joined.coverage,
        "unknown": int(apart.strange.sum()),
        "not_rated": int((apart.measures & ~apart.strange).sum()),
        "not_scored": int((apart.human & ~apart.strange).sum()),
        "first": list(islice(joined.strangers(), MOST_UNJOINED)),
    }


def _plain(value: Any) -> Any:
    """The value as JSON can hold it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
