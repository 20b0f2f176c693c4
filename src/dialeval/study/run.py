"""Run of a study: every system answers, every measure scores, pairs are compared, gates are checked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from dialeval.core import CorpusMeasure, Missing, Outcome, Replayer, Result, System
from dialeval.data import Example, Prompt, Response, read_prompts, with_references
from dialeval.data.frames import Framed, html_table
from dialeval.engine import SILENT, Cache, Executor, InProcess, Progress
from dialeval.errors import BadInput, DialevalError, described
from dialeval.evaluation.compare import Comparison
from dialeval.evaluation.measure import AnyMetric, Measure, Respondent, Subjects, Tools, Watch, can_answer
from dialeval.evaluation.runner import Plan, evaluate_any, fitted
from dialeval.study.answering import answers_of
from dialeval.study.document import Failure, GateOutcome, Unmatched
from dialeval.study.file import Study
from dialeval.study.gates import check_gates
from dialeval.study.human import People, agree, read_people
from dialeval.study.unmatched import (
    check_unmatched,
    known_items,
    no_line,
    unmatched_ratings,
    unmatched_references,
    unmatched_responses,
)
from dialeval.study.verdicts import compare, rank, without_values

if TYPE_CHECKING:
    from dialeval.meta import Findings

_ANSWERS_NOTHING: Final = "a system of this kind answers no prompts"


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where and how the work is done; nothing in it can move a number."""

    executor: Executor = field(default_factory=InProcess)
    cache: Cache | None = None
    watch: Watch = lambda _what, _total: nullcontext(SILENT)
    batch_size: int = 256


@dataclass(frozen=True, slots=True)
class Scored:
    """One measure's result for one system."""

    measure: Measure
    system: str
    result: Outcome
    """On all items that the system has a value for."""
    ranked: Outcome
    """On the items that the systems are ranked on; the same object where these are the same."""
    subjects: Subjects = ()
    """What was measured; nothing where the result was read back from a run folder."""


@dataclass(frozen=True, slots=True)
class Run(Framed):
    """The results of a study."""

    study: Study
    prompts: tuple[Prompt, ...]
    respondents: tuple[Respondent, ...]
    scored: tuple[Scored, ...]
    compared: tuple[Comparison, ...]
    gates: tuple[GateOutcome, ...]
    failures: tuple[Failure, ...]
    agreement: Findings | None = None
    """How the measures agree with people; None where the study has no human ratings, or they do not join."""
    unmatched: tuple[Unmatched, ...] = ()
    """Files with lines that match no item."""

    def _columns(self) -> dict[str, list[object]]:
        return columns_of(self.scored)

    def _repr_html_(self) -> str:
        return html_of(self.study.name, self.scored)


def columns_of(scored: Sequence[Scored]) -> dict[str, list[object]]:
    """One row for each item, system and measure that has values of single items, as in results.parquet."""
    columns: dict[str, list[object]] = {name: [] for name in ("item", "system", "measure", "value", "reason")}
    for score in scored:
        if isinstance(score.result, Result):
            part = score.result.to_arrow().to_pydict()
            part["measure"] = [score.measure.label] * len(score.result)
            part["system"] = [score.system] * len(score.result)
            for name, values in part.items():
                columns[name] += values
    return columns


def html_of(title: str, scored: Sequence[Scored]) -> str:
    """Every system's score under every measure, for notebooks."""
    rows = [
        (score.system, score.measure.label, score.result.score, score.result.interval, score.result.scored)
        for score in scored
    ]
    return html_table(
        title,
        {
            "system": [row[0] for row in rows],
            "measure": [row[1] for row in rows],
            "score": [row[2] for row in rows],
            "low": [row[3].low if row[3] else None for row in rows],
            "high": [row[3].high if row[3] else None for row in rows],
            "n": [row[4] for row in rows],
        },
    )


def run_study(study: Study, workshop: Workshop | None = None) -> Run:
    """Carry out ``study``: here, and without a cache, unless a workshop says otherwise.

    A system or measure that fails is recorded, and the others are still run.
    """
    workshop = workshop or Workshop()
    everything = _prompts(study)
    prompts, items = everything[: study.limit], known_items(study, everything)
    for file in unmatched_references(study, items):
        check_unmatched(file, items, allowed=study.allow_unmatched)
    # Read first: a bad file should be known before hours are spent on answers.
    people = read_people(study.human, study) if study.human else None
    failures: list[Failure] = []
    respondents = tuple(_ask(system, prompts, items, study, workshop, failures) for system in study.systems)
    scored = rank(study, tuple(_score(study, respondents, workshop, failures)), failures)
    failures += without_values(scored, failures)
    compared = compare(study, scored)
    agreement = _agree(study, people, items, scored, workshop, failures) if people else None
    gates = tuple(_check(study, scored))
    return Run(
        study,
        prompts,
        respondents,
        scored,
        compared,
        gates,
        tuple(failures),
        agreement,
        tuple(_unmatched(study, items, people)),
    )


def _prompts(study: Study) -> tuple[Prompt, ...]:
    prompts = tuple(read_prompts(study.data, turns=study.turns))
    for file in study.references:
        prompts = with_references(prompts, file)
    if not prompts:
        raise BadInput(
            str(study.data), "no prompts", "at least one context to answer", "Check 'data' in the study."
        )
    return prompts


def _ask(
    system: System,
    prompts: Sequence[Prompt],
    items: Collection[str],
    study: Study,
    workshop: Workshop,
    failures: list[Failure],
) -> Respondent:
    """The system with its answers; where it fails as a whole, every answer is missing for that reason."""
    if not can_answer(system):
        return Respondent(system, [Missing(p.item, system.name, _ANSWERS_NOTHING) for p in prompts])
    try:
        check_unmatched(unmatched_responses(system, items), items, allowed=study.allow_unmatched)
        answers, failure = answers_of(
            system, prompts, study.resampling.seed, cache=workshop.cache, watch=workshop.watch
        )
        if not any(answers):
            hint = "Do the ids agree?" if isinstance(system, Replayer) else "Does its corpus suit the data?"
            raise DialevalError(f"it has no response to any of the {len(prompts)} items. {hint}")
    except Exception as error:  # a system is foreign code: whatever it raises must not take the others down
        message = described(error)
        failures.append(Failure(system.name, None, message))
        return Respondent(
            system, [Missing(p.item, system.name, f"system failed: {message}") for p in prompts]
        )
    failures += [Failure(system.name, None, failure, partial=True)] if failure else []
    return Respondent(system, [_example(system, *pair) for pair in zip(prompts, answers, strict=True)])


def _example(system: System, prompt: Prompt, responses: tuple[Response, ...]) -> Example | Missing:
    if not responses:
        reason = no_line(system, prompt.item) or "the system gave no response"
        return Missing(prompt.item, system.name, reason)
    if responses[0].missing is not None:
        return Missing(prompt.item, system.name, responses[0].missing)
    return Example(prompt.item, system.name, prompt.context, responses[0], prompt.references)


def _unmatched(study: Study, items: Collection[str], people: People | None) -> Iterator[Unmatched]:
    """The files with lines that match no item; a file that cannot be read has failed before."""
    yield from unmatched_references(study, items)
    for system in study.systems:
        with suppress(Exception):
            if (strange := unmatched_responses(system, items)) is not None:
                yield strange
    if people and (strange := unmatched_ratings(study, people.ratings, items)) is not None:
        yield strange


class _Judged(NamedTuple):
    """A system, and what a measure is asked about."""

    system: str
    subjects: Subjects


def _score(
    study: Study, respondents: Sequence[Respondent], workshop: Workshop, failures: list[Failure]
) -> Iterator[Scored]:
    for measure in study.measures:
        judged = list(_judged(measure, respondents, study, workshop, failures))
        with workshop.watch(measure.label, sum(len(given.subjects) for given in judged)) as progress:
            try:
                metric = _prepared(measure, judged)
            except Exception as error:
                message = described(error)
                failures += [Failure(given.system, measure.label, message) for given in judged]
                continue
            for given in judged:
                try:
                    result = _evaluate(metric, given.subjects, study, workshop, progress)
                except Exception as error:  # one measure's failure must not lose the others' results
                    failures.append(Failure(given.system, measure.label, described(error)))
                else:
                    yield Scored(measure, given.system, result, result, given.subjects)


def _judged(
    measure: Measure,
    respondents: Sequence[Respondent],
    study: Study,
    workshop: Workshop,
    failures: list[Failure],
) -> Iterator[_Judged]:
    """What the measure is asked about for each system; one that cannot do what is asked of it fails alone.

    Measures of answers pass over systems that answer no prompts.
    """
    tools = Tools(workshop.cache, workshop.watch, study.limit)
    for respondent in respondents:
        name = respondent.system.name
        if measure.capability is None and not can_answer(respondent.system):
            continue
        try:
            subjects = measure.subjects(respondent, tools)
        except Exception as error:  # asking more of a system runs foreign code, as asking for answers does
            failures.append(Failure(name, measure.label, described(error)))
        else:
            yield _Judged(name, subjects)


def _prepared(measure: Measure, judged: Sequence[_Judged]) -> AnyMetric:
    if isinstance(measure.metric, CorpusMeasure):
        return measure.metric
    # Fitted to all systems together: were each fitted to its own items, a gap would make systems incomparable.
    return fitted(measure.metric, [subject for given in judged for subject in given.subjects])


def _evaluate(
    metric: AnyMetric,
    subjects: Subjects,
    study: Study,
    workshop: Workshop,
    progress: Progress,
) -> Outcome:
    plan = Plan(
        resampling=study.resampling,
        executor=workshop.executor,
        cache=workshop.cache,
        progress=progress,
        batch_size=workshop.batch_size,
    )
    return evaluate_any(metric, subjects, plan)


def _agree(
    study: Study,
    people: People,
    items: Collection[str],
    scored: Sequence[Scored],
    workshop: Workshop,
    failures: list[Failure],
) -> Findings | None:
    try:
        check_unmatched(unmatched_ratings(study, people.ratings, items), items, allowed=study.allow_unmatched)
        return agree(study, people, scored, workshop.watch)
    except DialevalError as error:  # the measures' own results stand without people
        failures.append(Failure(None, None, f"human ratings: {error}"))
        return None


def _check(study: Study, scored: Sequence[Scored]) -> Iterator[GateOutcome]:
    return check_gates(study.gates, [(one.measure.label, one.system, one.ranked.score) for one in scored])
