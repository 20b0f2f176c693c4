"""Closed questions of other measures, as of detectors, put to a judge: the probability of each answer, or a reason."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.errors import RunFailed
from dialeval.judge.document import CODES, REASONS, Code
from dialeval.judge.metric import Judge, told
from dialeval.judge.naming import judge_named
from dialeval.judge.verdicts import Verdict

QuestionName: TypeAlias = Literal["contradiction", "polar_answer", "slot_said", "slot_added", "fact_kept"]
_BINARY: Final = frozenset({"contradiction", "slot_added"})
"""Those whose scores are probabilities of yes, if the judge gives no log-probabilities."""


class Shares(NamedTuple):
    """Probabilities of the answers to a question, lowest score first, or the code of why there are none."""

    values: tuple[float, ...] | None
    code: Code | None = None


class Asked(NamedTuple):
    """A judge with a question, and what it is asked about."""

    judge: Judge
    about: Sequence[Example]


def ask_in_batches(asked: Iterable[Asked]) -> None:
    """Ask judges that use batches about all of it at once; what they reply is kept. Others are asked later."""
    for judge, about in asked:
        if judge.batch:
            judge.verdicts(about)


@runtime_checkable
class AsksJudge(Protocol):
    """A measure whose values rest on a judge's answers to its questions."""

    def judged(self, subjects: Sequence[object], /) -> Sequence[Asked]:
        """Each question to a judge, and what it is asked about these subjects; none if no judge is asked."""


@dataclass(frozen=True)
class Questioner:
    """A judge by name, and one question that it is asked about each of many texts.

    The answers of a panel, and of repeats, count alike: their probabilities are averaged. If one is lacking, there are
    none.
    """

    name: str
    question: QuestionName

    @cached_property
    def judge(self) -> Judge:
        """The judge with the question as its rubric."""
        return judge_named(self.name, self.question, binary=self.question in _BINARY)

    @property
    def fact(self) -> str:
        """The model, and the digest of all that moves an answer, as a signature shows them."""
        judge = self.judge
        model = judge.model.replace("=", "_").replace("|", "_")
        return f"{model}:{_digest(str(judge.signature))}"

    @property
    def resources(self) -> Mapping[str, str]:
        """Models that run here, and their sha256."""
        return self.judge.resources

    def ask(self, examples: Sequence[Example]) -> list[Shares]:
        """The answer about each example."""
        return list(map(self._shares, self.judge.verdicts(examples)))

    def recalled(self, example: Example) -> Shares:
        """The answer that is known already; nothing is asked."""
        judge = self.judge
        given = judge.recalled(example)
        asked = len(judge.models) * judge.repeats
        if len(given) < asked and all(verdict.value is not None for verdict in given):
            return Shares(None, "failed")
        return self._shares(given)

    def probabilities(self, examples: Sequence[Example]) -> Floats:
        """Probability of the last answer, as yes, shape (n,); NaN where there is none."""
        found = [shares.values[-1] if shares.values else np.nan for shares in self.ask(examples)]
        return np.array(found, dtype=np.float64)

    def require(self, answers: Sequence[Shares]) -> None:
        """RunFailed if an answer is lacking, where each is needed."""
        lacking = [answer.code for answer in answers if answer.code is not None]
        if lacking:
            raise RunFailed(
                f"{self.name} gave no answer to {len(lacking):,} of {len(answers):,} questions, the first because "
                f"{REASONS[lacking[0]]}. All of them are needed here."
            )

    def explain(self, example: Example) -> str:
        """The answers in words, with the judge's reasons and whole replies; empty if nothing was asked."""
        return "\n".join(told(verdict) for verdict in self.judge.recalled(example))

    def _shares(self, given: Sequence[Verdict]) -> Shares:
        lacking = next((verdict.code for verdict in given if verdict.value is None), None)
        if lacking is not None:
            return Shares(None, lacking)
        rows = np.array([self._row(verdict) for verdict in given])
        return Shares(tuple(rows.mean(axis=0).tolist()))

    def _row(self, verdict: Verdict) -> list[float]:
        """The probabilities in one verdict: those of its tokens, or all on the score that it gives."""
        if verdict.probabilities:
            return [share for _, share in verdict.probabilities]
        assert verdict.value is not None, "verdicts without a value have a code"
        scale = self.judge.read_rubric().scale
        if self.question in _BINARY:
            yes = verdict.value / scale[-1]
            return [1 - yes, yes]
        return [float(score == verdict.value) for score in scale]


def reason_of(code: float) -> str:
    """The reason behind the number that a row has of a code, counted from 1."""
    return REASONS[CODES[int(code) - 1]]


def number_of(code: Code) -> int:
    """The number that a row has of a code."""
    return 1 + CODES.index(code)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
