"""A system's answers to a study's prompts, kept as they come."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from dialeval.core import Generator, Missing, PartlyAnswered, Replayer, Selective, System, UsesResources
from dialeval.core.answers import generate
from dialeval.data import Example, Prompt, Response, Usage, digest
from dialeval.display.wording import count
from dialeval.engine import Batch, Cache, InProcess, Job, Watch, run as run_batches
from dialeval.errors import DialevalError, described
from dialeval.evaluation.measure import Respondent, can_answer
from dialeval.study.document import Failure
from dialeval.study.file import Study
from dialeval.study.scoring import Workshop
from dialeval.study.unmatched import check_unmatched, no_line, unmatched_responses
from dialeval.systems.transcript import Transcript
from dialeval.version import __version__

ANSWERED_AT_ONCE: Final = 32
"""Prompts between two savings of a system's answers: few, as a language model may take seconds over each."""
NO_RESPONSE: Final = "the system gave no response"
_ANSWERS_NOTHING: Final = "a system of this kind answers no prompts"
_FORMAT: Final = 3
"""Of answers in the cache."""


class Answered(NamedTuple):
    """A system's answers, and what went wrong where it failed before the last of them."""

    answers: list[tuple[Response, ...]]
    """To each prompt, best first; nothing, or a reason, where there is no response."""
    failure: str | None = None
    """How many prompts were answered, and why the rest was not; None where the system was asked about all of them."""


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
            system, prompts, study.resampling.seed, cache=workshop.cache, watch=workshop.watch
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


def answers_of(
    system: System, prompts: Sequence[Prompt], seed: int, *, cache: Cache | None, watch: Watch
) -> Answered:
    """What the system says to each prompt. Where it fails before it has answered any, its error is raised.

    Answers are computed here and not in a pool: a model is loaded once, and brings its own threads.
    """
    if isinstance(system, Replayer):
        return Answered(system.replay(prompts))
    if not isinstance(system, Generator):
        raise DialevalError(f"{system.name} can neither generate nor replay responses")
    refused = _refused(system, prompts)
    asked = [prompt for prompt, reason in zip(prompts, refused, strict=True) if reason is None]
    generated = _generated(system, asked, seed, cache=cache, watch=watch)
    given = iter(generated.answers)
    answers = [next(given) if reason is None else (Response("", missing=reason),) for reason in refused]
    return generated._replace(answers=answers)


def _refused(system: Generator, prompts: Sequence[Prompt]) -> list[str | None]:
    """Why the system cannot answer each prompt; None where it can."""
    if not isinstance(system, Selective):
        return [None] * len(prompts)
    return [system.refuses(prompt.context) for prompt in prompts]


def _generated(
    system: Generator, prompts: Sequence[Prompt], seed: int, *, cache: Cache | None, watch: Watch
) -> Answered:
    resources = sorted(system.resources.items()) if isinstance(system, UsesResources) else []
    key = json.dumps(["responses", _FORMAT, str(system.signature), resources, seed, __version__])
    task = _Answer(system, seed)
    job = Job(key, task, ResponsesCodec())
    given: list[tuple[Response, ...] | None] = []
    with watch(f"{system.name} answers", len(prompts)) as progress, InProcess() as here:
        for start in range(0, len(prompts), ANSWERED_AT_ONCE):
            chunk = prompts[start : start + ANSWERED_AT_ONCE]
            batch = [Batch(chunk, digest(chunk))]
            try:
                (answers,) = run_batches(job, batch, executor=here, cache=cache, progress=progress)
                given.extend(answers)
            except PartlyAnswered as partial:
                given.extend(partial.answers)
    return _with_reasons(given, task.error)


class _Answer:
    """Asks a system until it fails; after that, batches that are not in the cache are left unanswered."""

    def __init__(self, system: Generator, seed: int) -> None:
        self.system, self.seed = system, seed
        self.error: Exception | None = None

    def __call__(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        if self.error is None:
            try:
                began = time.perf_counter()
                answers = generate(self.system, [prompt.context for prompt in prompts], seed=self.seed)
                return _timed(answers, (time.perf_counter() - began) / len(prompts))
            except Exception as error:  # foreign code: what was answered before is kept
                self.error = error
                if isinstance(error, PartlyAnswered):
                    raise
        raise PartlyAnswered("", [None] * len(prompts)) from self.error


def _timed(answers: Sequence[tuple[Response, ...]], seconds: float) -> list[tuple[Response, ...]]:
    """The answers of a batch, each with its share of the time unless the system says more."""
    usage = Usage(seconds=round(seconds, 6))
    return [
        tuple(response if response.usage else replace(response, usage=usage) for response in given)
        for given in answers
    ]


def _with_reasons(given: Sequence[tuple[Response, ...] | None], error: Exception | None) -> Answered:
    """The answers, with the error as the reason of those that are missing; raised where all are."""
    answers = [answer for answer in given if answer is not None]
    if error is None:
        return Answered(answers)
    if not answers:
        raise error
    why = error.why if isinstance(error, PartlyAnswered) else described(error)
    missing = (Response("", missing=f"not answered: {why.splitlines()[0].rstrip('.')}"),)
    answered = sum(bool(answer) and answer[0].missing is None for answer in answers)
    failure = (
        f"only {answered:,} of {count(len(given), 'item')} were answered. {why.rstrip('.')}. "
        "Run again to ask for the rest only."
    )
    return Answered([missing if answer is None else answer for answer in given], failure)


class ResponsesCodec:
    """Responses on disk, as JSON."""

    def encode(self, result: list[tuple[Response, ...]]) -> bytes:
        """As lists of ``[text, logprob, missing, usage]``."""
        return json.dumps([[_fields(response) for response in given] for given in result]).encode()

    def decode(self, payload: bytes) -> list[tuple[Response, ...]]:
        """Back from JSON."""
        return [
            tuple(
                Response(text, logprob, missing, usage and Usage(*usage))
                for text, logprob, missing, usage in given
            )
            for given in json.loads(payload)
        ]


def _fields(response: Response) -> list[object]:
    usage = response.usage
    took = usage and [usage.seconds, usage.prompt_tokens, usage.completion_tokens]
    return [response.text, response.logprob, response.missing, took]
