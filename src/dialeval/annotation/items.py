"""Items as raters see them, and where each of them came from.

An item is blind: its id and its candidates' ids are random words, and no system is named. A ``Source`` is the other
half, which stays with the owner of the study.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dialeval.data.types import Context, Turn

Role: TypeAlias = Literal["rating", "qualification", "check"]
"""What an item is for: to be rated, to qualify for the study, or to check attention in between."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One response among those that an item shows."""

    id: str
    """Random, so that it says nothing of the system; unique in its study."""
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """What a rater sees of one item."""

    id: str
    """Random, so that it says nothing of the item it came from; unique in its study."""
    context: Context = ()
    """The turns before the responses, or the whole dialogue; ``speaker`` is a role and ``name`` a letter or None."""
    candidates: tuple[Shown, ...] = ()
    """None for a dialogue, one for a response, two or more for a choice; in the order of this rater's page."""
    payload: Mapping[str, object] = field(default_factory=dict, hash=False)
    """What else its kind shows, such as ``question`` of a probe."""

    @property
    def turns(self) -> Context:
        """All turns that can be pointed at: the context, then the response where there is exactly one."""
        if len(self.candidates) != 1:
            return self.context
        last = self.context[-1].speaker if self.context else "user"
        other = "user" if last == "assistant" else "assistant"
        return (*self.context, Turn(other, self.candidates[0].text))


@dataclass(frozen=True, slots=True)
class Source:
    """Where a blind item came from, which no rater sees."""

    id: str
    """The blind item's id."""
    item: str
    """As the files of the study name it."""
    role: Role = "rating"
    system: str = ""
    """The system whose dialogue or response it is; empty where its candidates come from several."""
    systems: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The system of each candidate, by the candidate's id."""
    gold: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict, hash=False)
    """The known values by criterion and system, of an item that checks attention or qualifies; empty otherwise."""

    def system_of(self, candidate: str) -> str:
        """The system of a candidate, or of the whole item where the candidate has none of its own."""
        return self.systems.get(candidate, self.system)

    @property
    def stratum(self) -> str:
        """What raters' items are balanced over: its system, or all systems of its candidates."""
        return self.system or " ".join(sorted(set(self.systems.values())))
