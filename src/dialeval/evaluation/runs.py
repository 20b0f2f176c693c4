"""Several runs of one system, as with other seeds: its answers to an item, and the mean score over its runs.

The score of a system is the mean over its runs. Its interval holds for other items and for other runs: the variance of
the mean over runs is added to the variance over items, with the degrees of freedom of the sum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dialeval.core import (
    Floats,
    Integers,
    LeaveOneOut,
    Metric,
    Missing,
    Signature,
    Subject,
)
from dialeval.core.batches import SharedBatch, once
from dialeval.core.results import absence
from dialeval.stats.resampling.jackknife import Source, source_of


@dataclass(frozen=True, slots=True)
class Derived(Metric[Any]):
    """A metric of something else that another metric judges: of repeated answers, or of the turns of a talk.

    What is measured is the same, so all that it says of itself is as the metric says.
    """

    metric: Metric[Any]

    @property
    def signature(self) -> Signature:
        """Signature of the metric."""
        return self.metric.signature

    @property
    def per_item(self) -> bool:
        """As of the metric."""
        return self.metric.per_item

    @property
    def higher_is_better(self) -> bool | None:
        """As of the metric."""
        return self.metric.higher_is_better

    @property
    def resources(self) -> Mapping[str, str]:
        """Resources of the metric."""
        return self.metric.resources

    @property
    def limits(self) -> tuple[float, float]:
        """Limits of the metric."""
        return self.metric.limits

    @property
    def asks(self) -> bool:
        """As of the metric."""
        return self.metric.asks


@dataclass(frozen=True, slots=True)
class Repetition:
    """Answers of one system to one item, one of each of its runs."""

    item: str
    system: str
    answers: tuple[Any, ...]
    """One subject of the measure per run."""


def repeated(runs: Sequence[Sequence[Subject | Missing]]) -> list[Repetition | Missing]:
    """The answers of all runs, item by item; an item that is missing in one of them is missing."""
    joined: list[Repetition | Missing] = []
    for answers in zip(*runs, strict=True):
        first = answers[0]
        lacking = [(run, each) for run, each in enumerate(answers, 1) if isinstance(each, Missing)]
        if lacking:
            run, each = lacking[0]
            joined.append(Missing(first.item, first.system, f"run {run}: {each.reason}", each.cause))
        else:
            joined.append(Repetition(first.item, first.system, answers))
    return joined


def why_absent(subject: object) -> str | None:
    """Why there is nothing to measure, or not in all of several runs; None where there is."""
    if not isinstance(subject, Repetition):
        return absence(subject)
    lacking = ((run, absence(answer)) for run, answer in enumerate(subject.answers, 1))
    return next((f"run {run}: {why}" for run, why in lacking if why is not None), None)


@dataclass(frozen=True, slots=True)
class MeanOverRuns(Derived):
    """A metric of repeated answers: the mean of its scores over the runs, of which each has its own statistics."""

    runs: int

    @property
    def yes_no(self) -> bool:
        """Never: an answer may be right in one run and wrong in another."""
        return False

    def undefined(self, row: Floats, /) -> str:
        """Why the first run that has no value has none."""
        runs = row.reshape(self.runs, -1)
        lacking = next((run for run, own in enumerate(runs) if not np.isfinite(own).all()), 0)
        return f"run {lacking + 1}: {self.metric.undefined(runs[lacking])}"

    def unscorable(self, subject: Repetition, /) -> str | None:
        """Why one of the answers cannot be scored, or None."""
        reasons = ((run, self.metric.unscorable(answer)) for run, answer in enumerate(subject.answers, 1))
        return next((f"run {run}: {why}" for run, why in reasons if why is not None), None)

    def statistics(self, subjects: Sequence[Repetition], /) -> Floats:
        """The rows of all runs side by side, shape (n, runs * k)."""
        batches = once(
            subjects, "runs", lambda: [SharedBatch(_of_run(subjects, i)) for i in range(self.runs)]
        )
        return np.hstack([self.metric.statistics(batch) for batch in batches])

    def scores(self, totals: Floats) -> Floats:
        """The score of each run, shape (..., runs)."""
        return self.metric.aggregate(
            totals.reshape(*totals.shape[:-1], self.runs, totals.shape[-1] // self.runs)
        )

    def aggregate(self, totals: Floats, /) -> Floats:
        """The mean over the runs."""
        return np.asarray(self.scores(totals).mean(axis=-1))

    def each(self, subjects: Sequence[Repetition], groups: Integers) -> list[LeaveOneOut]:
        """The score of every run, each a corpus of its own, and without each group."""
        return [self.metric.without(_of_run(subjects, run), groups) for run in range(self.runs)]

    def without(self, subjects: Sequence[Repetition], groups: Integers, /) -> LeaveOneOut:
        """The mean over the runs, and without each group."""
        runs = self.each(subjects, groups)
        score = float(np.mean([run.score for run in runs]))
        return LeaveOneOut(score, np.mean([run.without for run in runs], axis=0))


def over_runs(metric: Metric[Any], runs: int) -> Metric[Any]:
    """The metric of a system that was run so many times; itself where that was once."""
    return metric if runs < 2 else MeanOverRuns(metric, runs)


def scores_of_rows(metric: object, rows: Floats) -> Floats | None:
    """The score of each run on these rows; None where the system was run once."""
    return metric.scores(rows.sum(axis=0)) if isinstance(metric, MeanOverRuns) else None


def scores_of_corpus(metric: object, subjects: Sequence[Any]) -> Floats | None:
    """The same for a corpus measure of these subjects."""
    if not isinstance(metric, MeanOverRuns) or not subjects:
        return None
    together = np.zeros(len(subjects), dtype=np.int64)
    return np.array([run.score for run in metric.each(subjects, together)])


def sources_of(scores: Floats | None) -> tuple[Source, ...]:
    """The variance that other runs would add to the mean over runs with these scores; nothing where there is one."""
    source = None if scores is None else source_of(scores)
    return () if source is None else (source,)


def _of_run(subjects: Sequence[Repetition], run: int) -> list[Any]:
    return [subject.answers[run] for subject in subjects]
