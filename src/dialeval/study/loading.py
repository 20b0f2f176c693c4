"""Results of a run folder, ready to be compared."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from dialeval.catalogue.tasks import TASKS
from dialeval.core import (
    Integers,
    Metric,
    Missing,
    Provenance,
    Resampling,
    Result,
    Signature,
    by_context,
)
from dialeval.data import Dialogue, Example, refuse
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.framed import Framed
from dialeval.data.results import FILE as RESULTS, ItemValues, read_results
from dialeval.display.plots import new_axes
from dialeval.errors import BadInput
from dialeval.evaluation.leaks import Leak
from dialeval.evaluation.measure import Capability, Measure, RecordsContexts, Subjects
from dialeval.evaluation.roll import hash_answer
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.evaluation.runs import Repetition, over_runs, repeated
from dialeval.files.custom_code import is_place, only_named
from dialeval.files.documents import damaged
from dialeval.files.folders import with_home
from dialeval.metrics.custom import from_signature
from dialeval.stats.tests.multiple import Correction
from dialeval.study.answers import NO_RESPONSE
from dialeval.study.document import Score, Summary, Trace
from dialeval.study.folder import FILES, RUN, read_examples, read_manifest, read_run_of, read_summary
from dialeval.study.measures import JUDGE, build_measure, respondents_examples
from dialeval.study.missing import silence_of
from dialeval.study.scores import SystemResult, caption_of, columns_of, plot_scores, shown_columns
from dialeval.text.calls import split_call

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, repr=False)
class LoadedRun(Framed):
    """A run read back from its folder."""

    folder: Path
    scored: tuple[SystemResult, ...]
    examples: tuple[Example, ...]
    resampling: Resampling
    asked: Mapping[str, bytes]
    """Prompt of each item under each measure of a capability."""
    statuses: Mapping[str, Mapping[str, str]]
    """Whether people have checked what each measure of a capability asks, by capability and measure."""
    primary: str | None = None
    """The measure that decides; None where the study declares none."""
    correction: Correction = "holm"
    margins: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """The smallest difference that matters, by measure."""
    leaks: tuple[Leak, ...] = ()
    """Systems whose responses equal their references on most items."""
    missing: str = "auto"
    """Rule for missing values."""

    def _columns(self) -> dict[str, list[object]]:
        return columns_of(self.scored)

    def plot(self, measure: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw every system's score under one measure, by default the first, with its interval; return the axes."""
        axes = ax or new_axes()
        plot_scores(self.folder.name, self.scored, measure, axes)
        return axes

    def _caption(self) -> str:
        return caption_of(self.folder.name, self.scored)

    def _shown(self) -> dict[str, list[object]]:
        return shown_columns(self.scored)


def load_run(folder: str | Path, *, code: Sequence[str] = ()) -> LoadedRun:
    """The results of the run in ``folder``, each system's on its own items, with the intervals of its summary.

    Corpus measures have no rows to read: they are measured again from the examples. Custom metrics that are classes
    have to be loaded again, and are where ``code`` names them, as in ``lab/own.py:NAME``: a run folder may be a
    stranger's, so nothing is loaded because it says so.
    """
    with only_named(code):
        return _load_run(Path(folder), code)


def _load_run(folder: Path, code: Sequence[str]) -> LoadedRun:
    _check_complete(folder)
    summary = read_summary(folder)
    resampling = Resampling(
        resamples=summary.trials,
        seed=summary.seed,
        confidence=summary.level,
        cluster=summary.cluster or "auto",
        **_grouped(folder),
    )
    examples = tuple(read_examples(folder))
    asked = {key: what for capability in TASKS.values() for key, what in capability.asked(folder).items()}
    statuses = {
        name: {section.measure: section.status for section in sections}
        for name, sections in summary.sections.items()
    }
    scored = _scored(folder, summary, examples, resampling, code)
    return LoadedRun(
        folder,
        scored,
        examples,
        resampling,
        asked,
        statuses,
        summary.primary,
        summary.correction,
        summary.margins,
        summary.leaks,
        summary.missing,
    )


def _grouped(folder: Path) -> dict[str, Callable[[str], str]]:
    """Return how items are grouped if some share a context under different ids, as an argument of Resampling."""
    recorded = [task for task in TASKS.values() if isinstance(task, RecordsContexts)]
    contexts = [pair for task in recorded for pair in task.contexts(folder)]
    return {"group": by_context(contexts)} if contexts else {}


def _check_complete(folder: Path) -> None:
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise BadInput(
            path=str(folder),
            found=f"no {', no '.join(missing)}" if folder.is_dir() else "no such folder",
            expected="a run folder with " + ", ".join(FILES),
            todo="Write one with 'dialeval run STUDY -o FOLDER'; the same command finishes a run that was cut short.",
        )


def _scored(
    folder: Path,
    summary: Summary,
    examples: Sequence[Example],
    resampling: Resampling,
    code: Sequence[str],
) -> tuple[SystemResult, ...]:
    scores = {(score.measure, score.system): score for score in summary.results}
    runs = {system.name: system.runs for system in summary.systems}
    traces = {(trace.measure, trace.system): trace for trace in read_manifest(folder).provenance}
    results: dict[tuple[str, str], SystemResult] = {}
    said = _Answers(folder, examples, runs)
    ruled = summary.missing in ("auto", "worst")
    silent = {info.measure for info in summary.measures if ruled and not info.counts_silence}
    for block in read_results(folder / RESULTS):
        key = block.measure, block.system
        if key not in scores or key not in traces:
            named = (
                f"results of {block.system} under {block.measure}, which summary.json or manifest.json lacks"
            )
            raise damaged(folder / RESULTS, named, RUN)
        measure = _measure(folder, scores[key], code)
        metric = over_runs(measure.metric, runs[block.system])
        result = _result(metric, block, scores[key], traces[key], resampling.confidence)
        if block.measure in silent:
            result = dataclasses.replace(result, uncounted=result.unanswered - result.filled)
        known = said.hashes(block.system, block.items, measure.capability)
        result = dataclasses.replace(result, answers=known)
        results[key] = SystemResult(measure, block.system, result, result)
    held = _talks(folder)
    for key, score in scores.items():
        measure = _measure(folder, score, code)
        if not measure.metric.per_item:
            times = runs[score.system]
            talks = [talk for talk in held if talk.system == score.system]
            subjects = talks or _subjects(score.system, examples, results)
            if talks:
                measure = _of_talks(measure)
            if times > 1:
                subjects = _repeated(subjects, [read_run_of(folder, run) for run in range(2, times + 1)])
            metric = over_runs(measure.metric, times)
            outcome = evaluate(
                metric, subjects, Plan(resampling=resampling, silence=silence_of(summary.missing))
            )
            outcome = dataclasses.replace(outcome, provenance=_provenance(traces[key], resampling.confidence))
            results[key] = SystemResult(measure, score.system, outcome, outcome)
    return tuple(results[key] for key in scores)


def _talks(folder: Path) -> list[Dialogue]:
    """Return the talks of a run with simulated users; none of other runs, which import nothing for it."""
    if not any((folder / name).is_file() for name in TASKS.traits["talks"].files):
        return []
    from dialeval.talks.measure import read_talks

    return list(read_talks(folder))


def _of_talks(measure: Measure) -> Measure:
    from dialeval.talks.turns import on_talks

    return dataclasses.replace(measure, metric=on_talks(measure.metric))


class _Answers:
    """Answers of the systems of a run, by which comparisons tell that they are the same."""

    def __init__(self, folder: Path, examples: Sequence[Example], runs: Mapping[str, int]) -> None:
        self._folder, self._examples, self._runs = folder, examples, runs
        self._known: dict[str, dict[str, int | None]] = {}
        self._recorded: dict[str, dict[tuple[str, str], int]] = {}

    def hashes(
        self, system: str, items: Sequence[str], capability: Capability | None = None
    ) -> Integers | None:
        """Those of what the system said to these items, if a capability asked, all of it; None if one is not known."""
        if capability is not None:
            return self._asked(system, items, capability)
        if system not in self._known:
            self._known[system] = {said.item: hash_answer(said) for said in self._subjects(system)}
        known = [self._known[system].get(item, hash(None)) for item in items]
        return None if None in known else np.array(known, dtype=np.int64)

    def _asked(self, system: str, items: Sequence[str], capability: Capability) -> Integers | None:
        if capability.name not in self._recorded:
            self._recorded[capability.name] = _line_hashes(self._folder, capability.files)
        recorded = self._recorded[capability.name]
        if self._runs[system] > 1 or not recorded:
            return None
        return np.array([recorded.get((system, item), hash(None)) for item in items], dtype=np.int64)

    def _subjects(self, system: str) -> Sequence[Example | Repetition | Missing]:
        first = [example for example in self._examples if example.system == system]
        times = self._runs[system]
        if times < 2:
            return first
        return _repeated(first, [read_run_of(self._folder, run) for run in range(2, times + 1)])


_NOT_SAID: Final = frozenset({"measure", "id", "system", "status", "reason"})
"""Keys of a line that are not what a system said; a line with no other says why it said nothing."""


def _line_hashes(folder: Path, files: Iterable[str]) -> dict[tuple[str, str], int]:
    """A hash of all lines about each item of a system."""
    said: dict[tuple[str, str], list[str]] = {}
    for path in (folder / name for name in files):
        for row in read_rows(path, refuse) if path.is_file() else ():
            if isinstance(row.fields, dict):
                own = {key: value for key, value in row.fields.items() if key not in _NOT_SAID}
                texts = said.setdefault((str(row.fields.get("system")), str(row.fields.get("id"))), [])
                texts += [json.dumps(own, sort_keys=True)] if own else []
    return {key: hash(tuple(texts)) if texts else hash(None) for key, texts in said.items()}


def _result(metric: Metric[Any], block: ItemValues, score: Score, trace: Trace, confidence: float) -> Result:
    if not metric.per_item:
        raise TypeError(f"{block.measure} measures a corpus and can have no rows")
    return Result(
        metric=metric,
        items=block.items,
        systems=(block.system,) * len(block.items),
        rows=block.statistics,
        values=block.values,
        estimate=score.own,
        provenance=_provenance(trace, confidence),
        reasons=block.reasons,
        unanswered=score.unanswered,
        filled=score.filled,
    )


def _subjects(
    system: str, examples: Sequence[Example], results: Mapping[tuple[str, str], SystemResult]
) -> Subjects:
    """Return the system's response to every item of the run, with the reason if there is none."""
    answered = {example.item: example for example in examples if example.system == system}
    silent = {example.item: NO_RESPONSE for example in examples}
    for scored in results.values():
        if scored.system == system and scored.result.per_item and scored.measure.capability is None:
            silent |= {scored.result.items[row]: reason for row, reason in scored.result.reasons.items()}
    return [answered.get(item) or Missing(item, system, reason) for item, reason in silent.items()]


def _repeated(first: Subjects, others: Sequence[Iterable[Example]]) -> list[Repetition | Missing]:
    """Return the responses of a system in all of its runs."""
    system = first[0].system if first else ""
    runs = [first]
    for examples in others:
        said = {example.item: example for example in examples if example.system == system}
        runs.append([said.get(given.item) or Missing(given.item, system, NO_RESPONSE) for given in first])
    return repeated(runs)


def _measure(folder: Path, score: Score, code: Sequence[str]) -> Measure:
    """The measure of a score; a custom function is not loaded again, since its values have all that is asked."""
    place = split_call(score.signature).name
    if is_place(place):
        function = from_signature(score.signature)
        if function is not None:
            return Measure(score.measure, function, "", respondents_examples)
        call = Signature.parse(score.signature).call
        measure = build_measure(call, folder=_folder_of(place, code))
        measure = dataclasses.replace(measure, label=score.measure)
    elif place == JUDGE:
        from dialeval.judge.metric import RecordedJudge

        measure = Measure(score.measure, RecordedJudge(score.signature), "", respondents_examples)
    else:
        recorded = _recorded_by_judge(score) if "judge" in score.measure else None
        measure = recorded or build_measure(score.measure)
    if str(measure.metric.signature) != score.signature:
        raise BadInput(
            path=str(folder / "summary.json"),
            field=f"results.{score.measure}.signature",
            found=score.signature,
            expected=str(measure.metric.signature),
            todo="The run was made with another version of this measure: run the study again to compare it.",
        )
    return measure


def _recorded_by_judge(score: Score) -> Measure | None:
    """The measure of a score that a named judge gave, whose description is not read again; None of other measures."""
    from dialeval.judge.recorded import RecordedByJudge, is_by_judge, without_judge

    if not is_by_judge(score.measure):
        return None
    plain = build_measure(without_judge(score.measure))
    metric = RecordedByJudge(score.signature, plain.metric)
    return dataclasses.replace(plain, label=score.measure, metric=metric)


def _folder_of(place: str, code: Sequence[str]) -> Path:
    """Where the file of custom code lies: as the user names it, since a run knows it without its folders."""
    file = place.rpartition(":")[0]
    named = (with_home(given.rpartition(":")[0]) for given in code)
    return next((path.parent for path in named if path.name == file), Path())


def _provenance(trace: Trace, confidence: float) -> Provenance:
    return Provenance(
        signature=Signature.parse(trace.signature),
        data=trace.data,
        package=trace.package,
        seed=trace.seed,
        resamples=trace.trials,
        resources=tuple(sorted(trace.resources.items())),
        confidence=confidence,
    )
