"""Verdicts of the judges of a run, with their reasons and whole replies: ``verdicts.jsonl`` in its folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from dialeval.core import Missing
from dialeval.data import Judgement, read, write
from dialeval.evaluation.runs import Repetition
from dialeval.study.content import Evidence
from dialeval.study.measures import JUDGE
from dialeval.study.scores import SystemResult

FILE: Final = "verdicts.jsonl"


def verdicts_of(scored: Sequence[SystemResult]) -> Iterator[Judgement]:
    """One judgement for each item of each judge and system, its criterion the measure as the study calls it."""
    for result in scored:
        metric = result.measure.metric
        if metric.name != JUDGE:
            continue
        for subject, judgement in zip(result.subjects, result.result.each_judgement(), strict=True):
            answers = subject.answers if isinstance(subject, Repetition) else (subject,)
            found = "" if isinstance(subject, Missing) else "\n".join(map(metric.explain, answers))
            yield Judgement(
                judgement.item,
                result.system,
                judgement.rater,
                result.label,
                judgement.value,
                judgement.reason,
                found or None,
            )


def write_verdicts(scored: Sequence[SystemResult], folder: Path) -> Evidence:
    """Write the verdicts into the folder, no file if nobody judged, and return their evidence."""
    given = list(verdicts_of(scored))
    if given:
        write(folder / FILE, given)
    else:
        (folder / FILE).unlink(missing_ok=True)
    return evidence_of(given)


def read_evidence(folder: Path) -> Evidence:
    """The evidence of the verdicts in a run folder; nothing if the file is gone."""
    path = folder / FILE
    return evidence_of(read(path, "judgement")) if path.is_file() else {}


def evidence_of(verdicts: Iterable[Judgement]) -> Evidence:
    """The evidence by measure, system and item."""
    return {(one.criterion, one.system, one.item): one.evidence for one in verdicts if one.evidence}
