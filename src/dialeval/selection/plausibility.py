"""A first sieve for those who have no raters: drops false candidates that a program finds as plausible as the truth.

It does not replace people. Its questions are ``unvetted``, and docs/selection-vetting.md says how much it lets pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, NamedTuple, Protocol

import numpy as np

from dialeval.core import Floats, LikelihoodModel
from dialeval.data.types import Question
from dialeval.encoder.files import EMBEDDED
from dialeval.selection.forms import candidate_ids
from dialeval.selection.rules import Fewest, Most, OneTruth
from dialeval.selection.shuffling import shuffled_places
from dialeval.selection.unit_vectors import unit_vectors


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
        texts = _candidates(questions)
        means = _per_token(self.system, self.system.logprob(contexts, texts), texts)
        return _over_truth(questions, means, -self.margin)


@dataclass(frozen=True, slots=True)
class GainsAsMuch:
    """Drops a false candidate that the context makes about as much likelier, token by token, as the ground truth.

    What is likely anywhere, as "I don't know", gains nothing from its context. It takes the model twice as long as
    ``AsLikely``, and told acceptable candidates from adversarial ones better.
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
            float(units[_last(question)] @ units[one.text])
            for question in questions
            for one in question.candidates
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
                float(units[_truth(question)] @ units[one.text]) - self.cosine for one in question.candidates
            )
            for question in questions
        ]


class Doubted(NamedTuple):
    """A candidate or a question that the sieve dropped."""

    question: str
    candidate: str | None
    """None where the whole question went."""
    text: str
    rule: str
    """The sentence of the judge or the rule by which it went."""
    excess: float | None = None
    """How far it was over the judge's bound; None where no number says so."""


@dataclass(frozen=True, slots=True)
class Sifted:
    """What the sieve let pass, and what it did not."""

    questions: tuple[Question, ...]
    """With status ``unvetted``, unless people had looked at them before."""
    removed: tuple[Doubted, ...]
    judges: tuple[str, ...]
    """Each judge's sentence."""


def default_judges(system: LikelihoodModel | None = None) -> tuple[Judge, ...]:
    """The judges of ``dialeval select vet --automatic``; without a language model, those that need none.

    A model judges by ``GainsAsMuch``: it finds more that is acceptable and spares more that is not than ``AsLikely``.
    """
    judges: tuple[Judge, ...] = (LikeTruth(), FitsContext())
    return judges if system is None else (*judges, GainsAsMuch(system))


def sift(
    questions: Sequence[Question],
    judges: Sequence[Judge],
    *,
    fewest: Fewest = Fewest(),  # noqa: B008 - frozen
    most: Most | None = Most(),  # noqa: B008 - frozen
    seed: int = 0,
) -> Sifted:
    """The questions without the false candidates that any judge drops, and without those that too few are left of."""
    removed: list[Doubted] = []
    sound = []
    for question in questions:
        if sum(one.correct for one in question.candidates) == 1:
            sound.append(question)
        else:
            removed.append(Doubted(question.item, None, "", str(OneTruth())))
            removed += _with_it(question, set(), OneTruth())
    excesses = [judge.excess(sound) for judge in judges]
    kept: list[Question] = []
    for at, question in enumerate(sound):
        doubted = _doubted(question, judges, [own[at] for own in excesses])
        removed += doubted
        left, spare = _left(question, {one.candidate for one in doubted}, most, seed)
        removed += spare
        if sum(not one.correct for one in left.candidates) >= fewest.false:
            kept.append(left)
        else:
            removed.append(Doubted(question.item, None, _truth(question), str(fewest)))
            removed += _with_it(
                question, {"ground_truth", *(one.candidate for one in (*doubted, *spare))}, fewest
            )
    return Sifted(tuple(kept), tuple(removed), tuple(map(str, judges)))


def _doubted(
    question: Question, judges: Sequence[Judge], excesses: Sequence[Sequence[float]]
) -> list[Doubted]:
    """Each false candidate that a judge drops, with the first that does."""
    found = []
    for at, (name, one) in enumerate(zip(candidate_ids(question), question.candidates, strict=True)):
        against = next((place for place, own in enumerate(excesses) if drops(own[at])), None)
        if not one.correct and against is not None:
            excess = excesses[against][at]
            rule = UNJUDGED if math.isnan(excess) else str(judges[against])
            found.append(
                Doubted(question.item, name, one.text, rule, excess if math.isfinite(excess) else None)
            )
    return found


def _with_it(question: Question, listed: set[str | None], rule: OneTruth | Fewest) -> list[Doubted]:
    """The candidates that go with a question, but for those that are listed by themselves."""
    named = zip(candidate_ids(question), question.candidates, strict=True)
    return [Doubted(question.item, name, one.text, str(rule)) for name, one in named if name not in listed]


def _left(
    question: Question, dropped: set[str | None], most: Most | None, seed: int
) -> tuple[Question, list[Doubted]]:
    """The question with the candidates that are left, in an order drawn by the seed, and those that are spare."""
    named = list(zip(candidate_ids(question), question.candidates, strict=True))
    texts = [one.text for one in question.candidates]
    order = shuffled_places(texts, item=question.item, seed=seed, purpose="drawn")
    left = [named[at] for at in order if named[at][0] not in dropped]
    false = [name for name, one in left if not one.correct]
    spare = set(false[most.false :]) if most is not None else set()
    out = [Doubted(question.item, name, one.text, str(most)) for name, one in left if name in spare]
    stay = [one for name, one in left if name not in spare]
    shown = shuffled_places([one.text for one in stay], item=question.item, seed=seed)
    candidates = tuple(stay[at] for at in shown)
    return replace(question, candidates=candidates, status=question.status or "unvetted"), out


def _over_truth(questions: Iterable[Question], values: Floats, bound: float) -> list[tuple[float, ...]]:
    """Each candidate's value less its question's truth's, less the bound."""
    found, start = [], 0
    for question in questions:
        own = values[start : start + len(question.candidates)]
        start += len(own)
        truth = own[[one.correct for one in question.candidates].index(True)]
        with np.errstate(invalid="ignore"):  # two that are impossible differ by no number
            found.append(tuple((own - truth - bound).tolist()))
    return found


def _per_token(system: LikelihoodModel, values: Floats, texts: Sequence[str]) -> Floats:
    """The values over the number of tokens; NaN where there is none."""
    counts = system.tokens(texts)
    means: Floats = np.divide(values, counts, out=np.full(len(texts), np.nan), where=counts > 0)
    return means


def _candidates(questions: Iterable[Question]) -> list[str]:
    return [one.text for question in questions for one in question.candidates]


def _last(question: Question) -> str:
    return question.context[-1].text if question.context else ""


def _truth(question: Question) -> str:
    return next(one.text for one in question.candidates if one.correct)
