"""Document types of validation on single answers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from dialeval.files.documents import FINITE

GroupTest: TypeAlias = Literal["welch", "student", "fisher"]


@dataclass(frozen=True, slots=True)
class SystemTest:
    """One system: ratings of its answers to the items a measure calls right, against those it calls wrong."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    right: int
    """Rated answers that the measure calls right."""
    wrong: int
    left_out: int
    """Rated answers without a verdict, verdicts without a rating, and raters who were evenly split."""
    mean_right: float | None
    """Mean rating, or share of yes; None where there is none."""
    mean_wrong: float | None
    statistic: float | None
    """t, or the odds ratio of Fisher's test, which may be infinite; None where it could not be tested."""
    df: float | None
    """Degrees of freedom of t; None for Fisher's test."""
    p: float | None
    """One-tailed; None where it could not be tested."""
    p_adjusted: float | None
    """After Holm's correction over the systems that were tested."""
    reason: str | None
    """Why this system could not be tested."""

    @property
    def difference(self) -> float | None:
        """Mean where right minus mean where wrong."""
        if self.mean_right is None or self.mean_wrong is None:
            return None
        return self.mean_right - self.mean_wrong


@dataclass(frozen=True, slots=True)
class InstanceValidation:
    """For how many systems a measure tells well-rated answers from badly rated ones."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    rule: str
    criterion: str
    test: GroupTest
    alternative: Literal["greater", "less"]
    """Which way the ratings should lie where the measure says right."""
    alpha: float
    systems: tuple[SystemTest, ...]

    @property
    def tested(self) -> int:
        """How many systems could be tested."""
        return sum(system.reason is None for system in self.systems)

    @property
    def significant(self) -> int:
        """How many systems reach alpha, each taken alone, as Sato (2024) counts them."""
        return sum(system.p is not None and system.p < self.alpha for system in self.systems)

    @property
    def significant_adjusted(self) -> int:
        """How many reach alpha after Holm's correction."""
        adjusted = (system.p_adjusted for system in self.systems)
        return sum(p is not None and p < self.alpha for p in adjusted)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence."""
        untested = len(self.systems) - self.tested
        rest = f"; {untested} could not be tested" if untested else ""
        way = "higher" if self.alternative == "greater" else "lower"
        return (
            f"{self.criterion} is significantly {way} where {self.rule} for {self.significant} of {self.tested} "
            f"systems at {self.alpha:g} ({self.significant_adjusted} after Holm's correction){rest}."
        )

    def json_value(self) -> Mapping[str, object]:
        """The fields, and the counts."""
        counts = ("tested", "significant", "significant_adjusted")
        names = [field.name for field in dataclasses.fields(self)]
        return {name: getattr(self, name) for name in (*names, *counts)}
