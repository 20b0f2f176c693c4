"""A system's answers to prompts, kept as they come, so that an interrupted run resumes."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from dialeval.core import Generator, PartlyAnswered, Replayer, Selective, System, resources_of, served
from dialeval.core.answers import generate, unwritable
from dialeval.data import Prompt, Response, Usage, digest
from dialeval.data.types import MissingCause
from dialeval.display.wording import count
from dialeval.engine import Batch, Cache, Executor, InProcess, Job, Watch, run as run_batches
from dialeval.errors import DialevalError, described
from dialeval.version import __version__

ANSWERED_AT_ONCE: Final = 32
"""Prompts between two savings of a system's answers: few, as a language model may take seconds over each."""
_FORMAT: Final = 3
"""Of answers in the cache."""


class SystemAnswers(NamedTuple):
    """A system's answers, and what went wrong where it failed before the last of them."""

    answers: list[tuple[Response, ...]]
    """To each prompt, best first; nothing, or a reason, where there is no response."""
    failure: str | None = None
    """Sentence on how many prompts were answered, and why the rest was not; None if the system was asked about all."""


def answers_of(
    system: System,
    prompts: Sequence[Prompt],
    seed: int,
    *,
    cache: Cache | None,
    watch: Watch,
    n: int = 1,
    executor: Executor | None = None,
) -> SystemAnswers:
    """Return the system's responses to each prompt, up to ``n`` each, best first.

    Where it fails before it has answered any, its error is raised. Answers are computed here unless there is an
    executor, and not in a pool of processes: a model is loaded once, and brings its own threads.
    """
    if isinstance(system, Replayer):
        return SystemAnswers([given if n == 1 else given[:n] for given in system.replay(prompts)])
    if not isinstance(system, Generator):
        raise DialevalError(f"{system.name} can neither generate nor replay responses")
    refused = _refused(system, prompts)
    # Cut before prompts are left out: then a shard that begins at a multiple of this asks the same batches.
    asked = [
        [prompts[index] for index in block if refused[index] is None]
        for start in range(0, len(prompts), ANSWERED_AT_ONCE)
        if (block := range(start, min(start + ANSWERED_AT_ONCE, len(prompts))))
    ]
    chunks = [chunk for chunk in asked if chunk]
    generated = _generated(system, chunks, seed, n, cache=cache, watch=watch, executor=executor)
    given = iter(generated.answers)
    answers = [
        next(given) if reason is None else (Response("", missing=reason, cause="refused"),)
        for reason in refused
    ]
    return generated._replace(answers=answers)


def cached_answers(
    system: Generator, prompts: Sequence[Prompt], seed: int, cache: Cache | None
) -> dict[int, Response]:
    """First responses that `answers_of` would take from the cache, by the number of their prompt; nothing is sent."""
    found: dict[int, Response] = {}
    key, codec = _key(system, seed, 1), ResponsesCodec()
    refused = _refused(system, prompts)
    for start in range(0, len(prompts), ANSWERED_AT_ONCE):
        stop = min(start + ANSWERED_AT_ONCE, len(prompts))
        asked = [index for index in range(start, stop) if refused[index] is None]
        chunk = [prompts[index] for index in asked]
        payload = cache.get(key, digest(chunk)) if cache is not None and chunk else None
        try:
            answers = [] if payload is None else codec.decode(payload)
        except ValueError:  # said when it is asked again
            continue
        found |= {index: given[0] for index, given in zip(asked, answers, strict=False) if given}
    rest = [index for index in range(len(prompts)) if index not in found and refused[index] is None]
    if (server := served(system)) is not None:
        recalled = server.recall([prompts[index].context for index in rest], seed=seed)
        found |= {
            index: response for index, response in zip(rest, recalled, strict=True) if response is not None
        }
    return {index: response for index, response in found.items() if response.missing is None}


def _refused(system: Generator, prompts: Sequence[Prompt]) -> list[str | None]:
    """Why the system cannot answer each prompt; None where it can."""
    if not isinstance(system, Selective):
        return [None] * len(prompts)
    return [system.refuses(prompt.context) for prompt in prompts]


def _generated(
    system: Generator,
    chunks: Sequence[Sequence[Prompt]],
    seed: int,
    n: int,
    *,
    cache: Cache | None,
    watch: Watch,
    executor: Executor | None,
) -> SystemAnswers:
    task = _Answer(system, seed, n)
    job = Job(_key(system, seed, n), task, ResponsesCodec())
    given: list[Sequence[tuple[Response, ...] | None]] = []
    with watch(f"{system.name} answers", sum(map(len, chunks))) as progress:
        where = executor or InProcess()
        while len(given) < len(chunks):
            batches = (Batch(chunk, digest(chunk)) for chunk in chunks[len(given) :])
            try:
                for answers in run_batches(job, batches, executor=where, cache=cache, progress=progress):
                    given.append(answers)
            except PartlyAnswered as partial:
                given.append(partial.answers)
                # From here on only the cache is asked; a task that failed elsewhere has not told this one.
                task.error, where = task.error or partial.cause or partial, InProcess()
    return _with_reasons([answer for answers in given for answer in answers], task.error)


def _key(system: Generator, seed: int, n: int) -> str:
    """Everything that moves a system's answers but the prompts."""
    resources = sorted(resources_of(system).items())
    several = [] if n == 1 else [n]
    return json.dumps(["responses", _FORMAT, str(system.signature), resources, seed, __version__, *several])


class _Answer:
    """Asks a system until it fails; after that, batches that are not in the cache are left unanswered."""

    def __init__(self, system: Generator, seed: int, n: int) -> None:
        self.system, self.seed, self.n = system, seed, n
        self.error: Exception | None = None

    @property
    def resources(self) -> Mapping[str, str]:
        """Those of the system: where it has any, it is loaded once by each worker."""
        return resources_of(self.system)

    def __call__(self, prompts: Sequence[Prompt]) -> list[tuple[Response, ...]]:
        if self.error is None:
            try:
                asked, began = time.time(), time.perf_counter()
                contexts = [prompt.context for prompt in prompts]
                answers = generate(self.system, contexts, n=self.n, seed=self.seed)
                return timed(answers, (time.perf_counter() - began) / len(prompts), asked)
            except Exception as error:  # foreign code: what was answered before is kept
                self.error = error
                if isinstance(error, PartlyAnswered):
                    raise
        failed = PartlyAnswered("", [None] * len(prompts))
        failed.cause = self.error
        raise failed from self.error


def timed(
    answers: Sequence[tuple[Response, ...]], seconds: float, asked: float
) -> list[tuple[Response, ...]]:
    """The answers of a batch, each with its share of the time, and when it was asked, unless the system says more."""
    usage = Usage(seconds=round(seconds, 6), asked=round(asked, 3))
    return [
        tuple(replace(response, usage=_completed(response.usage, usage)) for response in given)
        for given in answers
    ]


def _completed(own: Usage | None, measured: Usage) -> Usage:
    """Return the system's own usage; if it does not say what an answer took, with what was measured here."""
    if own is None:
        return measured
    if own.seconds is None and own.asked is None and own.prompt_tokens is None:
        return replace(own, seconds=measured.seconds, asked=measured.asked)
    return own


def _with_reasons(given: Sequence[tuple[Response, ...] | None], error: Exception | None) -> SystemAnswers:
    """The answers, with the error as the reason of those that are missing; raised where all are."""
    answers = [answer for answer in given if answer is not None]
    if error is None:
        return SystemAnswers(answers)
    if not answers:
        raise error
    why = error.why if isinstance(error, PartlyAnswered) else described(error)
    reason = f"not answered: {(why.splitlines() or [''])[0].rstrip('.')}"
    missing = (Response("", missing=reason, cause="failed"),)
    answered = sum(bool(answer) and answer[0].missing is None for answer in answers)
    failure = (
        f"only {answered:,} of {count(len(given), 'item')} were answered. {why.rstrip('.')}. "
        "Run again to ask for the rest only."
    )
    return SystemAnswers([missing if answer is None else answer for answer in given], failure)


class ResponsesCodec:
    """Responses on disk, as JSON."""

    def encode(self, result: list[tuple[Response, ...]]) -> bytes | None:
        """As lists of ``[text, logprob, missing, usage, cause]``; None where asking failed, to try it again."""
        if any(response.cause == "failed" for given in result for response in given):
            return None
        return json.dumps([[_fields(response) for response in given] for given in result]).encode()

    def decode(self, payload: bytes) -> list[tuple[Response, ...]]:
        """Back from JSON, as answers of an earlier run; ValueError where older versions kept what no file can hold."""
        return [tuple(_response(*fields) for fields in given) for given in json.loads(payload)]


def _response(
    text: str,
    logprob: float | None,
    missing: str | None,
    usage: Sequence[Any] | None = None,
    cause: MissingCause | None = None,
) -> Response:
    if found := unwritable(text):
        raise ValueError(f"an answer with {found}")
    return Response(text, logprob, missing, replace(Usage(*(usage or ())), cached=True), cause)


def _fields(response: Response) -> list[object]:
    usage = response.usage
    took = usage and [
        usage.seconds,
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.asked,
        usage.cut,
        usage.emptied,
    ]
    return [response.text, response.logprob, response.missing, took, response.cause]
