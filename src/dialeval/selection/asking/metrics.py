"""Metrics over choices: accuracy, reciprocal rank, hits among the first k, and errors by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from dialeval.core import Floats
from dialeval.data.choices import Choice
from dialeval.files.documents import finite
from dialeval.metrics.rows import MeanOfValues, rows_of_values
from dialeval.selection.asking.choices import Normalise, chance, why_no_choice
from dialeval.selection.asking.trials import RandomChoice, rights_of
from dialeval.selection.document import ErrorLabel, Quoted
from dialeval.selection.labelling.labelling import CONTRADICTORY

MOST_EXAMPLES: Final = 3
"""Number of wrong choices that are quoted for each label."""


class _OverChoices(MeanOfValues[Choice]):
    """A mean over the questions in which there is something to choose."""

    __slots__ = ()
    facts: ClassVar[tuple[tuple[str, str], ...]] = (("ties", "against_the_system"),)
    higher_is_better: ClassVar[bool] = True
    family: ClassVar[str] = "selection"
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

    name: ClassVar[str] = "selection_accuracy"
    yes_no: ClassVar[bool] = True
    normalise: Normalise = "sum"
    """Of log-probabilities over tokens; other choosers have none."""

    def statistics(self, choices: Sequence[Choice]) -> Floats:
        """Rows of 1 or 0, and 1."""
        return rows_of_values([float(choice.right) for choice in choices])


@dataclass(frozen=True, slots=True)
class SelectionConsistency(SelectionAccuracy):
    """Share of questions in which the system prefers a correct candidate to contradictory ones.

    Accuracy over questions whose false candidates all contradict the context (Sato's thesis, section 3.3.3); others
    are unscored.
    """

    name: ClassVar[str] = "selection_consistency"

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

    name: ClassVar[str] = "selection_mrr"
    normalise: Normalise = "sum"

    def statistics(self, choices: Sequence[Choice]) -> Floats:
        """Rows of the reciprocal rank and 1."""
        return rows_of_values([1 / choice.rank for choice in choices])


@dataclass(frozen=True, slots=True)
class HitsAt(_OverChoices):
    """Share of questions with a correct candidate among the system's first ``k``, in [0, 1]; higher is better."""

    name: ClassVar[str] = "selection_hits"
    yes_no: ClassVar[bool] = True
    k: int = 2
    normalise: Normalise = "sum"

    def statistics(self, choices: Sequence[Choice]) -> Floats:
        """Rows of 1 or 0, and 1."""
        return rows_of_values([float(choice.rank <= self.k) for choice in choices])


@dataclass(frozen=True, slots=True)
class RandomAccuracy(MeanOfValues[RandomChoice]):
    """Share of questions in which the system chooses a correct candidate among random false ones.

    The mean over trials, each of which draws false candidates anew (Sato et al., 2020, RANDOM). In [0, 1], higher is
    better; what ranks systems is the accuracy with chosen candidates, which this is shown beside.
    """

    name: ClassVar[str] = "selection_random"
    facts: ClassVar[tuple[tuple[str, str], ...]] = _OverChoices.facts
    higher_is_better: ClassVar[bool] = True
    family: ClassVar[str] = "selection"
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    trials: int = 100
    pool: int = 0
    seed: int = 0
    normalise: Normalise = "sum"

    def unscorable(self, tried: RandomChoice) -> str | None:
        """Return why there is nothing to choose; else None."""
        return why_unscorable(tried.own) or why_unscorable(tried.among)

    def statistics(self, tried: Sequence[RandomChoice]) -> Floats:
        """Return rows of the share of trials with a right choice, and 1."""
        return rows_of_values([rights_of(one, self.trials, self.seed)[1:].mean() for one in tried])


def why_unscorable(choice: Choice) -> str | None:
    """Why a choice can be neither right nor wrong; None where it is one of them."""
    return why_no_choice(choice.question, choice.scores)


def error_labels(choices: Sequence[Choice]) -> tuple[ErrorLabel, ...]:
    """Return one system's choices by the label of false candidates, the label most often chosen first.

    Nothing if no false candidate has a label.
    """
    asked = [choice for choice in choices if why_unscorable(choice) is None]
    breakdown = [_error_label(label, asked) for label in labels_of(asked)]
    return tuple(sorted(breakdown, key=lambda error: (-error.chosen, error.label is None, error.label or "")))


def labels_of(choices: Sequence[Choice]) -> list[str | None]:
    """Return the labels of false candidates, None for those without one; nothing if none has a label."""
    labels = dict.fromkeys(
        candidate.error
        for choice in choices
        for candidate in choice.question.candidates
        if not candidate.correct
    )
    return list(labels) if any(labels) else []


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


def all_against(choices: Sequence[Choice], label: str | None) -> list[Choice]:
    """Return the choices among correct candidates and false ones of this label, in questions that have some."""
    return [narrowed for choice in choices if (narrowed := only_against(choice, label)) is not None]


def _error_label(label: str | None, choices: Sequence[Choice]) -> ErrorLabel:
    alone = all_against(choices, label)
    taken = [(choice, choice.question.candidates[choice.chosen]) for choice in choices]
    wrong = [choice for choice, candidate in taken if not candidate.correct and candidate.error == label]
    return ErrorLabel(
        label=label,
        candidates=sum(not candidate.correct for choice in alone for candidate in choice.question.candidates),
        chosen=len(wrong),
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
