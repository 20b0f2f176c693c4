"""The items that systems are ranked on, where some systems have no value for some items."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np

from dialeval.core import (
    Floats,
    Missing,
    Resampling,
    Result,
)
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare.pairs import are_aligned, places_of_values
from dialeval.evaluation.measure import Measure, Subjects
from dialeval.evaluation.runner import Plan, Tally, evaluate
from dialeval.evaluation.runs import MeanOverRuns, Repetition, why_absent
from dialeval.evaluation.silence import SilenceRule, rows_of_absent
from dialeval.study.document import MissingRule

NOT_SHARED: Final = "another system has no value for it"


class Measurement(NamedTuple):
    """One system's result, and what was measured."""

    result: Result
    subjects: Subjects = ()


def silence_of(rule: MissingRule) -> SilenceRule:
    """Return what an unanswered item counts as under the rule for missing values."""
    return "worst" if rule in ("auto", "worst") else "unscored"


def why_no_worst(measure: Measure) -> str | None:
    """Why no value can stand for a missing one under this measure, or None.

    A measure without a better direction ranks nobody, so none has to.
    """
    metric = measure.metric
    if metric.higher_is_better is None:
        return None
    if not metric.per_item:
        return f"{measure.label} measures all responses together, so that a missing one has no per-item value"
    if not math.isfinite(metric.worst):
        return f"{measure.label} has no bound, so that no value is the worst"
    return None


def on_ranked_items(
    measured: Sequence[Measurement], rule: MissingRule, resampling: Resampling
) -> list[Result]:
    """The results of several systems under one measure, each on the items that the systems are ranked on.

    Systems that have no value at all are not compared, so they take no item from the others. Systems that were not
    asked one item in common, as of a file of dialogues with ids of their own, keep their own items unless the study
    says otherwise.
    """
    if measured and are_aligned([system.result for system in measured]):
        return [system.result for system in measured]
    valued = [places_of_values(system.result).keys() for system in measured]
    compared = [items for items in valued if items]
    if rule == "own" or len(compared) < 2:
        return [system.result for system in measured]
    first = measured[0].result
    if rule == "worst" and first.per_item and first.metric.higher_is_better is not None:
        wanted = set(chain(*compared))
        asked = {
            subject.item: subject.answers[0] if isinstance(subject, Repetition) else subject
            for system in measured
            for subject in system.subjects
            if not isinstance(subject, Missing)
        }
        return [
            _filled(system.result, _own_or_asked(system, wanted - items, asked), resampling)
            if items
            else system.result
            for system, items in zip(measured, valued, strict=True)
        ]
    shared = set(compared[0]).intersection(*compared[1:])
    if rule == "auto" and not set(first.items).intersection(*(system.result.items for system in measured)):
        return [system.result for system in measured]
    return [
        _limited(system.result, shared, resampling) if items > shared else system.result
        for system, items in zip(measured, valued, strict=True)
    ]


def _own_or_asked(system: Measurement, items: Collection[str], asked: Mapping[str, Any]) -> list[Any]:
    """The system's answers in several runs to each of the items, of which some may be there; else what was asked."""
    own = {subject.item: subject for subject in system.subjects if isinstance(subject, Repetition)}
    return [own.get(item) or asked[item] for item in items]


def _limited(result: Result, items: Collection[str], resampling: Resampling) -> Result:
    """The result on these items alone."""
    left_out = {index: NOT_SHARED for index, item in enumerate(result.items) if item not in items}
    reasons = {**left_out, **result.reasons}
    if result.per_item:
        return _rescored(result, result.rows, reasons, resampling)
    subjects = {subject.item: subject for subject in result.subjects if subject.item in items}
    given = [
        subjects.get(item) or Missing(item, system, reasons[index])
        for index, (item, system) in enumerate(zip(result.items, result.systems, strict=True))
    ]
    again = evaluate(result.metric, given, Plan(resampling=resampling, silence="unscored"))
    return dataclasses.replace(
        again, provenance=result.provenance, unanswered=result.unanswered, uncounted=result.uncounted
    )


def _filled(result: Result, missing: Sequence[Any], resampling: Resampling) -> Result:
    """The result with the worst value for each of these subjects, which other systems have a value for."""
    if not missing:
        return result
    places = {item: index for index, item in enumerate(result.items)}
    filled = {places[subject.item]: subject for subject in missing}
    rows = result.rows.copy()
    for place, row in _worst_rows(result, filled).items():
        rows[place] = row
    reasons = {index: reason for index, reason in result.reasons.items() if index not in filled}
    return _rescored(result, rows, reasons, resampling)


def _worst_rows(result: Result, missing: Mapping[int, Any]) -> Mapping[int, Floats]:
    """Statistics that give the worst value: of means the value itself, of pooled counts those of an empty response."""
    metric, worst = result.metric, result.metric.worst
    judge = metric.metric if isinstance(metric, MeanOverRuns) else metric
    known = np.delete(result.rows, list(result.reasons), axis=0)
    rows = rows_of_absent(
        metric, known, missing, worst, lambda answer: bool(why_absent(answer) or judge.unscorable(answer))
    )
    if len(rows) < len(missing):
        raise Unsuitable(
            f"Under {metric.signature.call} an empty response does not score {worst:g}, so that it cannot stand for a "
            "missing one. Use 'missing: shared'."
        )
    return rows


def _rescored(result: Result, rows: Floats, reasons: Mapping[int, str], resampling: Resampling) -> Result:
    """The result with other statistics for some of its subjects, or with fewer of them, as these ``reasons`` say."""
    packed = not isinstance(result.items, tuple)
    tally: Tally[Any] = Tally(result.metric, Plan(resampling=resampling, packed=packed))
    tally.enter_rows(result, rows, reasons)
    return dataclasses.replace(
        tally.result(),
        provenance=result.provenance,
        unanswered=result.unanswered,
        filled=result.filled,
        uncounted=result.uncounted,
    )
