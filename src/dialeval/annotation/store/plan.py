"""Values that go into the store of a study and come out of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from dialeval.annotation.items import Role

Answers: TypeAlias = Mapping[str, Mapping[str, object]]
"""The answers to one item by criterion."""
State: TypeAlias = Literal["invited", "active", "screened_out", "failed_checks", "revoked"]
Ending: TypeAlias = Literal["finished", "nothing_left", "screened_out", "failed_checks", "revoked"]
Origin: TypeAlias = Literal["invited", "open", "prolific", "mturk", "sheet"]
Order: TypeAlias = Literal["depth", "breadth"]
"""Which items come first: those that others have begun and that lack fewest judgements, or those that lack most."""


class Entry(NamedTuple):
    """One item as the store knows it."""

    id: str
    number: int
    """Its line in the study: raters' orders depend on it, as ids are random."""
    role: Role
    stratum: str


def never_right(item: str, answers: Answers) -> bool:
    """For studies without known answers."""
    return False


@dataclass(frozen=True)
class Plan:
    """The items of a study and the rules by which they are given to raters."""

    entries: tuple[Entry, ...]
    overlap: int
    order: Order = "depth"
    seed: int = 0
    lease_seconds: float = 1800.0
    least_seconds: float = 0.0
    block: int | None = None
    check_rate: float = 0.0
    check_failures: int | None = None
    qualification: float = 1.0
    attempts: int = 2
    right: Callable[[str, Answers], bool] = never_right
    """Whether answers to an item with known answers are right."""

    @cached_property
    def by_id(self) -> Mapping[str, Entry]:
        """The items by name."""
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def strata(self) -> Mapping[str, tuple[Entry, ...]]:
        """The items to rate, by system."""
        found: dict[str, list[Entry]] = {}
        for entry in self.of_role("rating"):
            found.setdefault(entry.stratum, []).append(entry)
        return {name: tuple(entries) for name, entries in found.items()}

    def of_role(self, role: Role) -> tuple[Entry, ...]:
        """The items of a role."""
        return self._roles.get(role, ())

    @cached_property
    def _roles(self) -> Mapping[Role, tuple[Entry, ...]]:
        found: dict[Role, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.role, []).append(entry)
        return {role: tuple(entries) for role, entries in found.items()}


class Rater(NamedTuple):
    """A rater as the store knows them."""

    id: int
    name: str
    token_hash: str | None
    origin: Origin
    outside: Mapping[str, Any]
    """Facts of a crowd platform about them."""
    state: State
    dropped: bool
    generation: int
    attempt: int
    qualified: bool
    current: str | None
    since: float | None
    """When the current item was first shown."""
    seen: float | None


class Claim(NamedTuple):
    """The item that a rater holds."""

    item: str
    role: Role
    revision: int
    since: float


class Ended(NamedTuple):
    """Nothing more to do for a rater."""

    ending: Ending


class Given(NamedTuple):
    """One answer as it was stored."""

    rater: str
    item: str
    revision: int
    attempt: int
    answers: dict[str, dict[str, Any]]
    seconds: float | None
    at: float


class Refused(Exception):
    """An answer that the store did not take."""


class Stale(Refused):
    """Another tab has stored a newer revision."""

    def __init__(self, latest: Given | None) -> None:
        super().__init__("stale revision")
        self.latest = latest


class Gone(Refused):
    """The lease has expired, and others have filled the item's places; or the item was never this rater's."""


class TooSoon(Refused):
    """The answer came before the least reading time had passed."""


_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """A text as every database takes it: halves of characters and NUL become U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def iso(at: float) -> str:
    """A time of the store as ISO 8601, in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
