"""The work of one shard of a study: its items' answers, and the statistics of its batches."""

from __future__ import annotations

from collections.abc import Sequence

from dialeval.core import Replayer, System
from dialeval.data import Prompt
from dialeval.engine import Workshop
from dialeval.errors import described
from dialeval.evaluation.answering import ANSWERED_AT_ONCE, answers_of
from dialeval.evaluation.measure import Measure, Respondent, Subjects, Tools, can_answer, recorded_together
from dialeval.evaluation.runner import Plan, Tally
from dialeval.evaluation.runs import over_runs, repeated
from dialeval.evaluation.shards import Shard, whole_batches
from dialeval.study.answering import as_example, ask
from dialeval.study.document import Failure
from dialeval.study.file import Study
from dialeval.study.freshness import AnswerPolicy, check_servers
from dialeval.study.run import Inputs, read_inputs, uses_answers


def work_on_shard(
    study: Study, shard: Shard, workshop: Workshop, policy: AnswerPolicy | None = None
) -> list[Failure]:
    """Compute what ``run_study`` would compute of this shard's items, into the workshop's cache.

    What needs all items is left to merging: corpus measures, metrics that are fitted to their corpus or to pools of
    references, batches that lie in two shards, intervals, tests and ranks. What fails is returned, and the rest is
    still done.
    """
    study, workshop = (policy or AnswerPolicy()).applied(study, workshop)
    inputs = read_inputs(study)
    check_servers(study, inputs.prompts, workshop)
    failures: list[Failure] = []
    for system in study.systems:
        worked = _Worked(study, shard, workshop, inputs)
        try:
            asked = can_answer(system) and uses_answers(study)
            respondent = worked.answers(system, failures) if asked else Respondent(system, [])
        except (
            Exception
        ) as error:  # a system is foreign code: whatever it raises must not take the others down
            failures.append(Failure(system.name, None, described(error)))
            continue
        for measure in study.measures:
            try:
                worked.measure(measure, respondent)
            except Exception as error:
                failures.append(Failure(system.name, measure.label, described(error)))
    return failures


class _Worked:
    """One system's part of a shard."""

    def __init__(self, study: Study, shard: Shard, workshop: Workshop, inputs: Inputs) -> None:
        self.study, self.shard, self.workshop, self.inputs = study, shard, workshop, inputs
        self.places = range(0)
        """Of the prompts whose batches of statistics are this shard's."""
        self.first = 0
        """The place of the first subject that is known."""

    def answers(self, system: System, failures: list[Failure]) -> Respondent:
        """The system's answers to the shard's prompts; recorded ones to all prompts, which costs nothing."""
        prompts, size = self.inputs.prompts, self.workshop.batch_size
        if isinstance(system, Replayer):
            self.places = self.shard.places(len(prompts), size)
            # What is wrong with a file of responses is said when all is merged: nothing has to be asked again.
            return ask(system, prompts, self.inputs.items, self.study, self.workshop, [])
        own = self.shard.places(len(prompts), ANSWERED_AT_ONCE)
        self.places, self.first = whole_batches(own, len(prompts), size), own.start
        return self._generated(system, prompts[own.start : own.stop], failures)

    def _generated(self, system: System, prompts: Sequence[Prompt], failures: list[Failure]) -> Respondent:
        shop = self.workshop
        seed = self.study.resampling.seed
        answers, failure = answers_of(
            system,
            prompts,
            seed,
            cache=shop.answer_cache(system.name),
            watch=shop.watch,
            executor=shop.asking,
        )
        failures += [Failure(system.name, None, failure, partial=True)] if failure else []
        pairs = zip(prompts, answers, strict=True)
        return Respondent(system, [as_example(system, *pair) for pair in pairs])

    def measure(self, measure: Measure, respondent: Respondent) -> None:
        """Ask what a capability asks of the shard's questions, or compute statistics of the shard's batches."""
        shop = self.workshop
        if measure.capability is not None:
            if not respondent.runs:  # several runs are refused when all is merged
                cache = shop.answer_cache(respondent.system.name)
                recorded = recorded_together(self.study.systems)
                tools = Tools(
                    cache, shop.watch, self.study.limit, self.shard, shop.asking, shop.executor, recorded
                )
                measure.subjects(respondent, tools)
        elif can_answer(respondent.system):
            subjects = repeated(respondent.runs) if respondent.runs else respondent.examples
            own = subjects[self.places.start - self.first : self.places.stop - self.first]
            self._statistics(measure, own, max(1, len(respondent.runs)))

    def _statistics(self, measure: Measure, subjects: Subjects, runs: int) -> None:
        metric, shop = over_runs(measure.metric, runs), self.workshop
        if measure.metric.needs_all or measure.pool:
            return
        if not subjects:
            return
        with shop.watch(measure.label, len(subjects)) as progress:
            plan = Plan(
                executor=shop.executor, cache=shop.cache, progress=progress, batch_size=shop.batch_size
            )
            Tally(metric, plan).add(subjects)
