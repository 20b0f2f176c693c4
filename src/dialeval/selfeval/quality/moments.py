"""Moments: a response among the turns before it, with the vectors and words that features are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dialeval.core import Floats
from dialeval.data.speakers import folded
from dialeval.data.types import Dialogue, Turn
from dialeval.selfeval.quality.words import words_of
from dialeval.selfeval.subjects import Judged, judged_speakers, spoken_turns


@dataclass(frozen=True, eq=False)
class Said:
    """A turn with its unit vector."""

    speaker: str
    """In lower case."""
    text: str
    unit: Floats

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words in lower case."""
        return words_of(self.text)

    @property
    def asks(self) -> bool:
        """Whether it has a question mark."""
        return "?" in self.text


@dataclass(frozen=True, eq=False)
class Moment:
    """A response and what was said before it, the oldest first; there is at least one earlier turn."""

    response: Said
    earlier: tuple[Said, ...]

    @property
    def last(self) -> Said:
        """The turn that is answered."""
        return self.earlier[-1]

    @property
    def own(self) -> list[Said]:
        """Earlier turns of the one who responds."""
        return [said for said in self.earlier if said.speaker == self.response.speaker]

    @property
    def others(self) -> list[Said]:
        """Earlier turns of anybody else."""
        return [said for said in self.earlier if said.speaker != self.response.speaker]


@dataclass(frozen=True, eq=False)
class Talk:
    """A subject's turns, and the moments that are judged."""

    turns: tuple[Said, ...]
    moments: tuple[Moment, ...]


def talk_of(subject: Judged, units: Mapping[str, Floats]) -> Talk:
    """The subject with the vectors of its texts, which ``units`` has by stripped text."""
    turns = spoken_turns(subject)
    said = tuple(Said(folded(turn.speaker), turn.text, units[turn.text.strip()]) for turn in turns)
    places = judged_places(subject, turns)
    return Talk(said, tuple(Moment(said[place], said[:place]) for place in places))


def judged_places(subject: Judged, turns: Sequence[Turn]) -> list[int]:
    """Which of the turns are judged: an example's last; a dialogue's of the judged speakers, or all, but the first."""
    if not isinstance(subject, Dialogue):
        return [len(turns) - 1] if len(turns) > 1 else []
    judged = judged_speakers(subject)
    return [place for place, turn in enumerate(turns) if place and (not judged or turn.speaker in judged)]
