"""Qualification tests: raters answer items whose answers are known, and those who do well enough qualify."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import numpy as np

from dialeval.core import Floats
from dialeval.errors import Unsuitable
from dialeval.ratings.table import Ratings, Unit
from dialeval.stats.agreement.kappa import cohen_kappa
from dialeval.stats.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Qualification:
    """What a rater must reach on the items whose answers are known."""

    accuracy: float | None = None
    """The least share of right answers."""
    kappa: float | None = None
    """The least Cohen's kappa with the known answers."""
    answers: int = 1
    """How many of the items a rater must answer at least."""
    within: float = 0.0
    """How far an answer may be from the known one and still be right."""

    def __post_init__(self) -> None:
        if self.accuracy is None and self.kappa is None:
            raise Unsuitable("A qualification test needs a least accuracy, a least kappa, or both.")


@dataclass(frozen=True, slots=True)
class Candidate:
    """How one rater did."""

    rater: str
    answered: int
    right: int
    kappa: Estimate
    failures: tuple[str, ...]
    """What was not reached, in words; empty where the rater passed."""

    @property
    def accuracy(self) -> float:
        """The share of right answers among those given; NaN where none were."""
        return self.right / self.answered if self.answered else nan

    @property
    def passed(self) -> bool:
        """Whether the rater qualify."""
        return not self.failures


@dataclass(frozen=True, slots=True)
class Qualified:
    """How all raters did, in order of first sight."""

    candidates: tuple[Candidate, ...]

    @property
    def passed(self) -> tuple[str, ...]:
        """The names of those who qualify; ``ratings.by(raters=...)`` keeps theirs."""
        return tuple(candidate.rater for candidate in self.candidates if candidate.passed)


def gold_answers(ratings: Ratings, criterion: str, rater: str) -> dict[Unit, float]:
    """The answers of one rater, whose word is taken for the truth."""
    chosen = ratings.criterion_named(criterion).by(raters=[rater])
    if not len(chosen):
        raise Unsuitable(f"There is no answer of {rater!r} for {criterion!r} to be taken for the truth.")
    column = chosen.matrix(criterion)[:, 0]
    return {
        unit: float(value) for unit, value in zip(chosen.units, column, strict=True) if not np.isnan(value)
    }


def qualify(ratings: Ratings, criterion: str, gold: Mapping[Unit, float], test: Qualification) -> Qualified:
    """Which raters pass the test on the units of a criterion whose answers ``gold`` gives."""
    chosen = ratings.criterion_named(criterion)
    known = np.array([gold.get(unit, nan) for unit in chosen.units])
    if np.isnan(known).all():
        raise Unsuitable(
            f"None of the {len(gold):,} known answers is for an item that was rated for {criterion!r}."
            " Items and systems must be named as in the ratings."
        )
    table = chosen.matrix(criterion)
    return Qualified(
        tuple(_candidate(rater, table[:, index], known, test) for index, rater in enumerate(chosen.raters))
    )


def _candidate(rater: str, answers: Floats, known: Floats, test: Qualification) -> Candidate:
    asked = ~np.isnan(answers) & ~np.isnan(known)
    right = int((np.abs(answers[asked] - known[asked]) <= test.within).sum())
    kappa = cohen_kappa(answers, known)
    answered = int(asked.sum())
    share = right / answered if answered else 0.0
    failures = []
    if answered < test.answers:
        failures.append(f"answered {answered} of at least {test.answers}")
    if test.accuracy is not None and answered and share < test.accuracy:
        failures.append(f"accuracy {share:.3f} is below {test.accuracy:g}")
    if test.kappa is not None and answered and not kappa.defined:
        failures.append(f"kappa is undefined: {kappa.reason}")
    elif test.kappa is not None and kappa.value < test.kappa:
        failures.append(f"kappa {kappa.value:.3f} is below {test.kappa:g}")
    return Candidate(rater, answered, right, kappa, tuple(failures))
