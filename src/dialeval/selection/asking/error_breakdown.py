"""A system's wrong choices by what is wrong with them (Sato et al., 2020, section 4.3 and Table 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from dialeval.core import DEFAULT_RESAMPLING, Resampling, Result
from dialeval.data.choices import Choice
from dialeval.evaluation.runner import evaluate
from dialeval.files.documents import finite
from dialeval.selection.asking.choosing import Normalise, chance
from dialeval.selection.asking.metrics import SelectionAccuracy, why_unscorable
from dialeval.selection.document import ErrorLabel, Quoted

MOST_EXAMPLES: Final = 3
"""How many wrong choices are quoted for each label."""


def labelled_errors(
    choices: Sequence[Choice],
    *,
    normalise: Normalise = "sum",
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> tuple[ErrorLabel, ...]:
    """One system's choices by the label of false candidates, the label most often chosen first.

    Nothing where no false candidate has a label.
    """

    def measured(alone: Sequence[Choice]) -> Result:
        return evaluate(SelectionAccuracy(normalise), alone, resampling=resampling)

    asked = [choice for choice in choices if why_unscorable(choice) is None]
    labels = dict.fromkeys(
        candidate.error
        for choice in asked
        for candidate in choice.question.candidates
        if not candidate.correct
    )
    if not any(labels):
        return ()
    found = [_label_errors(label, asked, measured) for label in labels]
    return tuple(sorted(found, key=lambda one: (-one.chosen, one.label is None, one.label or "")))


def only_against(choice: Choice, label: str | None) -> Choice | None:
    """The choice among the correct candidates and the false ones of this label; None where there are none of those."""
    candidates = choice.question.candidates
    kept = [
        index for index, candidate in enumerate(candidates) if candidate.correct or candidate.error == label
    ]
    if all(candidates[at].correct for at in kept):
        return None
    question = replace(choice.question, candidates=tuple(candidates[at] for at in kept))
    return Choice(question, choice.system, tuple(choice.scores[at] for at in kept))


def _label_errors(
    label: str | None, choices: Sequence[Choice], measured: Callable[[Sequence[Choice]], Result]
) -> ErrorLabel:
    alone = [narrowed for choice in choices if (narrowed := only_against(choice, label)) is not None]
    taken = [(choice, choice.question.candidates[choice.chosen]) for choice in choices]
    wrong = [choice for choice, candidate in taken if not candidate.correct and candidate.error == label]
    result = measured(alone)
    return ErrorLabel(
        label=label,
        candidates=sum(not candidate.correct for choice in alone for candidate in choice.question.candidates),
        questions=result.scored,
        chosen=len(wrong),
        alone=finite(result.score),
        low=finite(result.interval.low) if result.interval else None,
        high=finite(result.interval.high) if result.interval else None,
        chance=finite(chance([choice.question for choice in alone])),
        examples=tuple(map(_quoted, wrong[:MOST_EXAMPLES])),
    )


def _quoted(choice: Choice) -> Quoted:
    question = choice.question
    return Quoted(
        id=question.item,
        context=tuple(turn.text for turn in question.context),
        correct=next(candidate.text for candidate in question.candidates if candidate.correct),
        chosen=question.candidates[choice.chosen].text,
    )
