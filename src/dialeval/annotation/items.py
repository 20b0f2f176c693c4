"""Items as raters see them, and where each of them came from.

An item is blind: its id and its candidates' ids say nothing, and no system is named. A ``Source`` is the other
half, a line of the key, which stays with the owner of the study.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.annotation.forms import candidate_ids
from dialeval.data.types import Context, Question, Turn

Role: TypeAlias = Literal["rating", "qualification", "check"]
"""Purpose of an item: to be rated, to qualify for the study, or to check attention in between."""


BRIEFING: Final = "scenario"
"""Speaker of the turn that tells a rater which user to play; the system never hears it."""


class Utterance(NamedTuple):
    """One response in one context, whatever record it comes from, under the names that judgements of it have."""

    item: str
    context: Context
    system: str
    """The system, or the candidate of a question, as ``candidate_ids`` calls it."""
    text: str
    marked: int | None = None
    """Place of the turn that the response is held against, from 0, if it is one."""


def utterances_of(questions: Iterable[Question], *, false_only: bool = False) -> list[Utterance]:
    """The candidates of questions, or the false ones alone."""
    return [
        Utterance(question.item, question.context, name, candidate.text)
        for question in questions
        for name, candidate in zip(candidate_ids(question), question.candidates, strict=True)
        if not (false_only and candidate.correct)
    ]


@dataclass(frozen=True, slots=True)
class Shown:
    """One response among those that an item shows."""

    id: str
    """Random, so that it says nothing of the system; unique in its study."""
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """Item as a rater sees it."""

    id: str
    """It says nothing of the item it came from and is unique in its study: random, or ``q12c3``, the third line shown
    under the twelfth conversation."""
    context: Context = ()
    """The turns before the responses, or the whole dialogue; ``speaker`` is a role and ``name`` a letter or None."""
    candidates: tuple[Shown, ...] = ()
    """None for a dialogue, one for a response, two or more for a choice; in the order of this rater's page."""
    payload: Mapping[str, object] = field(default_factory=dict, hash=False)
    """Other fields that its kind shows, such as ``question`` of a probe."""
    marked: int | None = None
    """Place in ``context`` of the turn that raters hold the response against, from 0; None if there is none."""

    @property
    def turns(self) -> Context:
        """All turns that can be pointed at: the context, then the response if there is exactly one."""
        if len(self.candidates) != 1:
            return self.context
        last = self.context[-1].speaker if self.context else "user"
        other = "user" if last == "assistant" else "assistant"
        return (*self.context, Turn(other, self.candidates[0].text))


@dataclass(frozen=True, slots=True)
class Source:
    """Origin of a blind item, which no rater sees."""

    id: str
    """The blind item's id."""
    item: str
    """As the files of the study name it."""
    role: Role = "rating"
    system: str = ""
    """The system whose dialogue or response it is; empty if its candidates come from several."""
    systems: Mapping[str, str] = field(default_factory=dict, hash=False)
    """The system of each candidate, by the candidate's id."""
    gold: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict, hash=False)
    """The known values by criterion and system, of an item that checks attention or qualifies; empty otherwise."""
    text: str = ""
    """The response, if the item shows just one: so a key can be held against the records that it was made of."""
    criteria: tuple[str, ...] = ()
    """Questions about the item when its study was made."""

    def system_of(self, candidate: str) -> str:
        """The system of a candidate, or of the whole item if the candidate has none of its own."""
        return self.systems.get(candidate, self.system)

    @property
    def stratum(self) -> str:
        """Stratum that raters' items are balanced over: its system, or all systems of its candidates."""
        return self.system or " ".join(sorted(set(self.systems.values())))
