"""Metrics over choices: accuracy, reciprocal rank, hits among the first k, and errors by label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from dialeval.core import DEFAULT_RESAMPLING, Floats, Resampling, Result, Signature
from dialeval.data.choices import Choice
from dialeval.evaluation.runner import evaluate
from dialeval.files.documents import finite
from dialeval.metrics.rows import MeanOfValues, rows_of_values
from dialeval.selection.asking.choosing import Normalise, chance, why_no_choice
from dialeval.selection.document import ErrorLabel, Quoted
from dialeval.selection.labelling.labelling import CONTRADICTORY

_TIES: Final = (("ties", "against_the_system"),)
MOST_EXAMPLES: Final = 3
"""How many wrong choices are quoted for each label."""


class _OverChoices(MeanOfValues):
    """What all of them are: a mean over the questions in which there is something to choose."""

    __slots__ = ()
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def unscorable(self, choice: Choice) -> str | None:
        """Why there is nothing to choose, or that a score is not a number; else None."""
        return why_unscorable(choice)


@dataclass(frozen=True, slots=True)
class SelectionAccuracy(_OverChoices):
    """Share of questions in which the system chooses a correct candidate.

    In [0, 1], higher is better (Sato et al., 2020, section 4.1.2). A tie between a correct candidate and a false one
    counts as wrong; of several correct candidates one must be above all false ones.
    """

    yes_no: ClassVar[bool] = True
    normalise: Normalise = "sum"
    """Of log-probabilities over tokens; other choosers have none."""

    @property
    def signature(self) -> Signature:
        """All that could move the number beside the questions and the system."""
        return Signature("selection_accuracy", (("normalise", self.normalise),), _TIES)

    def statistics(self, choices: Sequence[Choice]) -> Floats:
        """Rows of 1 or 0, and 1."""
        return rows_of_values([float(choice.right) for choice in choices])


@dataclass(frozen=True, slots=True)
class SelectionConsistency(SelectionAccuracy):
    """Share of questions in which the system prefers a correct candidate to contradictory ones.

    Accuracy over questions whose false candidates all contradict the context (Sato's thesis, section 3.3.3); others
    are unscored.
    """

    @property
    def signature(self) -> Signature:
        """All that could move the number beside the questions and the system."""
        return Signature("selection_consistency", (("normalise", self.normalise),), _TIES)

    def unscorable(self, choice: Choice) -> str | None:
        """Why there is nothing to choose, or that a false candidate is false for another reason; else None."""
        others = [
            candidate
            for candidate in choice.question.candidates
            if not candidate.correct and candidate.error != CONTRADICTORY
        ]
        if others:
            return f"a false candidate is not labelled '{CONTRADICTORY}' ({others[0].error or 'no label'})"
        return why_unscorable(choice)


@dataclass(frozen=True, slots=True)
class ReciprocalRank(_OverChoices):
    """Mean of 1 / the place of the best correct candidate, in (0, 1]; higher is better (Voorhees, 1999).

    False candidates with the same score stand before it.
    """

    normalise: Normalise = "sum"

    @property
    def signature(self) -> Signature:
        """All that could move the number beside the questions and the system."""
        return Signature("selection_mrr", (("normalise", self.normalise),), _TIES)

    def statistics(self, choices: Sequence[Choice]) -> Floats:
        """Rows of the reciprocal rank and 1."""
        return rows_of_values([1 / choice.rank for choice in choices])


@dataclass(frozen=True, slots=True)
class HitsAt(_OverChoices):
    """Share of questions with a correct candidate among the system's first ``k``, in [0, 1]; higher is better."""

    yes_no: ClassVar[bool] = True
    k: int = 2
    normalise: Normalise = "sum"

    @property
    def signature(self) -> Signature:
        """All that could move the number beside the questions and the system."""
        return Signature("selection_hits", (("k", self.k), ("normalise", self.normalise)), _TIES)

    def statistics(self, choices: Sequence[Choice]) -> Floats:
        """Rows of 1 or 0, and 1."""
        return rows_of_values([float(choice.rank <= self.k) for choice in choices])


def why_unscorable(choice: Choice) -> str | None:
    """Why a choice can be neither right nor wrong; None where it is one of them."""
    return why_no_choice(choice.question, choice.scores)


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
    breakdown = [_label_errors(label, asked, measured) for label in labels]
    return tuple(sorted(breakdown, key=lambda error: (-error.chosen, error.label is None, error.label or "")))


def only_against(choice: Choice, label: str | None) -> Choice | None:
    """The choice among the correct candidates and the false ones of this label; None where there are none of those."""
    candidates = choice.question.candidates
    kept = [
        index for index, candidate in enumerate(candidates) if candidate.correct or candidate.error == label
    ]
    if all(candidates[index].correct for index in kept):
        return None
    question = replace(choice.question, candidates=tuple(candidates[index] for index in kept))
    return Choice(question, choice.system, tuple(choice.scores[index] for index in kept))


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
