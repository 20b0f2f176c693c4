"""What choices come to: accuracy, reciprocal ranks and hits among the first k, as metrics over choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from dialeval.core import Floats, Signature
from dialeval.data.choices import Choice
from dialeval.metrics.rows import mean_of_rows, rows_of_values
from dialeval.selection.asking.choosing import Normalise, why_no_choice
from dialeval.selection.labelling.consistency_subset import CONTRADICTORY

_TIES: Final = (("ties", "against_the_system"),)


class _OverChoices:
    """What all of them are: a mean over the questions in which there is something to choose."""

    __slots__ = ()
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def unscorable(self, choice: Choice) -> str | None:
        """Why there is nothing to choose, or that a score is not a number; else None."""
        return why_unscorable(choice)

    def aggregate(self, totals: Floats) -> Floats:
        """The mean over questions; NaN of none."""
        return mean_of_rows(totals)


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
class SelectionConsistency(_OverChoices):
    """Share of questions in which the system prefers a correct candidate to contradictory ones.

    Accuracy over questions whose false candidates all contradict the context (Sato's thesis, section 3.3.3); others
    are unscored.
    """

    yes_no: ClassVar[bool] = True
    normalise: Normalise = "sum"

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

    def statistics(self, choices: Sequence[Choice]) -> Floats:
        """Rows of 1 or 0, and 1."""
        return rows_of_values([float(choice.right) for choice in choices])


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
