"""Whether a measure is right about single answers, as a document says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dialeval.meta.report.fields import FINITE


@dataclass(frozen=True, slots=True)
class InstanceTest:
    """One system's answers that a measure calls right, against those it calls wrong."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    right: int
    wrong: int
    left_out: int
    mean_right: float | None
    mean_wrong: float | None
    statistic: float | None
    df: float | None
    p: float | None
    p_adjusted: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Instances:
    """For how many systems people rate the answers higher that a measure calls right."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rule: str
    criterion: str
    test: Literal["welch", "student", "fisher"]
    alternative: Literal["greater", "less"]
    alpha: float
    systems: tuple[InstanceTest, ...]
    tested: int
    significant: int
    significant_adjusted: int
