"""What ``asked.json`` says, and what ``summary.json`` says of choices, as frozen values (see ``docs/files.md``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

FINITE: Final = {"allow_inf_nan": False}

Five: TypeAlias = tuple[float, float, float, float, float]
"""Least, first quartile, median, third quartile, greatest."""


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
    chosen: int
    alone: float | None
    """The accuracy where they are the only false candidates."""
    low: float | None
    high: float | None
    examples: tuple[Quoted, ...]
    chance: float | None = None
    """The accuracy of guessing there."""


@dataclass(frozen=True, slots=True)
class SystemChoices:
    """One system's ties and errors."""

    system: str
    ties: int
    errors: tuple[ErrorLabel, ...]


@dataclass(frozen=True, slots=True)
class SelectionInfo:
    """What a run's summary says of a measure over choices."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    questions: int
    chance: float | None
    status: str
    systems: tuple[SystemChoices, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions that were asked."""

    __pydantic_config__: ClassVar = FINITE

    n: int
    chance: float | None
    status: str
    sharing_a_context: int = 0
    """How many have a context that an earlier question has."""
    most_candidates: int | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One system's scores."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    signature: str
    accuracy: float | None
    low: float | None
    high: float | None
    mrr: float | None
    hits: dict[str, float | None]
    n: int
    unscored: int
    ties: int
    errors: tuple[ErrorLabel, ...]
    reason: str | None = None
    """Why the first of the unscored questions has no score."""
    by_likelihood: bool = True


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems' accuracies compared."""

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    difference: float | None
    low: float | None
    high: float | None
    p_mcnemar: float | None
    p_adjusted: float | None
    significant: bool
    better: str | None
    wins: int | None
    losses: int | None
    n: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A system that could not be asked."""

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


@dataclass(frozen=True, slots=True)
class RankingTrials:
    """How the rankings of trials correlate with people's."""

    __pydantic_config__: ClassVar = FINITE

    criterion: str
    coefficient: Literal["spearman", "pearson", "kendall"]
    systems: int
    chosen: float | None
    mean: float | None
    five: Five | None
    undefined: int
    not_judged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trials:
    """The same questions with random false candidates, many times."""

    trials: int
    pool: int
    questions: int
    left_out: int
    source: str
    systems: tuple[TrialsRow, ...]
    human: RankingTrials | None
    human_reason: str | None = None
    """Why people's ranking was of no use, where one was given."""
    failures: tuple[Refusal, ...] = ()
    """Systems that could not score random candidates."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How it was asked."""

    normalise: str
    seed: int
    trials: int
    level: float
    cluster: str | None
    package: str


@dataclass(frozen=True, slots=True)
class AskedDocument:
    """All that ``dialeval select ask`` found."""

    format: Literal[1]
    questions: Asked
    results: tuple[Row, ...]
    comparisons: tuple[Pair, ...]
    failures: tuple[Refusal, ...]
    trials: Trials | None
    settings: Settings
    trials_reason: str | None = None
    """Why trials that were asked for failed."""
