"""The summary of a run: scores, intervals, comparisons, gates and failures."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from dialeval.core import CorpusMeasure, Result, System, WeighsTurns, family_of
from dialeval.data.spooled import ids_of
from dialeval.evaluation.leaks import MOST, Leak, leaks_of
from dialeval.evaluation.measure import Measure, Respondent, SectionDocument, Subjects
from dialeval.files.documents import finite
from dialeval.metrics.faults import ADVICE, blind_spots
from dialeval.selfeval.document import WeighedDialogue
from dialeval.selfeval.weighing import worst_dialogues
from dialeval.study.capabilities import CAPABILITIES
from dialeval.study.document import BlindSpot, MeasureInfo, Score, Summary, SystemInfo
from dialeval.study.run import Run
from dialeval.study.scoring import Scored
from dialeval.text.packed import PackedTexts


def summarise(run: Run) -> Summary:
    """What ``summary.json`` holds."""
    study = run.study
    return Summary(
        format=1,
        study=study.name,
        seed=study.resampling.seed,
        items=len(run.prompts),
        trials=study.resampling.resamples,
        level=study.resampling.confidence,
        cluster=study.resampling.cluster_name(PackedTexts(ids_of(run.prompts))),
        systems=tuple(
            SystemInfo(
                respondent.system.name,
                kind,
                _signature(respondent.system, run),
                _runs(respondent),
                _unanswered(respondent, run),
            )
            for respondent, kind in zip(run.respondents, study.kinds, strict=True)
        ),
        measures=tuple(map(_measure, study.measures)),
        results=tuple(map(_score, run.scored)),
        comparisons=run.compared,
        gates=run.gates,
        failures=run.failures,
        human=None if run.agreement is None else run.agreement.document,
        sections={
            name: sections
            for name, capability in CAPABILITIES.items()
            if (sections := _sections(run, name)) or capability.measures
        },
        missing=study.missing,
        allow_unanswered=study.allow_unanswered,
        primary=study.primary,
        correction=study.correction,
        margins=dict(study.margins),
        ranks=run.ranks,
        leaks=_leaks(run),
        unnoticed=tuple(
            BlindSpot(fault, ADVICE[fault] or None)
            for fault in blind_spots(measure.metric.signature.name for measure in study.measures).faults
        ),
        turns=tuple(_turns(run)),
    )


def _measure(measure: Measure) -> MeasureInfo:
    return MeasureInfo(
        measure=measure.label,
        name=measure.metric.signature.name,
        signature=str(measure.metric.signature),
        higher_is_better=measure.metric.higher_is_better,
        per_item=not isinstance(measure.metric, CorpusMeasure),
        summary=measure.summary,
        family=family_of(measure.metric),
    )


def _runs(respondent: Respondent) -> int:
    return max(1, len(respondent.runs))


def _unanswered(respondent: Respondent, run: Run) -> int:
    """Prompts that the system left unanswered, as any measure of its answers counted them."""
    name = respondent.system.name
    counted = (s.result.unanswered for s in run.scored if s.system == name and s.measure.capability is None)
    return next(counted, 0)


def _leaks(run: Run) -> tuple[Leak, ...]:
    answers = (islice(respondent.examples, MOST) for respondent in run.respondents)
    return leaks_of(chain.from_iterable(answers), run.study.gold)


def _signature(system: System, run: Run) -> str | None:
    """All that could move its responses; None of a system that failed and cannot even say that."""
    try:
        return str(system.signature)
    except Exception:  # foreign code, which has failed before: the others' scores must still be written
        if any(failure.system == system.name for failure in run.failures):
            return None
        raise


def _score(scored: Scored) -> Score:
    own, ranked = scored.result, scored.ranked
    return Score(
        system=scored.system,
        measure=scored.measure.label,
        signature=str(own.signature),
        score=finite(ranked.score),
        low=finite(ranked.interval.low) if ranked.interval else None,
        high=finite(ranked.interval.high) if ranked.interval else None,
        n=ranked.scored,
        unscored=len(own) - own.scored,
        own_score=finite(own.score),
        own_low=finite(own.interval.low) if own.interval else None,
        own_high=finite(own.interval.high) if own.interval else None,
        own_n=own.scored,
        absence=ranked.absence,
        units=ranked.units,
        design_effect=finite(ranked.design_effect),
        unanswered=own.unanswered,
        filled=own.filled,
    )


def _sections(run: Run, capability: str) -> tuple[SectionDocument, ...]:
    """What the capability says of each of its measures."""
    brought = [(measure.capability or measure.shown_by, measure) for measure in run.study.measures]
    sections = [
        own.section(measure.label, _subjects(run, measure), run.study.resampling)
        for own, measure in brought
        if own is not None and own.name == capability
    ]
    return tuple(section for section in sections if section is not None)


def _turns(run: Run) -> Iterator[WeighedDialogue]:
    """The worst dialogues of every system, under each measure that can say which turn hurts."""
    for scored in run.scored:
        metric = scored.measure.metric
        if isinstance(metric, WeighsTurns) and isinstance(scored.result, Result):
            yield from worst_dialogues(scored.measure.label, metric, scored.subjects, scored.result.values)


def _subjects(run: Run, measure: Measure) -> dict[str, Subjects]:
    return {scored.system: scored.subjects for scored in run.scored if scored.measure.label == measure.label}
