"""Measures of talks: success, pass^k, turns to success, and talks in which the simulated user made a fault."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, isnan, nan
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Integers, LeaveOneOut, Metric
from dialeval.data.types import Dialogue
from dialeval.display.wording import count
from dialeval.errors import DialevalError
from dialeval.metrics.rows import MeanOfValues
from dialeval.talks.outcome import (
    FAILED,
    NOBODY_LOOKED,
    FaultKind,
    are_identical,
    check_faults,
    end_of,
    faults_of,
    is_talk,
    scenario_of,
    success_of,
    why_unknown,
)

Failures: TypeAlias = Literal["out", "zero"]
"""Convention for talks that failed for a technical reason: they have no value, or count as no success."""
Counting: TypeAlias = Literal["observed", "faultless", "worst", "best"]
"""Successes that count: as observed; only of talks without a fault of the user; or the least and the most that the
user's faults leave possible."""


def _outcome(talk: Dialogue, failures: Failures) -> float | None:
    """The success of a talk under a convention; None if it has none."""
    if end_of(talk) == "failed":
        return 0.0 if failures == "zero" else None
    return success_of(talk)


def _why_none(talk: object, failures: Failures) -> str | None:
    if isinstance(talk, Dialogue) and is_talk(talk) and end_of(talk) == "failed":
        return None if failures == "zero" else FAILED
    return why_unknown(talk)


class _TalkMetric(MeanOfValues[Any], ABC):
    """A mean over talks."""

    __slots__ = ()

    whole_dialogues: ClassVar[bool] = True
    version: ClassVar[int] = 1

    def statistics(self, talks: Sequence[Any]) -> Floats:
        """Rows of the talk's value and 1; of two zeros if it has none."""
        rows = np.zeros((len(talks), 2))
        for place, talk in enumerate(talks):
            if self.unscorable(talk) is None:
                rows[place] = self.value(talk), 1
        return rows

    @abstractmethod
    def value(self, talk: Dialogue) -> float:
        """Return the value of a talk that is not unscorable."""


@dataclass(frozen=True, slots=True)
class Success(_TalkMetric):
    """Share of talks in which the user's goal was reached.

    Read from the ``success`` of each talk's metadata; higher is better. ``failures='zero'`` counts talks that failed
    for a technical reason as no success; they are left out by default. ``counting='faultless'`` leaves out talks with
    a fault of the simulated user; ``worst`` counts successes that a fault may have helped as none, ``best`` counts
    failures that a fault may have caused as successes.
    """

    name: ClassVar[str] = "success"
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    failures: Failures = "out"
    counting: Counting = "observed"

    def unscorable(self, talk: Any) -> str | None:
        """Return why the talk has no outcome, or that it has a fault."""
        why = _why_none(talk, self.failures)
        if why is None and self.counting != "observed":
            why = check_faults(talk)
        if why is None and self.counting == "faultless" and _matters(talk):
            return "the simulated user made a fault"
        return why

    def value(self, talk: Dialogue) -> float:
        """Return the success under the convention."""
        value = _outcome(talk, self.failures) or 0.0
        effects = {fault.effect for fault in faults_of(talk)}
        if self.counting == "worst" and effects & {"helped", "unknown"}:
            return 0.0
        if self.counting == "best" and effects & {"hindered", "unknown"}:
            return 1.0
        return value

    def explain(self, talk: Any) -> str:
        """Return why the goal was not reached, if that is recorded."""
        reason = talk.metadata.get("success_reason") if isinstance(talk, Dialogue) else None
        return str(reason) if reason else ""


def _matters(talk: Dialogue) -> bool:
    """Return whether the user made a fault that may have changed the outcome."""
    return any(fault.effect != "minor" for fault in faults_of(talk))


@dataclass(frozen=True, slots=True)
class PassK(Metric[Any]):
    """Probability that all of ``k`` talks about a scenario succeed (pass^k of tau-bench), estimated without bias.

    The mean over scenarios of C(c, k) / C(n, k), c being the successes among n talks (Yao et al., 2024). A talk
    succeeds if its success is 1. Scenarios with fewer than k talks are left out and told. Higher is better.
    """

    name: ClassVar[str] = "pass_k"
    per_item: ClassVar[bool] = False
    judges_silence: ClassVar[bool] = True
    whole_dialogues: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    k: int = 1
    failures: Failures = "out"

    def __post_init__(self) -> None:
        if self.k < 1:
            raise DialevalError(
                f"The parameter 'k' of pass_k: found {self.k!r}, expected a whole number from 1 on."
            )

    def unscorable(self, talk: Any) -> str | None:
        """Return why the talk has no outcome, or None."""
        return _why_none(talk, self.failures)

    def without(self, talks: Sequence[Any], groups: Integers) -> LeaveOneOut:
        """Return pass^k of all talks, and without each group of them."""
        tried: Counter[str] = Counter(map(scenario_of, talks))
        passed = Counter(scenario_of(talk) for talk in talks if self._passes(talk))
        self._tell(talks, tried)
        known = {name: _all_of(passed[name], n, self.k) for name, n in tried.items()}
        total = _Mean(known)
        left: list[dict[str, list[int]]] = [{} for _ in range(int(groups.max(initial=-1)) + 1)]
        for talk, group in zip(talks, groups.tolist(), strict=True):
            lost = left[group].setdefault(scenario_of(talk), [0, 0])
            lost[0] += 1
            lost[1] += self._passes(talk)
        return LeaveOneOut(
            total.value,
            np.array(
                [
                    total.replaced(
                        {
                            name: _all_of(passed[name] - fewer, tried[name] - gone, self.k)
                            for name, (gone, fewer) in lost.items()
                        }
                    )
                    for lost in left
                ]
            ),
        )

    def _passes(self, talk: Dialogue) -> bool:
        return _outcome(talk, self.failures) == 1.0

    def _tell(self, talks: Sequence[Dialogue], tried: Mapping[str, int]) -> None:
        short = [name for name, number in tried.items() if number < self.k]
        if short:
            _warn_once(
                f"pass_k(k={self.k}): {count(len(short), 'scenario')} of {len(tried):,} left out, with fewer than "
                f"{self.k} talks that have an outcome (first: {short[0]}, {tried[short[0]]})"
            )
        if self.k > 1 and are_identical(talks):
            _warn_once(
                f"pass_k(k={self.k}): all {len(talks):,} repeats are word for word identical, so pass^k says nothing "
                "about chance: let the user or the system sample, as with decoding: sample"
            )


@lru_cache(maxsize=64)  # a measure is computed several times: for intervals, and for every pair of systems
def _warn_once(text: str) -> None:
    warnings.warn(text, stacklevel=2)


def _all_of(passed: int, tried: int, k: int) -> float:
    """The probability that ``k`` of so many talks, drawn without putting back, all passed; NaN of fewer talks."""
    return comb(passed, k) / comb(tried, k) if tried >= k else nan


class _Mean:
    """The mean of the values of scenarios, NaN being none, and what it is with other values for some."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self._values = values
        known = [value for value in values.values() if not isnan(value)]
        self._sum, self._number = sum(known), len(known)

    @property
    def value(self) -> float:
        """The mean; NaN of none."""
        return self._sum / self._number if self._number else nan

    def replaced(self, others: Mapping[str, float]) -> float:
        """The mean with these values in place of the known ones."""
        total, number = self._sum, self._number
        for name, value in others.items():
            for each, sign in ((self._values[name], -1), (value, 1)):
                if not isnan(each):
                    total += sign * each
                    number += sign
        return total / number if number else nan


@dataclass(frozen=True, slots=True)
class TurnsToSuccess(_TalkMetric):
    """Mean number of the user's turns in talks that reached the goal; lower is better.

    Talks without success have no value, so look at `success` beside it.
    """

    name: ClassVar[str] = "turns_to_success"
    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (0.0, np.inf)
    conditional: ClassVar[bool] = True
    silence: ClassVar[float] = nan

    def unscorable(self, talk: Any) -> str | None:
        """Return why the talk has no outcome, or that the goal was not reached."""
        why = _why_none(talk, "out")
        if why is not None:
            return why
        return None if success_of(talk) == 1.0 else "the goal was not reached"

    def value(self, talk: Dialogue) -> float:
        """Return the number of the user's turns."""
        return float(sum(turn.speaker == "user" for turn in talk.turns))


@dataclass(frozen=True, slots=True)
class UserFaults(_TalkMetric):
    """Share of talks with a fault of the simulated user that may have changed the outcome.

    It describes the user, not the system. ``kind`` counts one kind alone, minor ones too: ``invented``, ``early``,
    ``ended_early``, ``never_ended``, ``off_goal``, ``language``, ``repeated`` or ``empty``.
    """

    name: ClassVar[str] = "user_faults"
    higher_is_better: ClassVar[None] = None
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    kind: FaultKind | None = None

    def unscorable(self, talk: Any) -> str | None:
        """Return that nobody looked for faults, or None."""
        return check_faults(talk) if isinstance(talk, Dialogue) else NOBODY_LOOKED

    def value(self, talk: Dialogue) -> float:
        """Return 1 for a talk with a fault, else 0."""
        if self.kind is None:
            return float(_matters(talk))
        return float(any(fault.kind == self.kind for fault in faults_of(talk)))

    def explain(self, talk: Any) -> str:
        """List the faults."""
        return "; ".join(
            f"turn {fault.turn}: {fault.kind} ({fault.effect}) {fault.evidence}".strip()
            for fault in (faults_of(talk) if isinstance(talk, Dialogue) else ())
        )
