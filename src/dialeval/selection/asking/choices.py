"""Asking one system to choose: every candidate of every question gets a score, kept as it comes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from dialeval.core import LikelihoodModel, Missing, Replayer, System, resources_of
from dialeval.data.choices import Choice
from dialeval.data.codec.encode import digest
from dialeval.data.types import MissingCause, Question
from dialeval.engine import SILENT, Batch, Cache, Executor, InProcess, Job, Progress, run
from dialeval.errors import Unsuitable
from dialeval.selection.asking.choosers import ByLikelihood, Chooser, FittableChooser, TokenCounts
from dialeval.version import __version__

Normalise: TypeAlias = Literal["sum", "mean"]
"""Whether a candidate's log-probability is summed over its tokens, or their mean is taken."""

QUESTIONS_AT_ONCE: Final = 16
"""Questions whose scores are computed and kept together."""

_Scores: TypeAlias = tuple[float, ...] | str
"""A score per candidate, or the reason why there is none."""


def choose(
    system: System | Chooser,
    questions: Sequence[Question],
    *,
    normalise: Normalise = "sum",
    cache: Cache | None = None,
    progress: Progress = SILENT,
    executor: Executor | None = None,
) -> list[Choice | Missing]:
    """The system's choice in every question, or the reason why it has none.

    The system is a language model with log-probabilities, or one of ``CHOOSERS``; ``normalise`` concerns
    the former. Unsuitable where it can do neither, or could not score a single question. With a cache, what was scored
    once is not scored again. Scores are computed here unless there is an executor, and not in a pool of processes: a
    model is loaded once, and brings its own threads.
    """
    chooser = chooser_of(system)
    where = executor or InProcess()
    scores = list(_scores(chooser, questions, cache, progress, where))
    if normalise == "mean" and isinstance(chooser, ByLikelihood):
        counts = _scores(TokenCounts(chooser.system), questions, cache, SILENT, where)
        scores = [_mean(total, tokens) for total, tokens in zip(scores, counts, strict=True)]
    reasons = [score for score in scores if isinstance(score, str)]
    if reasons and len(reasons) == len(questions):
        raise Unsuitable(reasons[0])
    # A choice that a file does not record is one that the system left out; a model may fail on a question.
    recorded = isinstance(chooser, ByLikelihood) and isinstance(chooser.system, Replayer)
    cause: MissingCause | None = "silent" if recorded else None
    return [
        _outcome(question, chooser.name, result, cause)
        for question, result in zip(questions, scores, strict=True)
    ]


def chooser_of(system: System | Chooser) -> Chooser:
    """The system as something that scores candidates; Unsuitable where it cannot."""
    if isinstance(system, LikelihoodModel):
        return ByLikelihood(system)
    if isinstance(system, Chooser):
        return system
    raise Unsuitable(
        f"{system.name} has no log-probabilities, which choosing needs. Systems of kind huggingface, "
        "trained and openai have them; a transcript does where the log-probability of every candidate is recorded."
    )


def fitted_chooser(system: System | Chooser, questions: Sequence[Question]) -> Chooser:
    """The system as a chooser, fitted to the questions where it must be."""
    chooser = chooser_of(system)
    return chooser.fit(questions) if isinstance(chooser, FittableChooser) else chooser


def why_no_question(question: Question) -> str | None:
    """Why there is nothing to choose: no correct candidate, or no false one; None where there is."""
    kinds = {candidate.correct for candidate in question.candidates}
    if True not in kinds:
        return "the question has no correct candidate"
    return None if False in kinds else "the question has no false candidate"


def chance(questions: Sequence[Question]) -> float:
    """The accuracy of guessing: the mean share of correct candidates, where there is a choice; NaN of no question."""
    asked = [question.candidates for question in questions if why_no_question(question) is None]
    shares = [sum(candidate.correct for candidate in candidates) / len(candidates) for candidates in asked]
    return sum(shares) / len(shares) if shares else float("nan")


def why_no_choice(question: Question, scores: Sequence[float]) -> str | None:
    """Why a choice by these scores would be neither right nor wrong; None where it is one of them."""
    nothing = why_no_question(question)
    if nothing:
        return nothing
    return "a candidate's score is not a number" if any(map(math.isnan, scores)) else None


def _outcome(question: Question, system: str, found: _Scores, cause: MissingCause | None) -> Choice | Missing:
    if isinstance(found, str):
        nothing = why_no_question(question)
        return Missing(question.item, system, nothing or found, None if nothing else cause)
    reason = why_no_choice(question, found)
    return Choice(question, system, found) if reason is None else Missing(question.item, system, reason)


def _scores(
    chooser: Chooser,
    questions: Sequence[Question],
    cache: Cache | None,
    progress: Progress,
    executor: Executor,
) -> Iterator[_Scores]:
    task = _Task(chooser)
    resources = sorted(task.resources.items())
    key = json.dumps(["scores", type(chooser).__name__, str(chooser.signature), resources, __version__])
    job = Job(key, task, _ScoresCodec())
    batches = (
        Batch(chunk, digest(chunk))
        for start in range(0, len(questions), QUESTIONS_AT_ONCE)
        if (chunk := questions[start : start + QUESTIONS_AT_ONCE])
    )
    for part in run(job, batches, executor=executor, cache=cache, progress=progress):
        yield from part


@dataclass(frozen=True, slots=True)
class _Task:
    chooser: Chooser

    @property
    def resources(self) -> Mapping[str, str]:
        """Those of the chooser: where it has any, it is loaded once by each worker."""
        return resources_of(self.chooser)

    def __call__(self, questions: Sequence[Question]) -> list[_Scores]:
        try:
            return list(self.chooser.scores(questions))
        except Unsuitable as error:
            if len(questions) == 1:
                return [str(error)]
        # One question at fault, as one too long for the model, should not take its neighbours with it.
        return [scores for question in questions for scores in self([question])]


class _ScoresCodec:
    """Scores on disk, as JSON."""

    def encode(self, result: list[_Scores]) -> bytes:
        return json.dumps(result).encode()

    def decode(self, payload: bytes) -> list[_Scores]:
        return [found if isinstance(found, str) else tuple(found) for found in json.loads(payload)]


def _mean(total: _Scores, tokens: _Scores) -> _Scores:
    if isinstance(total, str) or isinstance(tokens, str):
        return total if isinstance(total, str) else tokens
    if 0 in tokens:
        return "a candidate has no token, so that its mean log-probability is undefined"
    return tuple(logprob / count for logprob, count in zip(total, tokens, strict=True))
