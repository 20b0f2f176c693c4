"""The types of what ``summary.json`` says of choices (docs/files.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from dialeval.display.notes import Note
from dialeval.files.documents import FINITE
from dialeval.stats.estimate import Five as Five

GUESS: Final = "?"
"""Ending of the label of a guess."""


UNLABELLED: Final = "unlabelled"
"""Label under which false candidates without one are shown."""


def is_guess(label: str) -> bool:
    """Whether nobody but a program gave this label."""
    return label.endswith(GUESS)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A wrong choice as it is quoted."""

    id: str
    context: tuple[str, ...]
    correct: str
    chosen: str


@dataclass(frozen=True, slots=True)
class ErrorLabel:
    """False candidates of one label, and choices that fell on them; None for those without a label.

    The accuracy if they are the only false candidates is among the breakdowns.
    """

    __pydantic_config__: ClassVar = FINITE

    label: str | None
    candidates: int
    chosen: int
    """Choices that fell on one of them."""
    chance: float | None
    """Accuracy of guessing if they are the only false candidates."""
    examples: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class SystemChoices:
    """One system's ties and errors."""

    system: str
    ties: int
    errors: tuple[ErrorLabel, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A candidate of a question, and who chose it."""

    text: str
    correct: bool
    error: str | None
    chosen_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HardQuestion:
    """A question that some system gets wrong."""

    id: str
    context: tuple[tuple[str, str], ...]
    """Speaker and text of each turn."""
    right: int
    """Number of systems that choose a correct candidate."""
    systems: int
    candidates: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class TrialsRow:
    """One system's accuracies with chosen and with random false candidates."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    chosen: float
    mean: float
    five: Five
    """Of the trials, spread as fresh draws would be."""
    widening: float | None
    """How much further that is than the trials spread, which share a pool; None if the pool is too small to say."""


@dataclass(frozen=True, slots=True)
class RankingTrials:
    """Correlation of the rankings of trials with people's."""

    __pydantic_config__: ClassVar = FINITE

    criterion: str
    coefficient: Literal["spearman", "pearson", "kendall"]
    systems: int
    not_judged: tuple[str, ...]
    chosen: float | None
    mean: float | None
    five: Five | None
    undefined: int
    values: tuple[float, ...]
    p: float | None = None
    """Two-sided, of ``chosen``, systems taken as a random sample: one test, so not corrected."""


@dataclass(frozen=True, slots=True)
class Trials:
    """The same questions with random false candidates, many times."""

    __pydantic_config__: ClassVar = FINITE

    trials: int
    pool: int
    questions: int
    left_out: int
    source: str
    """Where the random candidates came from."""
    seed: int
    systems: tuple[TrialsRow, ...]
    accuracies: tuple[tuple[float, ...], ...]
    """With random candidates, by trial and system."""
    human: RankingTrials | None
    human_reason: str | None
    """Why people's ranking was of no use, if one was given."""


@dataclass(frozen=True, slots=True)
class SelectionInfo:
    """A measure over choices in a run's summary."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    questions: int
    chance: float | None
    status: str
    most_candidates: int
    sharing_a_context: int
    """Number of questions with a context that an earlier question has."""
    systems: tuple[SystemChoices, ...] = ()
    warnings: tuple[Note, ...] = ()
    hardest: tuple[HardQuestion, ...] = ()
    wrong: int = 0
    """Number of questions that some system gets wrong."""
    trials: Trials | None = None
    """Of the measure over random candidates."""
