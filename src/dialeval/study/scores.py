"""Scores of every system under every measure; a measure that fails for one system keeps no other from being scored."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from dialeval.core import Metric, Missing, Result, Subject, served
from dialeval.data.table import is_large
from dialeval.display.plots import Dot, draw_dots
from dialeval.display.wording import count
from dialeval.engine import SILENT, CountingCache, Progress, Workshop
from dialeval.errors import UnknownName, Unsuitable, described
from dialeval.evaluation.measure import (
    Measure,
    Respondent,
    Subjects,
    Tools,
    can_answer,
    recorded_together,
)
from dialeval.evaluation.roll import KeptRoll, keep
from dialeval.evaluation.runner import Plan, Tally, at_once, evaluate, fitted, new_roll
from dialeval.evaluation.runs import Repetition, over_runs, repeated
from dialeval.study.document import AnswerSource, Failure
from dialeval.study.file import Study
from dialeval.study.freshness import question_source
from dialeval.systems.transcript import Transcript

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One measure's result for one system."""

    measure: Measure
    system: str
    result: Result
    """On all items that the system has a value for."""
    ranked: Result
    """On the items that the systems are ranked on; the same object where these are the same."""
    subjects: Subjects = ()
    """Subjects that were measured; empty if the result was read back from a run folder."""

    @property
    def label(self) -> str:
        """The measure as the study calls it."""
        return self.measure.label


class _SystemSubjects(NamedTuple):
    """A system, what a measure is asked about, and how often it was run."""

    system: str
    subjects: Subjects
    runs: int = 1

    @property
    def single(self) -> Iterator[Subject | Missing]:
        """The subjects of all runs, one by one."""
        for subject in self.subjects:
            yield from subject.answers if isinstance(subject, Repetition) else (subject,)


def score_all(
    study: Study,
    respondents: Sequence[Respondent],
    workshop: Workshop,
    failures: list[Failure],
    sources: list[AnswerSource],
    began: float = math.inf,
) -> Iterator[SystemResult]:
    """Every result; what fails joins the failures, and where answers to further questions come from the sources.

    Of these, only answers from before the run ``began`` are told of.
    """
    answers, passing, asked = _Answers(workshop), OnePass(study, workshop), _SharedSubjects()
    for measure in study.measures:
        judged = list(_judged(measure, respondents, study, workshop, failures, sources, asked, began))
        own = [given for given in judged if not passing.covers(measure, given.subjects)]
        with _bar(workshop, measure.label, sum(len(given.subjects) for given in own)) as progress:
            try:
                metric = _prepared(measure, judged)
            except Exception as error:
                message = described(error)
                failures += [Failure(given.system, measure.label, message) for given in judged]
                continue
            for given in judged:
                try:
                    if passing.covers(measure, given.subjects):
                        result = passing.result(measure, given.system, given.subjects)
                    else:
                        judge = over_runs(metric, given.runs)
                        plan = _plan(study, workshop, progress, given.subjects)
                        shared = _noted_once(measure, given.subjects)
                        subjects = answers.noted(given.subjects) if shared else given.subjects
                        result = evaluate(judge, subjects, plan)
                except Exception as error:  # one measure's failure must not lose the others' results
                    failures.append(Failure(given.system, measure.label, described(error)))
                else:
                    yield SystemResult(measure, given.system, result, result, given.subjects)


def _bar(workshop: Workshop, label: str, count: int) -> AbstractContextManager[Progress]:
    """A bar, unless all is found in passing, which has a bar of its own."""
    return workshop.watch(label, count) if count else nullcontext(SILENT)


def _judged(
    measure: Measure,
    respondents: Sequence[Respondent],
    study: Study,
    workshop: Workshop,
    failures: list[Failure],
    sources: list[AnswerSource],
    known: _SharedSubjects,
    began: float,
) -> Iterator[_SystemSubjects]:
    """Yield the subjects of each system under the measure; one that cannot do what is asked of it fails alone.

    Measures of answers pass over systems that answer no prompts.
    """
    recorded = recorded_together(study.systems)
    for respondent in respondents:
        name = respondent.system.name
        cache = workshop.answer_cache(name)
        asked = None if cache is None else CountingCache(cache)
        tools = Tools(
            asked,
            workshop.watch,
            study.limit,
            executor=workshop.asking,
            scoring=workshop.executor,
            recorded=recorded,
        )
        server = served(respondent.system) if measure.capability is not None else None
        before = len(server.reused) if server else 0
        if measure.capability is None and not can_answer(respondent.system):
            continue
        try:
            if respondent.runs and measure.capability is not None:
                raise Unsuitable(f"{name} has {len(respondent.runs)} runs: give the file of one, as 'path'")
            subjects = (
                repeated(
                    [measure.subjects(Respondent(respondent.system, run), tools) for run in respondent.runs]
                )
                if respondent.runs
                else known.subjects(measure, respondent, tools)
            )
        except Exception as error:  # asking more of a system runs foreign code, as asking for answers does
            failures.append(Failure(name, measure.label, described(error)))
        else:
            times = [*(asked.times if asked else ()), *(server.reused[before:] if server else ())]
            said = measure.capability.examples_of(subjects) if measure.capability is not None else ()
            answers = (example.response for example in said)
            source = question_source(respondent.system, measure.label, times, began, answers)
            sources += [] if source is None else [source]
            yield _SystemSubjects(name, subjects, max(1, len(respondent.runs)))


def _prepared(measure: Measure, judged: Sequence[_SystemSubjects]) -> Metric[Any]:
    if not measure.metric.has("fit"):
        return measure.metric
    # Fitted to all systems together: were each fitted to its own items, a gap would make systems incomparable.
    return fitted(measure.metric, [subject for given in judged for subject in given.single])


def _noted_once(measure: Measure, subjects: Subjects) -> bool:
    """Whether it is a metric of answers, which other metrics are asked about too, and these can be held in memory."""
    return measure.capability is None and measure.metric.per_item and not is_large(subjects)


def _plan(study: Study, workshop: Workshop, progress: Progress, subjects: Subjects) -> Plan:
    return Plan(
        resampling=study.resampling,
        executor=workshop.executor,
        cache=workshop.cache,
        progress=progress,
        batch_size=workshop.batch_size,
        packed=is_large(subjects),
        silence=study.silence,
    )


class _SharedSubjects:
    """Subjects of measures that ask systems the same, so that each is asked once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Hashable, str], Subjects] = {}

    def subjects(self, measure: Measure, respondent: Respondent, tools: Tools) -> Subjects:
        """Return the subjects of one system, from an earlier measure if it asked the same."""
        if measure.asks is None:
            return measure.subjects(respondent, tools)
        key = (measure.asks, respondent.system.name)
        if key not in self._known:
            self._known[key] = measure.subjects(respondent, tools)
        return self._known[key]


class _Answers:
    """The answers of each system, noted once for all measures of them."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._noted: dict[int, tuple[Subjects, KeptRoll[Any]]] = {}

    def noted(self, subjects: Subjects) -> KeptRoll[Any]:
        """The roll of these answers, which are kept so that no others can have their identity."""
        if id(subjects) not in self._noted:
            shop = self._workshop
            roll: KeptRoll[Any] = keep(subjects, shop.batch_size, digests=shop.cache is not None)
            self._noted[id(subjects)] = subjects, roll
        return self._noted[id(subjects)][1]


def columns_of(scored: Sequence[SystemResult]) -> dict[str, list[object]]:
    """One row for each item, system and measure that has values of single items, as in results.parquet."""
    columns: dict[str, list[object]] = {name: [] for name in ("item", "system", "measure", "value", "reason")}
    for score in scored:
        if score.result.per_item:
            part = score.result.to_arrow().to_pydict()
            part["measure"] = [score.measure.label] * len(score.result)
            part["system"] = [score.system] * len(score.result)
            for name, values in part.items():
                columns[name] += values
    return columns


def caption_of(title: str, scored: Sequence[SystemResult]) -> str:
    """Return how many systems and measures a run has, under its title."""
    systems, measures = ({getattr(each, name) for each in scored} for name in ("system", "label"))
    return f"{title}: {count(len(systems), 'system')}, {count(len(measures), 'measure')}"


def shown_columns(scored: Sequence[SystemResult]) -> dict[str, list[object]]:
    """Every system's score under every measure, to be printed."""
    found = [each.ranked.estimate for each in scored]
    return {
        "system": [each.system for each in scored],
        "measure": [each.label for each in scored],
        "score": [each.ranked.score for each in scored],
        "low": [estimate.low for estimate in found],
        "high": [estimate.high for estimate in found],
        "n": [estimate.n for estimate in found],
    }


def plot_scores(title: str, scored: Sequence[SystemResult], measure: str | None, axes: Axes) -> None:
    """Draw every system's score under one measure, the first if None, with its interval."""
    labels = list(dict.fromkeys(each.label for each in scored))
    if measure is not None and measure not in labels:
        raise UnknownName("measure in this run", measure, labels, todo=f"There are {', '.join(labels)}.")
    chosen = measure if measure is not None else next(iter(labels), "")
    found = [(each.system, each.ranked.estimate) for each in scored if each.label == chosen]
    draw_dots(axes, [Dot(system, estimate.value, estimate.bounds) for system, estimate in found])
    axes.set_title(f"{title}: {chosen}".strip())


class OnePass:
    """Results of metrics of single answers, which are computed together when the first of them is asked for."""

    def __init__(self, study: Study, workshop: Workshop) -> None:
        self._workshop, self._resampling, self._silence = workshop, study.resampling, study.silence
        self._metrics = {measure.label: metric for measure in study.measures if (metric := _passed(measure))}
        self._systems: dict[str, dict[str, Result | Exception]] = {}

    def covers(self, measure: Measure, subjects: Subjects) -> bool:
        """Whether the result is found in passing: subjects in memory are scored measure by measure."""
        return is_large(subjects) and measure.label in self._metrics

    def result(self, measure: Measure, system: str, subjects: Subjects) -> Result:
        """The result of one system under one measure; what the metric raised is raised here."""
        if system not in self._systems:
            self._systems[system] = self._scored(system, subjects)
        result = self._systems[system].pop(measure.label)
        if isinstance(result, Exception):
            raise result
        return result

    def _scored(self, system: str, subjects: Subjects) -> dict[str, Result | Exception]:
        shop, labels = self._workshop, list(self._metrics)
        with shop.watch(f"{system}: {', '.join(labels)}", len(subjects) * len(labels)) as progress:
            plan = Plan(
                resampling=self._resampling,
                executor=shop.executor,
                cache=shop.cache,
                progress=progress,
                batch_size=shop.batch_size,
                packed=True,
                silence=self._silence,
            )
            return self._tallied(subjects, plan)

    def _tallied(self, subjects: Subjects, plan: Plan) -> dict[str, Result | Exception]:
        roll = new_roll(plan)
        tallies = {label: Tally(metric, plan, roll) for label, metric in self._metrics.items()}
        failed: dict[str, Exception] = {}
        for batches in at_once(roll.note(subjects), plan):
            for label, tally in tallies.items():
                if label not in failed:
                    try:
                        tally.score(batches)
                    except Exception as error:  # one measure's failure must not lose the others' results
                        failed[label] = error
        results: dict[str, Result | Exception] = {}
        for label, tally in tallies.items():
            try:
                results[label] = failed[label] if label in failed else tally.result()
            except Exception as error:
                results[label] = error
        return results


def _passed(measure: Measure) -> Metric[Any] | None:
    """The metric of a measure that scores answer by answer without having seen them all; None of others."""
    if measure.capability or measure.pool or measure.metric.needs_all:
        return None
    return measure.metric


def holding_all(study: Study) -> list[str]:
    """Names of measures, systems and keys of the study for which all texts are held in memory."""
    measures = [measure.label for measure in study.measures if _passed(measure) is None]
    systems = [
        system.name for system in study.systems if not isinstance(system, Transcript) or len(system.runs) > 1
    ]
    keys = [*(["references"] if study.references else []), *(["human"] if study.human else [])]
    return [*measures, *systems, *keys]
