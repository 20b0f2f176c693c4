"""Asking several systems the same questions, and comparing their choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dialeval.core import Missing, Result, System
from dialeval.data.choices import Choice
from dialeval.data.types import Question
from dialeval.engine import Cache, Watch, unwatched
from dialeval.errors import described
from dialeval.evaluation.compare import Comparison, compare_all
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.selection.asking.choosers import ByLikelihood, Chooser
from dialeval.selection.asking.choosing import Normalise, choose, fitted_chooser
from dialeval.selection.asking.metrics import HitsAt, ReciprocalRank, SelectionAccuracy, labelled_errors
from dialeval.selection.asking.questions import by_context, checked_questions
from dialeval.selection.document import ErrorLabel, Refusal


@dataclass(frozen=True, slots=True)
class Answered:
    """What one system chose, and what that comes to."""

    system: str
    signature: str
    """Of the system, fitted to the questions where it must be."""
    choices: tuple[Choice | Missing, ...]
    """One for each question, in their order."""
    accuracy: Result
    mrr: Result
    hits: Mapping[int, Result]
    """The share of questions with a correct candidate among the first k, by k."""
    errors: tuple[ErrorLabel, ...]
    """By what is wrong with the candidates, where any of them says so."""
    by_likelihood: bool
    """Whether its scores are log-probabilities, which normalising concerns; those of baselines are cosines."""

    @property
    def ties(self) -> int:
        """Questions in which the best correct candidate ties with the best false one, and which are therefore wrong."""
        scored = set(range(len(self.choices))) - set(self.accuracy.reasons)
        return sum(isinstance(choice := self.choices[index], Choice) and choice.tied for index in scored)


@dataclass(frozen=True, slots=True)
class Asked:
    """The outcome of asking all systems."""

    questions: tuple[Question, ...]
    normalise: Normalise
    answered: tuple[Answered, ...]
    comparisons: tuple[Comparison, ...]
    """Every pair of systems under accuracy, with McNemar's test and Holm's correction."""
    refused: tuple[Refusal, ...]


def ask(
    systems: Sequence[System | Chooser],
    questions: Sequence[Question],
    *,
    normalise: Normalise = "sum",
    hits: Sequence[int] = (2,),
    plan: Plan | None = None,
    watch: Watch = unwatched,
    caches: Mapping[str, Cache] | None = None,
) -> Asked:
    """Every system's choices in the questions with accuracy, mean reciprocal rank and hits at each k.

    A system that cannot choose is recorded with the reason, and the others are asked. Of ``plan``, resampling, cache
    and executor count; ``caches`` are those of systems with one of their own, by name. Questions of one context are
    resampled together, as those of one dialogue are. If no false candidate has an error label, there is no breakdown of
    errors.
    """
    asked = checked_questions(questions)
    plan = plan or Plan()
    plan = replace(plan, resampling=replace(plan.resampling, group=by_context(asked)))
    answered: list[Answered] = []
    refused: list[Refusal] = []
    for system in systems:
        try:
            chooser = fitted_chooser(system, asked)
            with watch(f"{chooser.name} chooses", len(asked)) as progress:
                choices = choose(
                    chooser,
                    asked,
                    normalise=normalise,
                    cache=(caches or {}).get(system.name, plan.cache),
                    progress=progress,
                    executor=plan.executor,
                )
        # A system is foreign code: whatever it raises must not take the others down.
        except Exception as error:
            refused.append(refusal(system, error))
        else:
            answered.append(_answered(chooser, choices, normalise, hits, plan))
    results = [answer.accuracy for answer in answered]
    comparisons = compare_all(results, plan.resampling) if plan.resampling.resamples else ()
    return Asked(tuple(asked), normalise, tuple(answered), comparisons, tuple(refused))


def refusal(system: System | Chooser, error: Exception) -> Refusal:
    """Why the system could not be asked, in the words of what it raised."""
    return Refusal(system.name, described(error))


def _answered(
    chooser: Chooser,
    choices: Sequence[Choice | Missing],
    normalise: Normalise,
    hits: Sequence[int],
    plan: Plan,
) -> Answered:
    def measured(metric: SelectionAccuracy | ReciprocalRank | HitsAt) -> Result:
        return evaluate(metric, choices, resampling=plan.resampling)

    made = [choice for choice in choices if isinstance(choice, Choice)]
    return Answered(
        chooser.name,
        str(chooser.signature),
        tuple(choices),
        measured(SelectionAccuracy(normalise)),
        measured(ReciprocalRank(normalise)),
        {k: measured(HitsAt(k, normalise)) for k in hits},
        labelled_errors(
            made,
            normalise=normalise,
            resampling=plan.resampling,
        ),
        isinstance(chooser, ByLikelihood),
    )
