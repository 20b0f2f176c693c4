"""The one runner: a metric over subjects gives a score, an interval, every subject's value, and provenance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar, Final, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from dialeval.core import (
    DEFAULT_RESAMPLING,
    Estimate,
    Floats,
    Metric,
    Missing,
    Part,
    Provenance,
    Resampling,
    Result,
    Subject,
)
from dialeval.core.custom import as_metric
from dialeval.core.results import absence
from dialeval.engine import ROWS, SILENT, Batch, Cache, Executor, InProcess, Job, Progress, run
from dialeval.errors import Unsuitable
from dialeval.evaluation.corpus import corpus_result
from dialeval.evaluation.roll import KeptRoll, NotedBatch, Roll, recent_roll
from dialeval.evaluation.silence import SilenceRule, count_silence
from dialeval.evaluation.uncertainty import Uncertainty, uncertainty
from dialeval.files.documents import FINITE
from dialeval.stats.resampling.bootstrap import in_blocks, sum_rows
from dialeval.version import __version__

S = TypeVar("S", bound=Subject)

_AHEAD: Final = 8
"""Batches that go at once for each of several workers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Settings of an evaluation. Only two can move a number: resampling the interval's, silence the score."""

    resampling: Resampling = DEFAULT_RESAMPLING
    executor: Executor = field(default_factory=InProcess)
    cache: Cache | None = None
    progress: Progress = SILENT
    batch_size: int = 1024
    packed: bool = False
    """Whether results hold ids and systems packed: a fifth of the memory, and slower to look up."""
    silence: SilenceRule = "worst"
    """Value of an item that the system left unanswered."""


DEFAULT_PLAN: Final = Plan()


@overload
def evaluate(
    measures: Metric[S], subjects: Iterable[S | Missing] | KeptRoll[S], plan: Plan = ...
) -> Result: ...
@overload
def evaluate(
    measures: Mapping[str, Metric[S]], subjects: Iterable[S | Missing], plan: Plan = ...
) -> dict[tuple[str, str], Result]: ...
def evaluate(
    measures: Metric[S] | Mapping[str, Metric[S]],
    subjects: Iterable[S | Missing] | KeptRoll[S],
    plan: Plan = DEFAULT_PLAN,
) -> Result | dict[tuple[str, str], Result]:
    """The score of all ``subjects`` under a metric, with an interval.

    Of several metrics by name, every metric's result for every system, from one pass over the subjects, keyed by name
    and system. A metric that is fitted to its corpus is then fitted to the subjects of all systems together.

    Time and memory grow linearly with the subjects, of which only ids and statistics are kept, so a generator
    over a file of any size will do, but for a metric that is fitted to its corpus first, which needs a sequence, and
    for corpus measures, which hold all subjects in memory.
    Subjects that the system left unanswered count as the worst value, if the metric has one; others that are
    missing or that the metric cannot score stay in the result with their reason. The score is over those that have a
    value.
    """
    if isinstance(measures, Mapping):
        return _by_name_and_system({name: as_metric(each) for name, each in measures.items()}, subjects, plan)
    metric = as_metric(measures)
    if not metric.per_item:
        result = corpus_result(metric, subjects, plan.resampling, plan.silence)
        plan.progress.advance(len(result))
        return result
    metric = fitted(metric, subjects)
    roll, batches = _noted(subjects, plan)
    tally: Tally[S] = Tally(metric, plan, roll)
    tally.score(batches)
    return tally.result()


def _noted(
    subjects: Iterable[S | Missing] | KeptRoll[S], plan: Plan
) -> tuple[Roll[S], Iterable[NotedBatch[S]]]:
    """The roll of these subjects and its batches, from an earlier metric if it was asked about the same."""
    if isinstance(subjects, KeptRoll):
        return subjects.roll, subjects.batches
    if plan.packed:
        roll: Roll[S] = new_roll(plan)
        return roll, roll.note(subjects)
    return recent_roll(subjects, plan.batch_size, digests=plan.cache is not None)


def fitted(metric: Metric[S], subjects: Iterable[S | Missing]) -> Metric[S]:
    """The metric fitted to those of the subjects that it can score; one that needs no fitting comes as it is."""
    if not metric.has("fit"):
        return metric
    if not isinstance(subjects, Sequence):
        raise Unsuitable(
            f"{metric.signature.name} must see every subject before it scores the first, but found a stream, which "
            "can be read only once. Give it a list, as in evaluate(metric, list(subjects))."
        )
    present = [
        subject for subject in subjects if not isinstance(subject, Missing) and absence(subject) is None
    ]
    return metric.fit([subject for subject in present if metric.unscorable(subject) is None])


class Tally(Generic[S]):
    """An evaluation under way, for callers that meet their subjects a few at a time."""

    def __init__(self, metric: Metric[S], plan: Plan, roll: Roll[S] | None = None) -> None:
        self._metric, self._plan = metric, plan
        self._roll = new_roll(plan) if roll is None else roll
        self._reasons: dict[int, str] = {}
        self._silent: dict[int, S | Missing] = {}
        self._hindered = 0
        self._rows = GrowingRows()
        self._resources = dict(metric.resources)
        identity = [str(metric.signature), sorted(self._resources.items()), __version__]
        self._job = Job(key=json.dumps(identity), task=metric.statistics, codec=ROWS)

    def add(self, subjects: Iterable[S | Missing]) -> None:
        """Measure these too."""
        self.score(self._roll.note(subjects))

    def score(self, batches: Iterable[NotedBatch[S]]) -> None:
        """Measure these batches of the roll."""
        plan, scorable = self._plan, self._scorable(batches)
        here, cache = (InProcess(), None) if self._metric.asks else (plan.executor, plan.cache)
        for rows in run(self._job, scorable, executor=here, cache=cache, progress=plan.progress):
            self._rows.add(rows)

    def enter_rows(self, result: Result, rows: Floats, reasons: Mapping[int, str]) -> None:
        """Take the subjects of a result, with these statistics for all that have no reason to be unscored."""
        answers = None if result.answers is None else result.answers.tolist()
        self._roll.name(result.items, result.systems, answers)
        self._reasons = dict(reasons)
        scored = np.ones(len(rows), dtype=bool)
        scored[list(reasons)] = False
        self._rows.add(rows[scored])

    def result(self) -> Result:
        """Return the result over all subjects; the tally is then used up."""
        reasons, self._reasons = self._reasons, {}
        scored = np.ones(len(self._roll), dtype=bool)
        unscored = np.fromiter(reasons, dtype=np.int64, count=len(reasons))
        scored[unscored] = False
        rows = self._all_rows()
        if self._silent and self._plan.silence == "worst":
            rows = self._count_silence(rows, scored, reasons)
            unscored = np.fromiter(reasons, dtype=np.int64, count=len(reasons))
        values = in_blocks(self._metric.aggregate, rows)
        finite = _finite(rows, values)
        if not finite.all():
            undefined = np.flatnonzero(scored)[~finite]
            why = map(self._metric.undefined, rows[~finite])
            reasons |= dict(zip(undefined.tolist(), why, strict=True))
            unscored = np.append(unscored, undefined)
            scored[undefined] = False
            rows, values = rows[finite], values[finite]
        if np.any(np.diff(unscored) < 0):
            reasons = dict(sorted(reasons.items()))
        known = self._uncertainty(rows, scored, values)
        score = float(self._metric.aggregate(sum_rows(rows))) if len(rows) else float("nan")
        estimate = known.estimate(score, len(rows))
        of_all = np.full(len(scored), np.nan)
        of_all[scored] = values
        return Result(
            metric=self._metric,
            items=self._roll.items,
            systems=self._roll.systems,
            rows=with_gaps(rows, scored),
            values=of_all,
            estimate=estimate,
            provenance=self._provenance(),
            reasons=MappingProxyType(reasons),
            absence=known.absence,
            units=known.units,
            design_effect=known.design_effect,
            answers=self._roll.answers,
            unanswered=len(self._silent),
            filled=sum(place not in reasons for place in self._silent),
            uncounted=self._uncounted(reasons),
        )

    def _count_silence(self, rows: Floats, scored: NDArray[np.bool_], reasons: dict[int, str]) -> Floats:
        """The rows of all that have a value, unanswered subjects among them; who they are changes where it stands."""
        silent = np.fromiter(self._silent, dtype=np.int64)
        answered = scored.copy()
        answered[silent] = False
        known = rows[answered[scored]]
        found = count_silence(self._metric, known, self._silent, reasons)
        self._hindered = found.hindered
        everything = np.full((len(scored), rows.shape[1]), np.nan)
        everything[answered] = known
        for place, row in found.rows.items():
            everything[place] = row
            reasons.pop(place, None)
        reasons |= found.reasons
        scored[silent] = [place in found.rows for place in silent.tolist()]
        return everything[scored]

    def _uncounted(self, reasons: Mapping[int, str]) -> int:
        """Number of unanswered subjects that have no value, although the metric could have judged an answer."""
        if self._plan.silence == "unscored":
            return 0
        return sum(place in reasons for place in self._silent) - self._hindered

    def _scorable(self, batches: Iterable[NotedBatch[S]]) -> Iterator[Batch[S]]:
        for noted in batches:
            scorable, reasons = noted.screened(self._metric.unscorable)
            self._reasons.update(reasons)
            self._silent.update(noted.unanswered)
            if scorable:
                yield Batch(scorable, noted.digest)

    def _all_rows(self) -> Floats:
        """The rows of the subjects that have some."""
        rows = self._rows.take()
        return np.empty((0, self._metric.statistics([]).shape[1])) if rows is None else rows

    def _uncertainty(self, rows: Floats, scored: NDArray[np.bool_], values: Floats) -> Uncertainty:
        resampling = self._plan.resampling
        return uncertainty(self._metric, rows, self._roll.clusters(resampling, scored), resampling, values)

    def _provenance(self) -> Provenance:
        return Provenance(
            signature=self._metric.signature,
            data=self._roll.data,
            package=__version__,
            seed=self._plan.resampling.seed,
            resamples=self._plan.resampling.resamples,
            resources=tuple(sorted(self._resources.items())),
            confidence=self._plan.resampling.confidence,
        )


def _finite(rows: Floats, values: Floats) -> NDArray[np.bool_]:
    """Which subjects have nothing but numbers."""
    finite = np.isfinite(values)
    with np.errstate(invalid="ignore", over="ignore"):
        whole = np.isfinite(rows.sum())  # one look at all of them, which only tells that they are
    return finite if whole else finite & np.isfinite(rows).all(axis=1)


def new_roll(plan: Plan) -> Roll[Any]:
    """A roll for subjects that are evaluated by this plan."""
    return Roll(plan.batch_size, digests=plan.cache is not None, packed=plan.packed)


def _by_name_and_system(
    metrics: Mapping[str, Metric[S]], subjects: Iterable[S | Missing], plan: Plan
) -> dict[tuple[str, str], Result]:
    whole = {name: metric for name, metric in metrics.items() if not metric.per_item}
    single = {name: fitted(metric, subjects) for name, metric in metrics.items() if metric.per_item}
    rolls: dict[str, Roll[S]] = {}
    tallies: dict[tuple[str, str], Tally[S]] = {}
    corpora: dict[str, list[S | Missing]] = {}
    for groups in _by_system(subjects, plan):
        for system, group in groups.items():
            if system not in rolls:
                rolls[system] = new_roll(plan)
                tallies |= {
                    (name, system): Tally(metric, plan, rolls[system]) for name, metric in single.items()
                }
            for batches in at_once(rolls[system].note(group) if single else (), plan):
                for name in single:
                    tallies[name, system].score(batches)
            if whole:
                corpora.setdefault(system, []).extend(group)
    results: dict[tuple[str, str], Result] = {key: tally.result() for key, tally in tallies.items()}
    for name, metric in whole.items():
        for system, group in corpora.items():
            results[name, system] = evaluate(metric, group, plan)
    return {key: results[key] for key in sorted(results, key=lambda key: list(metrics).index(key[0]))}


def at_once(batches: Iterable[NotedBatch[S]], plan: Plan) -> Iterator[list[NotedBatch[S]]]:
    """The batches one by one, so that the next metric finds them in the processor's cache; more for several workers."""
    stream, width = iter(batches), plan.executor.width
    while chunk := list(islice(stream, 1 if width == 1 else _AHEAD * width)):
        yield chunk


def _by_system(subjects: Iterable[S | Missing], plan: Plan) -> Iterator[dict[str, list[S | Missing]]]:
    """The subjects a few at a time, each system's in whole batches until its last.

    So a system's batches are the same wherever its subjects stand in the stream, and however many run at once.
    """
    stream, size = iter(subjects), plan.batch_size
    waiting: dict[str, list[S | Missing]] = {}
    while chunk := list(islice(stream, size * 4 * plan.executor.width)):
        if len({subject.system for subject in chunk}) == 1:
            waiting.setdefault(chunk[0].system, []).extend(chunk)
        else:
            for subject in chunk:
                waiting.setdefault(subject.system, []).append(subject)
        whole = {system: len(group) // size * size for system, group in waiting.items()}
        yield {system: group[: whole[system]] for system, group in waiting.items() if whole[system]}
        waiting = {system: group[whole[system] :] for system, group in waiting.items()}
    yield {system: group for system, group in waiting.items() if group}


_MOVED: Final = 1 << 16
"""Rows that are moved at once."""


class GrowingRows:
    """Rows in one array that grows where it stands, so that they are never held twice."""

    def __init__(self) -> None:
        self._rows: Floats | None = None
        self._count = 0

    def add(self, rows: Floats) -> None:
        """Put these below the others."""
        end = self._count + len(rows)
        if self._rows is None:
            self._rows = np.array(rows, dtype=np.float64, order="C")
        elif end > len(self._rows):
            # An eighth more than asked for. No view of the array is ever given away before `take`.
            self._rows.resize((end + (end >> 3), self._rows.shape[1]), refcheck=False)
        self._rows[self._count : end] = rows
        self._count = end

    def take(self) -> Floats | None:
        """All rows, which are then no longer here; None where none came."""
        rows, self._rows = self._rows, None
        if rows is not None:
            rows.resize((self._count, rows.shape[1]), refcheck=False)
        self._count = 0
        return rows


def with_gaps(rows: Floats, there: NDArray[np.bool_]) -> Floats:
    """The rows at the places where ``there`` is true, and NaN at the others; ``rows`` itself is moved and returned."""
    end, width = len(rows), rows.shape[1]
    if end == len(there):
        return rows
    rows.resize((len(there), width), refcheck=False)
    # From the last to the first: a row moves down, never up, so that none is overwritten before it has moved.
    for start in reversed(range(0, len(there), _MOVED)):
        places = there[start : start + _MOVED]
        block = np.full((len(places), width), np.nan)
        first = end - int(np.count_nonzero(places))
        block[places] = rows[first:end]
        rows[start : start + len(places)] = block
        end = first
    return rows


@dataclass(frozen=True, slots=True)
class PartScore:
    """Score of a part of one system's subjects under one measure."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    system: str
    part: Mapping[str, int | str]
    """Settings of the part: ``{"stimuli": "ENTQ", "n": 5}``."""
    estimate: Estimate
    unscored: Mapping[str, int]
    """Number of subjects without a value, by reason."""


def break_down(measure: str, system: str, parts: Iterable[Part], plan: Plan) -> Iterator[PartScore]:
    """Yield the score of each part."""
    for part in parts:
        result = evaluate(part.metric, part.subjects, plan)
        yield PartScore(
            measure=measure,
            system=system,
            part=dict(part.keys),
            estimate=result.estimate,
            unscored=dict(sorted(Counter(result.reasons.values()).items())),
        )
