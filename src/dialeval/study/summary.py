"""The summary of a run: scores, intervals, comparisons, gates and failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from dialeval.catalogue.tasks import TASKS
from dialeval.core import System
from dialeval.data.table import ids_of
from dialeval.evaluation.compare import Comparison
from dialeval.evaluation.leaks import MOST, Leak, leaks_of
from dialeval.evaluation.measure import Measure, Respondent, SectionDocument, Subjects
from dialeval.evaluation.silence import counts_silence, unanswered_of
from dialeval.files.documents import finite
from dialeval.metrics.faults import ADVICE, blind_spots
from dialeval.selfeval.document import WeighedDialogue
from dialeval.study.document import BlindSpot, MeasureInfo, Score, Summary, SystemInfo
from dialeval.study.human import compare_ratings, declared_scale
from dialeval.study.run import Run
from dialeval.study.scores import SystemResult
from dialeval.text.ids import TextColumn


def summarise(run: Run) -> Summary:
    """Return the content of ``summary.json``."""
    study = run.study
    return Summary(
        format=1,
        study=study.name,
        seed=study.resampling.seed,
        items=len(run.prompts),
        trials=study.resampling.resamples,
        level=study.resampling.confidence,
        cluster=study.resampling.cluster_name(TextColumn(ids_of(run.prompts))),
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
        measures=tuple(_measure(measure, run.scored) for measure in study.measures),
        results=tuple(map(_score, run.scored)),
        comparisons=run.compared,
        gates=run.gates,
        failures=run.failures,
        human=None if run.agreement is None else run.agreement.document,
        sections={
            name: sections
            for name, traits in TASKS.traits.items()
            if (sections := _sections(run, name)) or traits.measures
        },
        missing=study.missing,
        allow_unanswered=study.allow_unanswered,
        primary=study.primary,
        correction=study.correction,
        margins=dict(study.margins),
        ranks=run.ranks,
        leaks=_leaks(run),
        unnoticed=_unnoticed(study.measures),
        turns=tuple(_turns(run)),
        breakdowns=run.breakdowns,
        people=_people(run),
    )


def _people(run: Run) -> tuple[Comparison, ...]:
    """Differences of people's mean ratings, if they rated answers."""
    if run.agreement is None or run.study.human is None:
        return ()
    joined = run.agreement.joined
    scale = declared_scale(run.study.human, joined.criterion)
    return compare_ratings(joined, run.study.resampling, scale)


def _measure(measure: Measure, scored: Sequence[SystemResult]) -> MeasureInfo:
    metric = measure.metric
    left_out = any(s.measure is measure and s.result.uncounted for s in scored)
    return MeasureInfo(
        measure=measure.label,
        name=measure.metric.signature.name,
        signature=str(measure.metric.signature),
        higher_is_better=measure.metric.higher_is_better,
        per_item=measure.metric.per_item,
        summary=measure.summary,
        family=measure.metric.family,
        counts_silence=metric.higher_is_better is None or (counts_silence(metric) and not left_out),
    )


def _unnoticed(measures: Sequence[Measure]) -> tuple[BlindSpot, ...]:
    """Faults of answers that no measure of answers notices; nothing if the study has no such measure."""
    names = [measure.metric.signature.name for measure in measures]
    if all(measure.capability is not None for measure in measures):
        return ()
    return tuple(BlindSpot(fault, ADVICE[fault] or None) for fault in blind_spots(names).faults)


def _runs(respondent: Respondent) -> int:
    return max(1, len(respondent.runs))


def _unanswered(respondent: Respondent, run: Run) -> int:
    """Items that the system left unanswered, under the measure that counts most of them."""
    own = ((s.system, s.result) for s in run.scored if s.system == respondent.system.name)
    return max((each.unanswered for each in unanswered_of("", own)), default=0)


def _leaks(run: Run) -> tuple[Leak, ...]:
    if all(measure.capability is not None for measure in run.study.measures):
        return ()
    answers = (islice(respondent.examples, MOST) for respondent in run.respondents)
    systems = zip(run.study.systems, run.study.kinds, strict=True)
    ceilings = (system.name for system, kind in systems if kind == "gold")
    return leaks_of(chain.from_iterable(answers), (*run.study.gold, *ceilings))


def _signature(system: System, run: Run) -> str | None:
    """All that could move its responses; None of a system that failed and cannot even say that."""
    try:
        return str(system.signature)
    except Exception:  # foreign code, which has failed before: the others' scores must still be written
        if any(failure.system == system.name for failure in run.failures):
            return None
        raise


def _score(scored: SystemResult) -> Score:
    own, ranked = scored.result, scored.ranked
    return Score(
        system=scored.system,
        measure=scored.measure.label,
        signature=str(own.signature),
        estimate=ranked.estimate,
        unscored=len(own) - own.scored,
        own=own.estimate,
        absence=ranked.absence,
        units=ranked.units,
        design_effect=finite(ranked.design_effect),
        unanswered=own.unanswered,
        filled=own.filled,
    )


def _sections(run: Run, capability: str) -> tuple[SectionDocument, ...]:
    """Return the sections of a capability about its measures."""
    brought = [(measure.capability or measure.shown_by, measure) for measure in run.study.measures]
    sections = [
        own.section(measure, _subjects(run, measure), run.study.resampling)
        for own, measure in brought
        if own is not None and own.name == capability
    ]
    return tuple(section for section in sections if section is not None)


def _turns(run: Run) -> Iterator[WeighedDialogue]:
    """The worst dialogues of every system, under each measure that can say which turn hurts."""
    for scored in run.scored:
        metric = scored.measure.metric
        if metric.has("turn_effects"):
            from dialeval.selfeval.scorer import worst_dialogues

            yield from worst_dialogues(scored.measure.label, metric, scored.subjects, scored.result.values)


def _subjects(run: Run, measure: Measure) -> dict[str, Subjects]:
    return {scored.system: scored.subjects for scored in run.scored if scored.measure.label == measure.label}
