"""A judge by bare likelihood, and how a sieve fares on candidates of known worth (docs/selection-vetting.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from dialeval.core import LikelihoodModel
from dialeval.data import Candidate, Question
from dialeval.errors import Unsuitable
from dialeval.selection.vetting.plausibility import Judge, _over_truth, _per_token, drops


@dataclass(frozen=True, slots=True)
class AsLikely:
    """Drops a false candidate that a language model finds about as likely as the ground truth, token by token."""

    system: LikelihoodModel
    margin: float = 0.0
    """How much less likely than the truth it may be and still be dropped, in nats per token."""

    def __str__(self) -> str:
        less = f", or at most {self.margin:g} nats a token less" if self.margin else ""
        return f"Drop a false candidate that {self.system.name} finds as likely as the ground truth{less}."

    def excess(self, questions: Sequence[Question]) -> list[tuple[float, ...]]:
        """Mean log-probability, less the truth's, plus the margin."""
        contexts = [question.context for question in questions for _ in question.candidates]
        texts = [candidate.text for question in questions for candidate in question.candidates]
        means = _per_token(self.system, self.system.logprob(contexts, texts), texts)
        return _over_truth(questions, means, -self.margin)


_ACCEPTABLE: Final = "acceptable"


class Audit(NamedTuple):
    """What a sieve would do to candidates of known worth."""

    acceptable_dropped: float
    """Share of acceptable responses that it rightly drops from among the false ones; the more the better."""
    false_kept: Mapping[str, float]
    """Share of false candidates that it rightly keeps, by their error; the more the better."""
    questions: int


def audit(questions: Sequence[Question], judges: Sequence[Judge]) -> Audit:
    """How the judges fare on questions with several correct candidates, of which the first is taken for the truth.

    The others are what raters would have called acceptable among the false ones. DailyDialog++ is such a set.
    """
    posed = [
        _posed(question)
        for question in questions
        if sum(candidate.correct for candidate in question.candidates) > 1
    ]
    if not posed:
        raise Unsuitable("An audit needs questions with two or more correct candidates; found none.")
    excesses = [judge.excess(posed) for judge in judges]
    dropped: dict[str, list[bool]] = {}
    for index, question in enumerate(posed):
        for place, one in enumerate(question.candidates):
            if not one.correct:
                dropped.setdefault(one.error or "false", []).append(
                    any(drops(own[index][place]) for own in excesses)
                )
    shares = {error: sum(own) / len(own) for error, own in dropped.items()}
    return Audit(shares.pop(_ACCEPTABLE), {error: 1 - share for error, share in shares.items()}, len(posed))


def _posed(question: Question) -> Question:
    truth = next(index for index, candidate in enumerate(question.candidates) if candidate.correct)
    posed = (
        candidate
        if index == truth or not candidate.correct
        else Candidate(candidate.text, correct=False, error=_ACCEPTABLE)
        for index, candidate in enumerate(question.candidates)
    )
    return replace(question, candidates=tuple(posed))
