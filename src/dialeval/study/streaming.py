"""Scores of answers that are too many to hold: all metrics of a system in one pass over them."""

from __future__ import annotations

from typing import Any

from dialeval.core import Metric, Result
from dialeval.data.table import is_large
from dialeval.engine import Workshop
from dialeval.evaluation.measure import Measure, Subjects
from dialeval.evaluation.runner import Plan, Tally, at_once, new_roll
from dialeval.study.file import Study
from dialeval.systems.transcript import Transcript


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
