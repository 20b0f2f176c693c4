"""Run of a study: every system answers, every measure scores, pairs are compared, gates are checked."""

from __future__ import annotations

import time
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from dialeval.core import Estimate, by_context
from dialeval.data import Prompt, read_prompts, with_references
from dialeval.data.framed import Framed
from dialeval.data.table import Table
from dialeval.display.plots import new_axes
from dialeval.engine import Workshop
from dialeval.errors import BadInput, DialevalError
from dialeval.evaluation.compare import Comparison
from dialeval.evaluation.measure import Respondent, recorded_items
from dialeval.evaluation.runner import PartScore, Plan, break_down
from dialeval.study.answers import ask
from dialeval.study.document import AnswerSource, Failure, GateOutcome, Ranking, Unmatched
from dialeval.study.file import Study
from dialeval.study.freshness import AnswerPolicy, answer_source, check_servers
from dialeval.study.gates import HUMAN, ScoreAtGate, check_gates, check_human_gates
from dialeval.study.human import People, agree, judge_beside_people, judges_use_of_scale, read_people
from dialeval.study.judged_pairs import KEY, answers_of, judged_pairs
from dialeval.study.measures import JUDGE
from dialeval.study.ranks import compare, rank, rankings, without_values
from dialeval.study.scores import SystemResult, caption_of, columns_of, plot_scores, score_all, shown_columns
from dialeval.study.unmatched import (
    check_unmatched,
    known_items,
    strange_ratings,
    unmatched_ratings,
    unmatched_references,
    unmatched_responses,
)
from dialeval.systems.spending import Budget, spending_together

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dialeval.judge.document import JudgeRecord
    from dialeval.judge.pairs import JudgedPairs
    from dialeval.meta import Findings


@dataclass(frozen=True, slots=True, repr=False)
class Run(Framed):
    """The results of a study."""

    study: Study
    prompts: Sequence[Prompt]
    respondents: tuple[Respondent, ...]
    scored: tuple[SystemResult, ...]
    compared: tuple[Comparison, ...]
    gates: tuple[GateOutcome, ...]
    failures: tuple[Failure, ...]
    ranks: tuple[Ranking, ...] = ()
    """Over all measures first, then under each measure that ranks systems."""
    agreement: Findings | None = None
    """Agreement of the measures with people; None if the study has no human ratings, or they do not join."""
    unmatched: tuple[Unmatched, ...] = ()
    """Files with lines that match no item."""
    answers: tuple[AnswerSource, ...] = ()
    """Where the answers of systems that generate come from."""
    breakdowns: tuple[PartScore, ...] = ()
    """Scores of parts of the subjects, of measures that have some."""
    judges: tuple[JudgeRecord, ...] = ()
    """What the language models did that judged."""
    pairs: JudgedPairs | None = None
    """Verdicts on the systems' answers pair by pair; None if nobody gave any."""

    def _columns(self) -> dict[str, list[object]]:
        return columns_of(self.scored)

    def plot(self, measure: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw every system's score under one measure, by default the first, with its interval; return the axes."""
        axes = ax or new_axes()
        plot_scores(self.study.name, self.scored, measure, axes)
        return axes

    def _caption(self) -> str:
        return caption_of(self.study.name, self.scored)

    def _shown(self) -> dict[str, list[object]]:
        return shown_columns(self.scored)


def run_study(study: Study, workshop: Workshop | None = None, policy: AnswerPolicy | None = None) -> Run:
    """Carry out ``study``: here, and without a cache, unless a workshop says otherwise.

    A system or measure that fails is recorded, and the others are still run. The policy says which cached answers may
    be used; ServerChanged, before anything else is asked, if a server no longer gives them.
    """
    with spending_together(study.name, study.budget or Budget()):
        return _carried_out(study, workshop, policy)


def _carried_out(study: Study, workshop: Workshop | None, policy: AnswerPolicy | None) -> Run:
    policy, began = policy or AnswerPolicy(), time.time()
    study, workshop = policy.applied(study, workshop or Workshop())
    prompts, items, people = read_inputs(study)
    study = _by_contexts(study)
    checks = check_servers(study, prompts, workshop) if policy.check else {}
    failures: list[Failure] = []
    respondents = tuple(
        ask(system, prompts, items, study, workshop, failures)
        if uses_answers(study)
        else Respondent(system, ())
        for system in study.systems
    )
    failed = {failure.system for failure in failures if not failure.partial}
    asked = [each for each in respondents if each.system.name not in failed]
    given = [answer_source(each, checks.get(each.system.name), began) for each in asked]
    answers = [source for source in given if source is not None]
    _judge_in_batches(study, respondents)
    scored = rank(study, tuple(score_all(study, respondents, workshop, failures, answers, began)), failures)
    failures += without_values(scored, failures)
    compared = compare(study, scored)
    agreement = _agree(study, people, items, scored, workshop, failures) if people else None
    gates = (*_check(study, scored, compared, failures), *_check_ratings(study, agreement))
    judges = tuple(_judged(study, scored, agreement, failures))
    pairs = _judged_pairs(study, asked, scored, failures)
    return Run(
        study=study,
        prompts=prompts,
        respondents=respondents,
        scored=scored,
        compared=compared,
        gates=gates,
        failures=tuple(failures),
        ranks=rankings(study, scored, compared),
        agreement=agreement,
        unmatched=tuple(_unmatched(study, items, people)),
        answers=tuple(answers),
        breakdowns=tuple(_broken_down(study, scored, workshop)),
        judges=judges,
        pairs=pairs,
    )


def _judged_pairs(
    study: Study,
    respondents: Sequence[Respondent],
    scored: Sequence[SystemResult],
    failures: list[Failure],
) -> JudgedPairs | None:
    """The verdicts on pairs of answers; a judge that cannot be asked keeps no measure from its scores."""
    if study.pairs is None:
        return None
    try:
        return judged_pairs(study.pairs, answers_of(respondents, scored), study.resampling)
    except DialevalError as error:
        failures.append(Failure(None, None, f"{KEY}: {error}"))
        return None


def _judge_in_batches(study: Study, respondents: Sequence[Respondent]) -> None:
    """Ask judges that use batches about the answers of all systems together, so that nobody waits for each of them."""
    for measure in study.measures:
        if measure.metric.name != JUDGE:
            continue
        from dialeval.judge.metric import Judge
        from dialeval.judge.record import judged_subjects

        judge = measure.metric
        if isinstance(judge, Judge) and judge.batch:
            answers = [
                answer for each in respondents for run in each.runs or (each.examples,) for answer in run
            ]
            with suppress(DialevalError):  # which scoring tells of
                judge.verdicts(list(judged_subjects(judge, answers)))


def _judged(
    study: Study, scored: Sequence[SystemResult], agreement: Findings | None, failures: list[Failure]
) -> Iterator[JudgeRecord]:
    """The record of each judge that gave verdicts; a canary that cannot be asked fails the measure alone."""
    for measure in study.measures:
        subjects = [subject for s in scored if s.measure is measure for subject in s.subjects]
        if not subjects or not (measure.metric.asks or measure.asking is not None):
            continue
        from dialeval.judge.metric import Judge
        from dialeval.judge.record import inquiries, record_of
        from dialeval.judge.repeats import panel_record

        try:
            for inquiry in inquiries(measure.label, (measure.metric, measure.asking), subjects):
                found = record_of(*inquiry)
                if isinstance(measure.metric, Judge):
                    found = replace(
                        found,
                        people=judge_beside_people(study, measure, agreement),
                        panel=panel_record(measure.metric, subjects, study.resampling),
                        scale=judges_use_of_scale(study, measure, agreement),
                    )
                yield found
        except DialevalError as error:
            failures.append(Failure(None, measure.label, f"canary: {error}"))


def _by_contexts(study: Study) -> Study:
    """Return the study with items resampled by context too, if it has measures whose items may share one."""
    contexts: dict[tuple[str, Hashable], None] = {}
    for measure in study.measures:
        if measure.contexts is not None:
            with suppress(DialevalError):  # which the measure tells of when it asks
                contexts |= dict.fromkeys(measure.contexts())
    if not contexts:
        return study
    return replace(study, resampling=replace(study.resampling, group=by_context(contexts)))


def uses_answers(study: Study) -> bool:
    """Return whether the study uses answers to its prompts, which may have to be paid for."""
    if study.talks is not None:
        return False
    return (
        study.human is not None
        or study.pairs is not None
        or any(measure.capability is None for measure in study.measures)
    )


def _broken_down(study: Study, scored: Sequence[SystemResult], workshop: Workshop) -> Iterator[PartScore]:
    plan = Plan(resampling=study.resampling, executor=workshop.executor, silence=study.silence)
    for result in scored:
        if result.measure.breakdowns is not None:
            parts = result.measure.breakdowns(result.subjects)
            yield from break_down(result.label, result.system, parts, plan)


class Inputs(NamedTuple):
    """Files that a study reads before anybody is asked."""

    prompts: Sequence[Prompt]
    items: Collection[str]
    """Ids of all items, whatever the limit, and of what measures ask beside the prompts."""
    people: People | None


def read_inputs(study: Study) -> Inputs:
    """The study's prompts, items and human ratings: a bad file should be known before hours are spent on answers."""
    everything = _prompts(study)
    items = known_items(study, everything)
    for file in unmatched_references(study, items):
        check_unmatched(file, items, allowed=study.allow_unmatched)
    people = read_people(study.human, study) if study.human else None
    return Inputs(everything[: study.limit], items, people)


def _prompts(study: Study) -> Sequence[Prompt]:
    """The prompts; of systems that only recorded something else, as whole dialogues, the items of these."""
    if study.talks is not None:
        return [Prompt(item, ()) for item in study.talks.items]
    recorded = [items for system in study.systems if (items := recorded_items(system)) is not None]
    if len(recorded) == len(study.systems):
        return [Prompt(item, ()) for item in dict.fromkeys(chain.from_iterable(recorded))]
    prompts: Sequence[Prompt] = Table(
        Prompt, read_prompts(study.data, columns=study.columns, turns=study.turns)
    )
    for file in study.references:
        prompts = with_references(prompts, file)
    if not prompts:
        raise BadInput(
            str(study.data), "no prompts", "at least one context to answer", "Check 'data' in the study."
        )
    return prompts


def _unmatched(study: Study, items: Collection[str], people: People | None) -> Iterator[Unmatched]:
    """The files with lines that match no item; a file that cannot be read has failed before."""
    yield from unmatched_references(study, items)
    for system in study.systems:
        with suppress(Exception):
            yield from unmatched_responses(system, items)
    if people and (strange := unmatched_ratings(study, people.ratings, items)) is not None:
        yield strange


def _agree(
    study: Study,
    people: People,
    items: Collection[str],
    scored: Sequence[SystemResult],
    workshop: Workshop,
    failures: list[Failure],
) -> Findings | None:
    try:
        check_unmatched(strange_ratings(study, people.ratings, items), items, allowed=study.allow_unmatched)
        return agree(study, people, scored, workshop.watch)
    except DialevalError as error:  # the measures' own results stand without people
        failures.append(Failure(None, None, f"human ratings: {error}"))
        return None


def _check(
    study: Study,
    scored: Sequence[SystemResult],
    compared: Sequence[Comparison],
    failures: Sequence[Failure],
) -> Iterator[GateOutcome]:
    """Judge scores and differences by the gates; a system that failed under a measure passes none on it."""
    judged = [ScoreAtGate.of(result.measure.label, result.system, result.ranked) for result in scored]
    known = {(each.measure, each.system) for each in judged}
    judged += [
        ScoreAtGate(failure.measure, failure.system, Estimate.undefined("it failed"))
        for failure in failures
        if failure.measure is not None
        and failure.system is not None
        and (failure.measure, failure.system) not in known
    ]
    gates = [gate for gate in study.gates if gate.measure != HUMAN]
    return check_gates(gates, judged, compared, allowed=study.allow_unanswered)


def _check_ratings(study: Study, agreement: Findings | None) -> Iterator[GateOutcome]:
    """Judge people's mean ratings, estimated over all items, by the gates on them."""
    found = () if agreement is None else agreement.document.estimates
    notes = () if agreement is None else agreement.document.notes
    why = next((note.text for note in notes if note.code == "no_estimates"), None)
    return check_human_gates(
        study.gates,
        [system.name for system in study.systems],
        {each.system: each.estimate for one in found for each in one.systems},
        {(each.a, each.b): each.estimate for one in found for each in one.differences},
        reason=why or "people did not rate enough of it",
    )
