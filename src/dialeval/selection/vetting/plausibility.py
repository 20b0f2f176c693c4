"""Judges for those who have no raters: they drop false candidates that a program finds as plausible as the truth.

They do not replace people. What they leave is ``unvetted``, and docs/selection-vetting.md says how much it lets pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Protocol

import numpy as np

from dialeval.core import Floats, LikelihoodModel
from dialeval.data.types import Question
from dialeval.encoder.files import EMBEDDED
from dialeval.encoder.model import unit_vectors


class Judge(Protocol):
    """A program's view of which false candidates might be right; prints as the sentence that says when."""

    def excess(self, questions: Sequence[Question], /) -> list[tuple[float, ...]]:
        """By how much each candidate exceeds the bound from which on it is dropped; NaN where nobody can say.

        Questions have one ground truth each. See ``drops``.
        """


UNJUDGED: Final = "Drop a false candidate that a program cannot judge, as where a text is blank."


def drops(excess: float) -> bool:
    """Whether a candidate is dropped: from the bound on, and where it cannot be judged, for none stays unseen."""
    return not excess < 0


@dataclass(frozen=True, slots=True)
class GainsAsMuch:
    """Drops a false candidate that the context makes about as much likelier, token by token, as the ground truth.

    What is likely anywhere, as "I don't know", gains nothing from its context. It takes the model twice as long
    as the bare likelihood, and separated acceptable candidates from adversarial ones better.
    """

    system: LikelihoodModel
    margin: float = 0.0
    """How much less than the truth it may gain and still be dropped, in nats per token."""

    def __str__(self) -> str:
        less = f", or at most {self.margin:g} nats a token less" if self.margin else ""
        gain = f"the context makes as much likelier to {self.system.name} as the ground truth{less}"
        return f"Drop a false candidate that {gain}."

    def excess(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """Mean gain in log-probability over no context at all, less the truth's, plus the margin."""
        contexts = [question.context for question in questions for _ in question.candidates]
        texts = _candidates(questions)
        gains = self.system.logprob(contexts, texts) - self.system.logprob([()] * len(texts), texts)
        gains[[not any(turn.text.strip() for turn in context) for context in contexts]] = np.nan
        return _over_truth(questions, _per_token(self.system, gains, texts), -self.margin)


@dataclass(frozen=True, slots=True)
class FitsContext:
    """Drops a false candidate whose sentence vector is about as close to the last turn as the ground truth's."""

    margin: float = 0.0
    """How much further from it than the truth it may be and still be dropped, in cosine."""
    model: str = EMBEDDED

    def __str__(self) -> str:
        less = f" (by {self.model}, less {self.margin:g} in cosine)"
        return f"Drop a false candidate that is as close to the last turn as the ground truth{less}."

    def excess(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """Cosine with the last turn, less the truth's, plus the margin."""
        units = unit_vectors(chain(map(_last, questions), _candidates(questions)), self.model)
        cosines = [
            float(units[_last(question)] @ units[candidate.text])
            for question in questions
            for candidate in question.candidates
        ]
        return _over_truth(questions, np.array(cosines), -self.margin)


@dataclass(frozen=True, slots=True)
class LikeTruth:
    """Drops a false candidate that says nearly what the ground truth says."""

    cosine: float = 0.7
    model: str = EMBEDDED

    def __str__(self) -> str:
        return (
            f"Drop a false candidate whose cosine with the ground truth is {self.cosine:g} or more "
            f"(by {self.model})."
        )

    def excess(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """Cosine with the ground truth, less the bound."""
        units = unit_vectors(_candidates(questions), self.model)
        return [
            tuple(
                float(units[truth_of(question)] @ units[candidate.text]) - self.cosine
                for candidate in question.candidates
            )
            for question in questions
        ]


def default_judges(system: LikelihoodModel | None = None) -> tuple[Judge, ...]:
    """The judges of ``dialeval select vet --automatic``; without a language model, those that need none.

    A model judges by ``GainsAsMuch``: it finds more that is acceptable and spares more that is not than likelihood.
    """
    judges: tuple[Judge, ...] = (LikeTruth(), FitsContext())
    return judges if system is None else (*judges, GainsAsMuch(system))


def _over_truth(questions: Iterable[Question], values: Floats, bound: float) -> list[tuple[float, ...]]:
    """Each candidate's value less its question's truth's, less the bound."""
    result, start = [], 0
    for question in questions:
        own_values = values[start : start + len(question.candidates)]
        start += len(own_values)
        truth = own_values[[candidate.correct for candidate in question.candidates].index(True)]
        with np.errstate(invalid="ignore"):  # the difference of two infinities is undefined
            result.append(tuple((own_values - truth - bound).tolist()))
    return result


def _per_token(system: LikelihoodModel, values: Floats, texts: Sequence[str]) -> Floats:
    """The values over the number of tokens; NaN where there is none."""
    counts = system.tokens(texts)
    means: Floats = np.divide(values, counts, out=np.full(len(texts), np.nan), where=counts > 0)
    return means


def _candidates(questions: Iterable[Question]) -> list[str]:
    return [candidate.text for question in questions for candidate in question.candidates]


def _last(question: Question) -> str:
    return question.context[-1].text if question.context else ""


def truth_of(question: Question) -> str:
    """The text of the ground truth, of which there must be one."""
    return next(candidate.text for candidate in question.candidates if candidate.correct)
