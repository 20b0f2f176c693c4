"""The types of ``asked.json``, and of what ``summary.json`` says of choices (docs/files.md)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Final, Literal

from dialeval.data.choices import Choice as Choice, ChoiceRow as ChoiceRow
from dialeval.data.types import Question as Question
from dialeval.display.notes import Note
from dialeval.evaluation.compare import Comparison as Comparison
from dialeval.files.digests import FileDigest
from dialeval.files.documents import FINITE
from dialeval.stats.correlation.instability import Five as Five

GUESS: Final = "?"
"""What the label of a guess ends in."""


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
    """How a system fares with false candidates of one label; None for those without a label."""

    __pydantic_config__: ClassVar = FINITE

    label: str | None
    candidates: int
    questions: int
    """That have such candidates."""
    chosen: int
    """Choices that fell on one of them."""
    alone: float | None
    """The accuracy where they are the only false candidates."""
    low: float | None
    high: float | None
    chance: float | None
    """The accuracy of guessing there."""
    examples: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class SystemChoices:
    """One system's ties and errors."""

    system: str
    ties: int
    errors: tuple[ErrorLabel, ...]


@dataclass(frozen=True, slots=True)
class SelectionInfo:
    """A measure over choices in a run's summary."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    questions: int
    chance: float | None
    status: str
    systems: tuple[SystemChoices, ...]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions that were asked."""

    __pydantic_config__: ClassVar = FINITE

    n: int
    chance: float | None
    status: str
    """Whether people have looked at the candidates, in a sentence; the next three say it in numbers of questions."""
    vetted: int
    unvetted: int
    unknown: int
    sharing_a_context: int
    """How many have a context that an earlier question has."""
    most_candidates: int
    warnings: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class SystemResult:
    """One system's scores."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    signature: str
    accuracy: float | None
    low: float | None
    high: float | None
    mrr: float | None
    mrr_low: float | None
    mrr_high: float | None
    hits: dict[str, float | None]
    n: int
    unscored: int
    reason: str | None
    """Why the first of the unscored questions has no score."""
    ties: int
    normalise: str
    by_likelihood: bool
    status: str | None
    """The questions', or ``mixed``."""
    measure: str
    """The signature of accuracy."""
    data: str
    """sha256 of the choices."""
    errors: tuple[ErrorLabel, ...]
    design_effect: float | None
    """Variance of accuracy by clusters over that of independent questions; None where none are clustered."""

    def json_value(self) -> dict[str, object]:
        """The fields, with hits at each k under a key of their own as well."""
        content: dict[str, object] = {}
        for field in fields(self):
            if field.name == "hits":
                content |= {f"hits@{k}": share for k, share in self.hits.items()}
            content[field.name] = getattr(self, field.name)
        return content


@dataclass(frozen=True, slots=True)
class Refusal:
    """A system that could not be asked, and why."""

    system: str
    message: str


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
    """How much further that is than the trials spread, which share a pool; None where the pool is too small to say."""


@dataclass(frozen=True, slots=True)
class RankingTrials:
    """How the rankings of trials correlate with people's."""

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
    """Why people's ranking was of no use, where one was given."""
    failures: tuple[Refusal, ...]
    """Systems that could not score random candidates."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the systems were asked."""

    normalise: str
    seed: int
    trials: int
    level: float
    cluster: Literal["dialogue", "none"] | None
    package: str
    sources: tuple[FileDigest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDocument:
    """Everything in ``asked.json``."""

    format: Literal[1] = 1
    questions: QuestionSet
    results: tuple[SystemResult, ...]
    comparisons: tuple[Comparison, ...]
    failures: tuple[Refusal, ...]
    trials: Trials | None
    trials_reason: str | None
    """Why trials that were asked for failed."""
    settings: Settings
