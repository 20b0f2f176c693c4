"""The types of what a study's files and page say of talks (docs/files.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from dialeval.files.documents import FINITE
from dialeval.stats.estimate import Estimate
from dialeval.talks.outcome import Fault


@dataclass(frozen=True, slots=True)
class SystemTalks:
    """Talks of one system: success by every convention, how they ended, and the user's faults."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    talks: int
    success: Estimate
    """As observed; talks that failed for a technical reason are left out."""
    failures_as_zero: Estimate
    """The same if these count as no success."""
    faultless: Estimate
    """Of talks without a fault of the user that may matter."""
    worst: float | None
    """The least success that the user's faults leave possible."""
    best: float | None
    ends: Mapping[str, int]
    """Number of talks by how they ended."""
    faults: Mapping[str, int]
    """Number of talks with each kind of fault of the user."""
    turns: float | None
    """Mean number of the user's turns."""
    usage: Mapping[str, Mapping[str, int]]
    """Requests and tokens of the ``system`` and of the ``user``; ``uncounted`` answers make the sums lower bounds."""
    identical: bool
    """True if the repeats of every scenario are word for word the same."""


@dataclass(frozen=True, slots=True)
class Message:
    """A turn of a talk."""

    role: str
    text: str
    calls: tuple[str, ...] = ()
    """Calls of tools, by name and arguments."""


@dataclass(frozen=True, slots=True)
class TalkShown:
    """A talk as the page shows it."""

    system: str
    repeat: str
    success: float | None
    reason: str
    end: str
    messages: tuple[Message, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class ScenarioTalks:
    """Talks of all systems about one scenario."""

    scenario: str
    goal: str
    rates: Mapping[str, tuple[float, int]]
    """Mean success and number of talks with an outcome, by system."""
    shown: tuple[TalkShown, ...]
    """The first talk of each system."""
    parts_at: int | None
    """Number of the first turn of the first two that differs; None if none does, or there is one system."""


@dataclass(frozen=True, slots=True)
class TalksInfo:
    """Talks in a run's summary."""

    measure: str
    status: str
    user: str
    """Signature of the simulated user."""
    scenarios: int
    repeats: int
    systems: tuple[SystemTalks, ...]
    by_scenario: tuple[ScenarioTalks, ...]
