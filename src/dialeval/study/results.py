"""``results.parquet``: one row per item, system and measure, from which every score can be computed again."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dialeval.core import CorpusMeasure, Interval, Missing, Provenance, Resampling, Result, Signature
from dialeval.data import Example
from dialeval.errors import BadInput
from dialeval.evaluation.runner import Plan, evaluate_any
from dialeval.files.atomic import atomic_path
from dialeval.study.measures import Measure, build_measure
from dialeval.study.run import Scored

_LABEL: Final = pa.dictionary(pa.int32(), pa.string())
_SCHEMA: Final = pa.schema(
    [
        ("item", pa.string()),
        ("system", _LABEL),
        ("measure", _LABEL),
        ("rater", _LABEL),
        ("criterion", _LABEL),
        ("value", pa.float64()),
        ("reason", pa.string()),
        ("statistics", pa.list_(pa.float64())),
    ]
)


def write_results(scored: Sequence[Scored], path: Path) -> None:
    """Write every item's value under every measure, in the order of ``scored``; corpus measures have none."""
    with atomic_path(path) as scratch, pq.ParquetWriter(scratch, _SCHEMA) as writer:
        for one in scored:
            if isinstance(one.result, Result):
                writer.write_table(_table(one, one.result))


def _table(one: Scored, result: Result) -> pa.Table:
    n = len(result)
    labels = (one.system, one.measure.label, str(result.signature), result.signature.name)
    unscored = np.zeros(n, dtype=bool)
    unscored[list(result.reasons)] = True
    widths = np.where(unscored, 0, result.rows.shape[1])
    offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    columns = [
        pa.array(result.items, pa.string()),
        *(pa.array([label] * n, _LABEL) for label in labels),
        pa.array(result.values, pa.float64(), mask=unscored),
        pa.array([result.reasons.get(at) for at in range(n)], pa.string()),
        pa.ListArray.from_arrays(offsets, result.rows[~unscored].ravel()),
    ]
    return pa.Table.from_arrays(columns, schema=_SCHEMA)


def read_results(folder: Path, examples: Sequence[Example], resampling: Resampling) -> tuple[Scored, ...]:
    """The results of a run folder, with scores and intervals as its summary has them.

    Corpus measures have no rows to read: they are measured again from the examples.
    """
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    scores = {(row["measure"], row["system"]): row for row in summary["results"]}
    sources = {(row["measure"], row["system"]): row for row in manifest["provenance"]}
    found = {
        key: _scored(folder, *key, rows, scores[key], sources[key], resampling.confidence)
        for key, rows in _groups(folder / "results.parquet")
    }
    for (label, system), score in scores.items():
        measure = _measure(folder, label, score)
        if isinstance(measure.metric, CorpusMeasure):
            subjects = _subjects(system, examples, found)
            source = _provenance(sources[label, system])
            found[label, system] = _measured(measure, measure.metric, subjects, source, resampling)
    return tuple(found[key] for key in scores)


def _subjects(
    system: str, examples: Sequence[Example], found: Mapping[tuple[str, str], Scored]
) -> list[Example | Missing]:
    """What the system said to every item of the run, and the reason where it said nothing."""
    own = {example.item: example for example in examples if example.system == system}
    silent = {example.item: "the system gave no response" for example in examples}
    for one in found.values():
        if one.system == system and isinstance(one.result, Result) and not one.measure.asks:
            silent |= {one.result.items[at]: reason for at, reason in one.result.reasons.items()}
    return [own[item] if item in own else Missing(item, system, reason) for item, reason in silent.items()]


def _measured(
    measure: Measure,
    corpus: CorpusMeasure[Example],
    subjects: Sequence[Example | Missing],
    source: Provenance,
    resampling: Resampling,
) -> Scored:
    result = evaluate_any(corpus, subjects, Plan(resampling=resampling))
    return Scored(measure, subjects[0].system, dataclasses.replace(result, provenance=source))


def _groups(path: Path) -> Iterator[tuple[tuple[str, str], list[dict[str, Any]]]]:
    rows = pq.read_table(path, schema=_SCHEMA).to_pylist()
    for key, group in groupby(rows, key=lambda row: (row["measure"], row["system"])):
        yield key, list(group)


def _scored(
    folder: Path,
    label: str,
    system: str,
    rows: list[dict[str, Any]],
    score: dict[str, Any],
    source: dict[str, Any],
    confidence: float,
) -> Scored:
    measure = _measure(folder, label, score)
    if isinstance(measure.metric, CorpusMeasure):
        raise TypeError(f"{label} measures a corpus and can have no rows")
    width = max((len(row["statistics"]) for row in rows), default=0)
    blank = [float("nan")] * width
    result = Result(
        metric=measure.metric,
        items=tuple(row["item"] for row in rows),
        systems=tuple(row["system"] for row in rows),
        rows=np.array([row["statistics"] or blank for row in rows], dtype=np.float64).reshape(-1, width),
        values=np.array([row["value"] if row["value"] is not None else np.nan for row in rows]),
        score=_or_nan(score["score"]),
        interval=Interval(score["low"], score["high"], confidence) if score["low"] is not None else None,
        provenance=_provenance(source),
        reasons={at: row["reason"] for at, row in enumerate(rows) if row["value"] is None},
    )
    return Scored(measure, system, result)


def _measure(folder: Path, label: str, score: dict[str, Any]) -> Measure:
    measure = build_measure(label)
    if str(measure.metric.signature) != score["signature"]:
        raise BadInput(
            path=str(folder / "summary.json"),
            field=f"results.{label}.signature",
            found=score["signature"],
            needed=str(measure.metric.signature),
            todo="The run was made with another version of this measure: run the study again to compare it.",
        )
    return measure


def _provenance(source: dict[str, Any]) -> Provenance:
    return Provenance(
        signature=Signature.parse(source["signature"]),
        data=source["data"],
        package=source["package"],
        seed=source["seed"],
        resamples=source["trials"],
        resources=tuple(sorted(source["resources"].items())),
    )


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value
