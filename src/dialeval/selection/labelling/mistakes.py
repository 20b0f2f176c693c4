"""Mistakes of false candidates: the labels that people give, and automatic guesses.

The labels are those of Sato et al. (2020, appendix C, Table 7). The table may be extended; a guess ends in ``?``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from dialeval.annotation.forms import Form, Option
from dialeval.core import Detector
from dialeval.data.types import Candidate, Question
from dialeval.resources.tagger import PerceptronTagger, load_tagger
from dialeval.selection.document import GUESS, is_guess
from dialeval.selection.labelling.grammar import Sketch, sketch

# The paper's example of a wrong tense (Table 10) shares two words in five.
_SHARED: Final = 0.4


class Mistake(NamedTuple):
    """One way for a candidate to be false."""

    label: str
    meaning: str


TABLE_7: Final = (
    Mistake("inconsistent", "it does not agree with what was said before"),
    Mistake("insufficient", "it says too little, or breaks off"),
    Mistake("wrong_subject", "it speaks of the wrong person"),
    Mistake("wrong_tense", "it speaks of the wrong time"),
)
"""Of 50 false candidates the authors could label 22: 8, 4, 9 and 1 of them so."""

MISTAKES: Final[Mapping[str, Mistake]] = {
    mistake.label: mistake
    for mistake in (
        *TABLE_7,
        Mistake("irrelevant", "it has nothing to do with what was said before"),
        Mistake("other", "something else is wrong with it"),
    )
}
"""The labels people may give. A further one is one line here, or an argument of ``mistake_form``."""


def mistake_form(mistakes: Iterable[Mistake] = tuple(MISTAKES.values())) -> Form:
    """What raters are asked about each false candidate: which of these mistakes it makes."""
    options = tuple(
        Option(index, mistake.label, mistake.meaning) for index, mistake in enumerate(mistakes, start=1)
    )
    ask = "The line below does not fit the conversation. What is the matter with it?"
    return Form("mistake", ask, options, raters=3, false_only=True)


def guess_mistakes(
    questions: Sequence[Question],
    *,
    tagger: PerceptronTagger | None = None,
    detector: Detector | None = None,
    threshold: float = 0.5,
) -> list[Question]:
    """The questions with a guess on every false candidate that has no label yet and about which one can be made.

    A candidate is compared with the ground truth (the first, of several), which is right about person and time. With a
    ``detector``, one that contradicts its context with that probability is guessed to be inconsistent first of all.
    """
    tagger = load_tagger() if tagger is None else tagger
    texts = sorted({candidate.text for question in questions for candidate in question.candidates})
    sketches = dict(zip(texts, sketch(texts, tagger), strict=True))
    against = _contradictory(questions, detector, threshold)
    return [_with_guesses(question, sketches, against) for question in questions]


def guess(candidate: Sketch, truth: Sketch) -> str | None:
    """The label that a glance at a false candidate and at its ground truth suggests; None where it suggests none.

    Person and time are compared only where the two say much the same: else more than these is wrong.
    """
    if candidate.breaks_off or (candidate.bare and not truth.bare):
        return "insufficient"
    if not _much_the_same(candidate.stems, truth.stems):
        return None
    if candidate.person and truth.person and candidate.person != truth.person:
        return "wrong_subject"
    if candidate.tense and truth.tense and (candidate.tense == "past") != (truth.tense == "past"):
        return "wrong_tense"
    return None


def _much_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two words of content in five of the one with fewer of them are the other's too."""
    return len(one & other) >= max(1, _SHARED * min(len(one), len(other)))


def _with_guesses(
    question: Question, sketches: Mapping[str, Sketch], against: frozenset[tuple[str, str]]
) -> Question:
    truth = next((sketches[candidate.text] for candidate in question.candidates if candidate.correct), None)

    def labelled(candidate: Candidate) -> Candidate:
        if (
            candidate.correct
            or truth is None
            or (candidate.error is not None and not is_guess(candidate.error))
        ):
            return candidate
        inconsistent = (question.item, candidate.text) in against
        label = "inconsistent" if inconsistent else guess(sketches[candidate.text], truth)
        return replace(candidate, error=None if label is None else label + GUESS)

    return replace(question, candidates=tuple(map(labelled, question.candidates)))


def _contradictory(
    questions: Iterable[Question], detector: Detector | None, threshold: float
) -> frozenset[tuple[str, str]]:
    if detector is None:
        return frozenset()
    false = [
        (question, candidate.text)
        for question in questions
        for candidate in question.candidates
        if not candidate.correct
    ]
    chances = detector.contradiction([question.context for question, _ in false], [text for _, text in false])
    return frozenset(
        (question.item, text)
        for (question, text), chance in zip(false, chances.tolist(), strict=True)
        if chance >= threshold
    )
