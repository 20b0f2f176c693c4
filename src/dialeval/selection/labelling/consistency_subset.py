"""Questions about consistency alone: a ground truth against a candidate that contradicts the context.

The thesis of Sato (2024, section 3.3.3): three people sort each false candidate of a vetted test set into three
classes, and those that two or more call contradictory become questions with two candidates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dialeval.annotation.answers import Unusable
from dialeval.annotation.forms import Form, Option, candidate_ids
from dialeval.data.types import Candidate, Judgement, Question
from dialeval.selection.labelling.labelling import Labelled, settle_labels
from dialeval.text.shuffling import shuffled_places

CONTRADICTORY: Final = "contradictory"

ERROR_CLASSES: Final = Form(
    "error_class",
    "The line below does not fit the conversation. What is wrong with it?",
    (
        Option(1, CONTRADICTORY, "it contradicts something that was said before"),
        Option(2, "irrelevant", "it has nothing to do with what was said before"),
        Option(3, "other", "something else is wrong with it"),
    ),
    raters=3,
    false_only=True,
)
"""The three classes, in our words."""


@dataclass(frozen=True, slots=True)
class ConsistencySubset:
    """Two-candidate questions about consistency, and the labels they rest on."""

    questions: tuple[Question, ...]
    """One for each contradictory candidate; its id is the question's with the candidate's behind it."""
    labelled: Labelled
    """All questions, with what is wrong with each false candidate."""
    several_truths: tuple[str, ...]
    """Questions with contradictory candidates that were left out because they have not exactly one ground truth."""


def consistency_subset(
    questions: Iterable[Question],
    judgements: Iterable[Judgement],
    *,
    at_least: int = 2,
    seed: int = 0,
    unusable: Iterable[Unusable] = (),
) -> ConsistencySubset:
    """The subset that these labels (criterion ``error_class``) make of vetted questions, by the two-of-three rule."""
    labelled = settle_labels(questions, judgements, form=ERROR_CLASSES, at_least=at_least, unusable=unusable)
    result: list[Question] = []
    several: list[str] = []
    for question in labelled.questions:
        truths = [candidate for candidate in question.candidates if candidate.correct]
        against = [
            (name, candidate)
            for name, candidate in zip(candidate_ids(question), question.candidates, strict=True)
            if labelled.labels.get((question.item, name)) == CONTRADICTORY
        ]
        if len(truths) == 1:
            result += [_pair(question, truths[0], name, candidate, seed) for name, candidate in against]
        elif against:
            several.append(question.item)
    return ConsistencySubset(tuple(result), labelled, tuple(several))


def _pair(question: Question, truth: Candidate, name: str, false: Candidate, seed: int) -> Question:
    item, both = f"{question.item}/{name}", (truth, false)
    order = shuffled_places([candidate.text for candidate in both], item=item, seed=seed)
    return Question(item, question.context, tuple(both[at] for at in order), question.status)
