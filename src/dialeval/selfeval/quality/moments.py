"""Moments: a response among the turns before it, with the vectors and words that features are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dialeval.core import Floats
from dialeval.data.types import Context, Dialogue, Turn
from dialeval.selfeval.quality.words import words_of
from dialeval.selfeval.subjects import Judged, turns_of


@dataclass(frozen=True, eq=False)
class Said:
    """A turn with its unit vector."""

    speaker: str
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


def spoken_turns(subject: Judged) -> tuple[Turn, ...]:
    """The turns that are not blank, an example's response under the speaker who is not the one it answers."""
    turns = tuple(turn for turn in turns_of(subject) if turn.text.strip())
    return turns if isinstance(subject, Dialogue) or not turns else (*turns[:-1], _responding(turns))


def talk_of(subject: Judged, units: Mapping[str, Floats]) -> Talk:
    """The subject with the vectors of its texts, which ``units`` has by stripped text."""
    turns = spoken_turns(subject)
    said = tuple(Said(turn.speaker, turn.text, units[turn.text.strip()]) for turn in turns)
    places = judged_places(subject, turns)
    return Talk(said, tuple(Moment(said[place], said[:place]) for place in places))


def judged_places(subject: Judged, turns: Sequence[Turn]) -> list[int]:
    """Which of the turns are judged: an example's last; a dialogue's of the assistant, or all, but the first."""
    if not isinstance(subject, Dialogue):
        return [len(turns) - 1] if len(turns) > 1 else []
    assistant = any(turn.speaker == "assistant" for turn in turns)
    return [
        place for place, turn in enumerate(turns) if place and (turn.speaker == "assistant" or not assistant)
    ]


def _responding(turns: Context) -> Turn:
    """The response, under the name of the latest earlier speaker who is not the last one."""
    *earlier, response = turns
    if not earlier:
        return response
    known = [turn.speaker for turn in reversed(earlier) if turn.speaker != earlier[-1].speaker]
    return Turn(known[0] if known else response.speaker, response.text)
