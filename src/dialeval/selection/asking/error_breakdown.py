"""A system's wrong choices by what is wrong with them (Sato et al., 2020, section 4.3 and Table 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dialeval.core import DEFAULT_RESAMPLING, Resampling, Result
from dialeval.evaluation.runner import evaluate
from dialeval.selection.asking.choosing import Choice, Normalise, chance
from dialeval.selection.asking.metrics import SelectionAccuracy, why_unscorable


@dataclass(frozen=True, slots=True)
class LabelErrors:
    """How a system fares with false candidates of one label."""

    label: str | None
    """What is wrong with them; None for those that nobody labelled."""
    candidates: int
    """How many there are."""
    chosen: tuple[Choice, ...]
    """The choices that fell on one of them."""
    alone: Result
    """The accuracy where they are the only false candidates, over the questions that have any."""
    chance: float
    """The accuracy of guessing there."""


def labelled_errors(
    choices: Sequence[Choice],
    *,
    normalise: Normalise = "sum",
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> tuple[LabelErrors, ...]:
    """One system's choices by the label of false candidates, the label most often chosen first.

    Nothing where no false candidate has a label.
    """

    def measured(alone: Sequence[Choice]) -> Result:
        return evaluate(SelectionAccuracy(normalise), alone, resampling=resampling)

    asked = [choice for choice in choices if why_unscorable(choice) is None]
    labels = dict.fromkeys(
        one.error for choice in asked for one in choice.question.candidates if not one.correct
    )
    if not any(labels):
        return ()
    found = [_label_errors(label, asked, measured) for label in labels]
    return tuple(sorted(found, key=lambda one: (-len(one.chosen), one.label is None, one.label or "")))


def only_against(choice: Choice, label: str | None) -> Choice | None:
    """The choice among the correct candidates and the false ones of this label; None where there are none of those."""
    candidates = choice.question.candidates
    kept = [at for at, one in enumerate(candidates) if one.correct or one.error == label]
    if all(candidates[at].correct for at in kept):
        return None
    question = replace(choice.question, candidates=tuple(candidates[at] for at in kept))
    return Choice(question, choice.system, tuple(choice.scores[at] for at in kept))


def _label_errors(
    label: str | None, choices: Sequence[Choice], measured: Callable[[Sequence[Choice]], Result]
) -> LabelErrors:
    alone = [one for choice in choices if (one := only_against(choice, label)) is not None]
    taken = [(choice, choice.question.candidates[choice.chosen]) for choice in choices]
    return LabelErrors(
        label,
        sum(not one.correct for choice in alone for one in choice.question.candidates),
        tuple(choice for choice, one in taken if not one.correct and one.error == label),
        measured(alone),
        chance([one.question for one in alone]),
    )
