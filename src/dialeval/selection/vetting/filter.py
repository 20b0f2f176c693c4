"""The automatic filter for drafts without raters: which false candidates stay, and which judge dropped the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from dialeval.annotation.forms import candidate_ids
from dialeval.data.choices import shuffled_places
from dialeval.data.types import Question
from dialeval.selection.vetting.plausibility import UNJUDGED, Judge, drops, truth_of
from dialeval.selection.vetting.rules import Fewest, Most, OneTruth


class Rejection(NamedTuple):
    """A candidate or a question that the filter dropped."""

    question: str
    candidate: str | None
    """None where the whole question went."""
    text: str
    rule: str
    """The sentence of the judge or the rule by which it went."""
    excess: float | None = None
    """Excess over the judge's bound; None if no number says so."""


@dataclass(frozen=True, slots=True)
class SiftingResult:
    """Questions that the filter kept, and what it dropped."""

    questions: tuple[Question, ...]
    """With status ``unvetted``, unless people had looked at them before."""
    removed: tuple[Rejection, ...]
    judges: tuple[str, ...]
    """Each judge's sentence."""


def sift(
    questions: Sequence[Question],
    judges: Sequence[Judge],
    *,
    fewest: Fewest = Fewest(),  # noqa: B008 - frozen
    most: Most | None = Most(),  # noqa: B008 - frozen
    seed: int = 0,
) -> SiftingResult:
    """The questions without the false candidates that any judge drops, and without those that too few are left of."""
    removed: list[Rejection] = []
    sound = []
    for question in questions:
        if sum(candidate.correct for candidate in question.candidates) == 1:
            sound.append(question)
        else:
            removed.append(Rejection(question.item, None, "", str(OneTruth())))
            removed += _with_it(question, set(), OneTruth())
    excesses = [judge.excess(sound) for judge in judges]
    kept: list[Question] = []
    for index, question in enumerate(sound):
        doubted = _doubted(question, judges, [excess[index] for excess in excesses])
        removed += doubted
        left, spare = _left(question, {doubt.candidate for doubt in doubted}, most, seed)
        removed += spare
        if sum(not candidate.correct for candidate in left.candidates) >= fewest.false:
            kept.append(left)
        else:
            removed.append(Rejection(question.item, None, truth_of(question), str(fewest)))
            removed += _with_it(
                question, {"ground_truth", *(doubt.candidate for doubt in (*doubted, *spare))}, fewest
            )
    return SiftingResult(tuple(kept), tuple(removed), tuple(map(str, judges)))


def _doubted(
    question: Question, judges: Sequence[Judge], excesses: Sequence[Sequence[float]]
) -> list[Rejection]:
    """Each false candidate that a judge drops, with the first that does."""
    doubts = []
    for index, (name, candidate) in enumerate(zip(candidate_ids(question), question.candidates, strict=True)):
        against = next((place for place, of_judge in enumerate(excesses) if drops(of_judge[index])), None)
        if not candidate.correct and against is not None:
            excess = excesses[against][index]
            rule = UNJUDGED if math.isnan(excess) else str(judges[against])
            doubts.append(
                Rejection(
                    question.item, name, candidate.text, rule, excess if math.isfinite(excess) else None
                )
            )
    return doubts


def _with_it(question: Question, listed: set[str | None], rule: OneTruth | Fewest) -> list[Rejection]:
    """The candidates that go with a question, but for those that are listed by themselves."""
    named = zip(candidate_ids(question), question.candidates, strict=True)
    return [
        Rejection(question.item, name, candidate.text, str(rule))
        for name, candidate in named
        if name not in listed
    ]


def _left(
    question: Question, dropped: set[str | None], most: Most | None, seed: int
) -> tuple[Question, list[Rejection]]:
    """The question with the candidates that are left, in an order drawn by the seed, and those that are spare."""
    named = list(zip(candidate_ids(question), question.candidates, strict=True))
    texts = [candidate.text for candidate in question.candidates]
    order = shuffled_places(texts, item=question.item, seed=seed, purpose="drawn")
    left = [named[place] for place in order if named[place][0] not in dropped]
    false = [name for name, candidate in left if not candidate.correct]
    spare = set(false[most.false :]) if most is not None else set()
    out = [
        Rejection(question.item, name, candidate.text, str(most)) for name, candidate in left if name in spare
    ]
    stay = [candidate for name, candidate in left if name not in spare]
    shown = shuffled_places([candidate.text for candidate in stay], item=question.item, seed=seed)
    candidates = tuple(stay[place] for place in shown)
    return replace(question, candidates=candidates, status=question.status or "unvetted"), out
