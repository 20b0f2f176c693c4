"""Verdicts of the judges of a run, with their reasons and whole replies: ``verdicts.jsonl`` in its folder."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dialeval.core import Missing
from dialeval.data import Judgement, read, write
from dialeval.evaluation.measure import Measure
from dialeval.evaluation.runs import Repetition
from dialeval.study.content import Evidence
from dialeval.study.measures import JUDGE
from dialeval.study.scores import SystemResult

if TYPE_CHECKING:
    from dialeval.judge.metric import Judge

FILE: Final = "verdicts.jsonl"
CONFIDENCES: Final = "confidence.jsonl"
"""File with the confidence of each verdict, if the judge shows any."""


def verdicts_of(scored: Sequence[SystemResult]) -> Iterator[Judgement]:
    """One judgement for each item of each judge and system, its criterion the measure as the study calls it."""
    for result in scored:
        teller = _teller(result.measure)
        if teller is None:
            continue
        for subject, judgement in zip(result.subjects, result.result.each_judgement(), strict=True):
            answers = subject.answers if isinstance(subject, Repetition) else (subject,)
            found = "" if isinstance(subject, Missing) else "\n".join(map(teller.explain, answers))
            yield Judgement(
                judgement.item,
                result.system,
                judgement.rater,
                result.label,
                judgement.value,
                judgement.reason,
                found or None,
            )


def _teller(measure: Measure) -> Any:
    """What explains the verdicts of a measure: its metric, or what asks for its subjects; None if no judge is asked."""
    if measure.metric.asks:
        return measure.metric
    asking: object = measure.asking
    if asking is None:
        return None
    from dialeval.judge.questioner import AsksJudge

    return asking if isinstance(asking, AsksJudge) and asking.judged([]) else None


def write_verdicts(scored: Sequence[SystemResult], folder: Path) -> Evidence:
    """Write the verdicts into the folder, no file if nobody judged, and return their evidence."""
    given = list(verdicts_of(scored))
    _write_or_remove(list(confidences_of(scored)), folder / CONFIDENCES)
    _write_or_remove(given, folder / FILE)
    return evidence_of(given)


def confidences_of(scored: Sequence[SystemResult]) -> Iterator[Judgement]:
    """One judgement for each verdict that shows how sure the judge was, on the criterion ``confidence``."""
    for result in scored:
        judge = result.measure.metric
        if judge.name != JUDGE:
            continue
        from dialeval.judge.escalation import CONFIDENCE
        from dialeval.judge.metric import Judge

        if not isinstance(judge, Judge):  # one that was recorded
            continue
        rater = str(result.result.signature)
        for item, subject in zip(result.result.items, result.subjects, strict=True):
            answers = subject.answers if isinstance(subject, Repetition) else (subject,)
            known = [_confidence(judge, answer) for answer in answers]
            if None not in known:
                mean = math.fsum(each for each in known if each is not None) / len(known)
                yield Judgement(item, result.system, rater, CONFIDENCE, round(mean, 9))


def _confidence(judge: Judge, answer: object) -> float | None:
    from dialeval.judge.confidence import confidence_of
    from dialeval.judge.record import judged_subjects

    given = [judge.recalled(subject) for subject in judged_subjects(judge, [answer])]
    return confidence_of(given[0], judge.mode) if given else None


def _write_or_remove(judgements: Sequence[Judgement], path: Path) -> None:
    if judgements:
        write(path, judgements)
    else:
        path.unlink(missing_ok=True)


def read_evidence(folder: Path) -> Evidence:
    """The evidence of the verdicts in a run folder; nothing if the file is gone."""
    path = folder / FILE
    return evidence_of(read(path, "judgement")) if path.is_file() else {}


def evidence_of(verdicts: Iterable[Judgement]) -> Evidence:
    """The evidence by measure, system and item."""
    return {(one.criterion, one.system, one.item): one.evidence for one in verdicts if one.evidence}
