"""``summary.json``: scores, intervals, comparisons, gates and failures as plain JSON (docs/files.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from dialeval.core import CorpusMeasure, Missing, Subject, System
from dialeval.files.documents import as_json
from dialeval.selection.measure import selection_info
from dialeval.study.gates import GateOutcome
from dialeval.study.measures import summary_of
from dialeval.study.run import Run, Scored

Json: TypeAlias = dict[str, Any]


def summarise(run: Run) -> Json:
    """The content of ``summary.json``."""
    study = run.study
    return {
        "format": 1,
        "study": study.name,
        "seed": study.resampling.seed,
        "items": len(run.prompts),
        "trials": study.resampling.resamples,
        "level": study.resampling.confidence,
        "cluster": study.resampling.cluster_name,
        "systems": [
            {"name": system.name, "kind": kind, "signature": _signature(system, run)}
            for system, kind in zip(study.systems, study.kinds, strict=True)
        ],
        "measures": [
            {
                "measure": measure.label,
                "name": measure.metric.signature.name,
                "signature": str(measure.metric.signature),
                "higher_is_better": measure.metric.higher_is_better,
                "per_item": not isinstance(measure.metric, CorpusMeasure),
                "summary": summary_of(measure),
            }
            for measure in study.measures
        ],
        "results": [_result(one) for one in run.scored],
        "comparisons": as_json(run.compared),
        "gates": [_gate(outcome) for outcome in run.gates],
        "failures": [{"system": f.system, "measure": f.measure, "message": f.message} for f in run.failures],
        "human": _human(run),
        "selection": [
            as_json(found)
            for measure in study.measures
            if (found := selection_info(measure.label, _subjects(run, measure.label), study.resampling))
        ],
    }


def _signature(system: System, run: Run) -> str | None:
    """All that could move its responses; None of a system that failed and cannot even say that."""
    try:
        return str(system.signature)
    except Exception:  # foreign code, which has failed before: the others' scores must still be written
        if any(failure.system == system.name for failure in run.failures):
            return None
        raise


def _subjects(run: Run, label: str) -> dict[str, Sequence[Subject | Missing]]:
    return {one.system: one.subjects for one in run.scored if one.measure.label == label}


def _human(run: Run) -> Json | None:
    """How the measures agree with people, in the layout of ``meta.json``; null without ratings that join."""
    if run.agreement is None:
        return None
    content: Json = as_json(run.agreement.document)
    return content


def _result(one: Scored) -> Json:
    result = one.result
    return {
        "system": one.system,
        "measure": one.measure.label,
        "signature": str(result.signature),
        "score": number(result.score),
        "low": number(result.interval.low) if result.interval else None,
        "high": number(result.interval.high) if result.interval else None,
        "n": result.scored,
        "unscored": len(result) - result.scored,
    }


def _gate(outcome: GateOutcome) -> Json:
    return {
        "gate": str(outcome.gate),
        "system": outcome.system,
        "measure": outcome.gate.measure,
        "score": number(outcome.score),
        "passed": outcome.passed,
    }


def number(value: float | None) -> float | None:
    """The value as JSON can hold it: undefined and infinite become null."""
    return value if value is not None and math.isfinite(value) else None
