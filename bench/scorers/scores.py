"""Per-item values of metrics on rated sets, kept on disk so that nothing is scored twice."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from bench.scorers.sets import Judged, RatedSet
from dialeval.core import Floats, Metric
from dialeval.data import Example, Response, digest
from dialeval.selfeval.subjects import exchanges_of

FOLDER: Final = Path.home() / ".cache" / "dialeval" / "scorers"
AT_ONCE: Final = 32
Scorer: TypeAlias = Metric[Any]


def scores_of(metric: Scorer, rated: RatedSet, folder: Path = FOLDER) -> Floats:
    """The value of each subject, NaN where it has none; what was scored before, also by a run cut short, is read.

    One file per set and signature, ``<set>/<name>-<hash>.jsonl``, a line per subject with the digest of its text.
    """
    path = file_of(metric, rated.name, folder)
    known = dict(_read(path))
    digests = [digest([subject]) for subject in rated.subjects]
    todo = [(subject, key) for subject, key in zip(rated.subjects, digests, strict=True) if key not in known]
    path.parent.mkdir(parents=True, exist_ok=True)
    for start in range(0, len(todo), AT_ONCE):
        batch = todo[start : start + AT_ONCE]
        values = _values(metric, [subject for subject, _ in batch])
        with path.open("a", encoding="utf-8") as file:
            for (subject, key), value in zip(batch, values, strict=True):
                known[key] = value
                file.write(_line(metric, subject, key, value))
        if sys.stderr.isatty():
            print(f"{metric.signature.name} {rated.name} {start + len(batch)}/{len(todo)}", file=sys.stderr)
    return np.array([known[key] for key in digests])


def file_of(metric: Scorer, name: str, folder: Path = FOLDER) -> Path:
    """Where the values of that metric on the set of that name are kept."""
    signature = metric.signature
    mark = hashlib.sha256(str(signature).encode()).hexdigest()[:12]
    return folder / name / f"{signature.name}-{mark}.jsonl"


def _read(path: Path) -> Iterator[tuple[str, float]]:
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield row["digest"], float("nan") if row["value"] is None else row["value"]


def _line(metric: Scorer, subject: Judged, key: str, value: float) -> str:
    row = {
        "item": subject.item,
        "system": subject.system,
        "rater": str(metric.signature),
        "criterion": metric.signature.name,
        "value": None if np.isnan(value) else value,
        "digest": key,
    }
    return json.dumps(row) + "\n"


def _values(metric: Scorer, subjects: list[Judged]) -> Floats:
    if _of_responses(metric):
        return np.array([_mean_over_exchanges(metric, subject) for subject in subjects])
    values = np.full(len(subjects), np.nan)
    scorable = [index for index, subject in enumerate(subjects) if metric.unscorable(subject) is None]
    if scorable:
        values[scorable] = metric.aggregate(metric.statistics([subjects[index] for index in scorable]))
    return values


def _of_responses(metric: Scorer) -> bool:
    """Whether it knows examples alone, as the metrics of single responses do."""
    return type(metric).__module__.startswith("dialeval.metrics.")


def _mean_over_exchanges(metric: Scorer, subject: Judged) -> float:
    examples = [
        Example(subject.item, subject.system, exchange.context, Response(exchange.response))
        for exchange in exchanges_of(subject)
    ]
    known = [example for example in examples if metric.unscorable(example) is None]
    return float(metric.aggregate(metric.statistics(known)).mean()) if known else float("nan")
