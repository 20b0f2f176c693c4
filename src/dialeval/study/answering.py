"""A system's answers to a study's prompts, kept as they come."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from dialeval.core import Missing, Replayer, System
from dialeval.data import Example, Prompt, Response
from dialeval.engine import Workshop
from dialeval.errors import DialevalError, described
from dialeval.evaluation.answering import answers_of
from dialeval.evaluation.measure import Respondent, can_answer
from dialeval.study.document import Failure
from dialeval.study.file import Study
from dialeval.study.unmatched import check_unmatched, no_line, unmatched_responses
from dialeval.systems.transcript import Transcript

NO_RESPONSE: Final = "the system gave no response"
_ANSWERS_NOTHING: Final = "a system of this kind answers no prompts"


def ask(
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
        for strange in unmatched_responses(system, items):
            check_unmatched(strange, items, allowed=study.allow_unmatched)
        answers, failure = answers_of(
            system,
            prompts,
            study.resampling.seed,
            cache=workshop.cache,
            watch=workshop.watch,
            executor=workshop.asking,
        )
        if not any(answers):
            hint = " Do the ids agree?" if isinstance(system, Replayer) else ""
            raise DialevalError(f"it has no response to any of the {len(prompts)} items.{hint}")
        others = (
            [_replayed(run, prompts) for run in system.runs[1:]] if isinstance(system, Transcript) else []
        )
    except Exception as error:  # a system is foreign code: whatever it raises must not take the others down
        message = described(error)
        failures.append(Failure(system.name, None, message))
        return Respondent(
            system, [Missing(p.item, system.name, f"system failed: {message}") for p in prompts]
        )
    failures += [Failure(system.name, None, failure, partial=True)] if failure else []
    first = [as_example(system, *pair) for pair in zip(prompts, answers, strict=True)]
    return Respondent(system, first, (first, *others) if others else ())


def _replayed(run: Transcript, prompts: Sequence[Prompt]) -> list[Example | Missing]:
    """What a further run of a system said to each prompt."""
    answers = run.replay(prompts)
    if not any(answers):
        raise DialevalError(
            f"{run.path} has no response to any of the {len(prompts)} items. Do the ids agree?"
        )
    return [as_example(run, *pair) for pair in zip(prompts, answers, strict=True)]


def as_example(system: System, prompt: Prompt, responses: tuple[Response, ...]) -> Example | Missing:
    """The system's first response to a prompt; Missing, with its reason, where there is none."""
    if not responses:
        reason = no_line(system, prompt.item) or NO_RESPONSE
        return Missing(prompt.item, system.name, reason)
    if responses[0].missing is not None:
        return Missing(prompt.item, system.name, responses[0].missing)
    return Example(prompt.item, system.name, prompt.context, responses[0], prompt.references)
