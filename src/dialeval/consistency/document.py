"""The types of the JSON of consistency: what was detected, and what a study says of it (docs/files.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dialeval.consistency.detecting.detector import Verdict as Verdict
from dialeval.files.documents import FINITE


@dataclass(frozen=True, slots=True)
class Said:
    """A turn, or a passage of one."""

    turn: int
    """Counted from 0 in ``messages``."""
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Detected:
    """A dialogue and its two most contradictory turns."""

    __pydantic_config__: ClassVar = FINITE

    id: str
    system: str
    probability: float | None
    """None where there is nothing to compare."""
    pair: tuple[int, int] | None
    """The two turns, counted from 0; the same one twice where it contradicts itself."""
    verdict: Verdict
    quotes: tuple[Said, Said] | None
    between: str = ""
    """The other speaker's turn before the second one."""
    reason: str | None = None
    """Why there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class SystemRate:
    """How many of a system's dialogues contradict themselves."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    dialogues: int
    contradictions: int
    ambiguous: int
    excluded: int
    rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class DetectedDocument:
    """The result of ``dialeval consistency detect``."""

    __pydantic_config__: ClassVar = FINITE

    threshold: float
    band: tuple[float, float]
    """From the first up to the second, the verdict is ``ambiguous``."""
    detector: str
    """Its signature."""
    turn: Literal["all", "last"]
    dialogues: tuple[Detected, ...]
    systems: tuple[SystemRate, ...]
    excluded: dict[str, int]
    """Dialogues with nothing to compare, by reason."""
    format: Literal[1] = 1


@dataclass(frozen=True, slots=True)
class ConsistencyInfo:
    """A measure of consistency in a run's summary."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    status: str
    threshold: float
    band: tuple[float, float]
    detector: str
    systems: tuple[SystemRate, ...]
    worst: tuple[Detected, ...]
    """The most contradictory answers of all systems, most probable first."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How well a detector does on labelled pairs."""

    __pydantic_config__: ClassVar = FINITE

    n: int
    contradictions: int
    accuracy: float
    low: float
    high: float
    auc: float
    auc_low: float
    auc_high: float
    brier: float
    calibration_error: float
    """Mean distance of predicted from real shares in ten bins of equal size."""
    ambiguous: int
    """Pairs in the ambiguous band."""
    accuracy_outside: float | None
    """Of the pairs outside the band."""


@dataclass(frozen=True, slots=True)
class Target:
    """One system as the target: what the detector does before and after training on the other systems."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    before: Measured
    """Of the detector as it is, which has seen no response of these systems (the thesis's CD_HUM)."""
    after: Measured | None
    """Of the one trained further on the other systems' responses (CD_RGS); None where nothing was trained."""
    trained_on: int
