"""Types of mean ratings, as they are computed and as ``dialeval annotate means --json`` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from dialeval.display.notes import Note
from dialeval.evaluation.compare import Comparison
from dialeval.files.documents import FINITE
from dialeval.ratings.agreement.intervals import Raters
from dialeval.stats.resampling.intervals import Absence

ModelName: TypeAlias = Literal["linear", "ordinal"]
"""A linear mixed model with crossed random effects, or an ordinal probit model without random effects."""

Disagreement: TypeAlias = Literal["sign", "significance"]
"""What a model says otherwise than the means do: who is ahead, or whether that is significant."""


@dataclass(frozen=True, slots=True)
class SystemMean:
    """One system's mean rating, in which each item counts the same."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    mean: float | None
    low: float | None
    """Where the mean of other items, or of other items and raters, plausibly lies; None without an interval."""
    high: float | None
    items: int
    ratings: int
    absence: Absence | None = None
    """Why there is no interval."""


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """What a model says of two systems; the number of the linear one is on the scale of the ratings."""

    __pydantic_config__: ClassVar = FINITE

    a: str
    b: str
    estimate: float | None
    """a's effect minus b's; that of the ordinal model is in standard deviations of a latent normal variable."""
    low: float | None
    high: float | None
    p: float | None
    """Wald's, before any correction."""
    p_adjusted: float | None = None
    """After Holm's correction over the same family of tests as that of the means."""
    significant: bool = False
    disagrees: Disagreement | None = None
    """None where the model and the means say the same, or one of them says nothing."""


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """One model of all ratings of a criterion."""

    __pydantic_config__: ClassVar = FINITE

    model: ModelName
    differences: tuple[ModelDifference, ...]
    """Of the same pairs as those of the means, in their order; empty where ``reason`` says why."""
    components: Mapping[str, float]
    """Standard deviations of the random effects and of the residual; empty for the ordinal model."""
    reason: str | None = None
    """Why there is no estimate."""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class CriterionMeans:
    """Mean ratings of all systems on one criterion, the highest first, and the difference of every two."""

    __pydantic_config__: ClassVar = FINITE

    criterion: str
    items: int
    """Items that were rated for every system, over which the means are; all items where there is none."""
    raters: int
    ratings: int
    interval_raters: Raters
    """Whether intervals and tests are about these raters, or about others like them, too."""
    level: float
    """The confidence of intervals."""
    clusters: int | None
    """How many dialogues are resampled whole; None where items are independent."""
    systems: tuple[SystemMean, ...]
    differences: tuple[Comparison, ...]
    """Of every two systems that share items, each over the items that both have."""
    models: tuple[CrossCheck, ...] = ()
    """Empty where no model was asked for."""
    notes: tuple[Note, ...] = ()
