"""Conversations of a system with itself, another system, or a scripted user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from dialeval.core import Generator
from dialeval.core.answers import generate
from dialeval.data.types import Context, Dialogue, Prompt, Turn
from dialeval.errors import Unsuitable
from dialeval.systems.exchanges import INSTRUCTIONS

Spoken = Callable[[int], None]
"""Told how many conversations have had a turn more."""

_TURNS: Final = 8
"""Turns of a talk between systems, beside its opening, unless given."""
_OTHER: Final = {"assistant": "user", "user": "assistant"}


@dataclass(frozen=True, slots=True)
class Script:
    """A user who says the same lines in the same order, whatever is answered; silent when they are spent."""

    name: str
    lines: tuple[str, ...]


def converse(
    system: Generator,
    partner: Generator | Script,
    *,
    openings: Sequence[Prompt] = (Prompt("talk", ()),),
    turns: int | None = None,
    seed: int = 0,
    spoken: Spoken = lambda _n: None,
) -> list[Dialogue]:
    """One dialogue per opening, under the opening's id; ``system`` is the one under test.

    A talk is ``turns`` turns long beside its opening: eight if not told, or until a script is spent and answered.
    ``partner`` may be the same system. Each hears the other as the user and itself as the assistant; in the dialogue
    the partner is the user. The one who did not speak last in the opening begins, and in an empty one the partner. All
    conversations go forward together, a batch a turn. A conversation ends early if somebody has no answer; its
    metadata say who and after how many turns.
    """
    if turns is not None and turns < 1:
        raise Unsuitable(f"A conversation needs at least 1 turn, found {turns}.")
    talks = [
        _Talk(opening.item, opening.context, talk_length(turns, partner, opening.context))
        for opening in openings
    ]
    for turn in range(max((talk.length for talk in talks), default=0)):
        for speaker, speaking in (("user", partner), ("assistant", system)):
            due = [talk for talk in talks if talk.due(turn) == speaker]
            _speak(speaking, speaker, due, seed=_mixed(seed, turn))
            spoken(len(due))
    return [_dialogue(talk, system, partner, seed) for talk in talks]


def talk_length(told: int | None, partner: Generator | Script, opening: Context) -> int:
    """Return the turns of a talk beside its opening: as told, or eight, or until a script is spent and answered."""
    if told is not None:
        return told
    if isinstance(partner, Script):
        return 2 * len(partner.lines) + (_first(opening) == "assistant")
    return _TURNS


def _first(opening: Context) -> str:
    """Return who begins after an opening, in the dialogue's own roles."""
    return _OTHER.get(opening[-1].speaker if opening else "assistant", "user")


class _Talk:
    """A dialogue under way."""

    def __init__(self, item: str, opening: Context, length: int) -> None:
        self.item, self.turns, self.length = item, list(opening), length
        self.opening, self.first = len(opening), _first(opening)
        self.stopped: str | None = None

    def due(self, turn: int) -> str | None:
        """Return whose turn it is, in the dialogue's own roles; None if the talk is over."""
        if self.stopped is not None or turn >= self.length:
            return None
        return self.first if turn % 2 == 0 else _OTHER[self.first]

    def said_by(self, speaker: str) -> int:
        """Number of turns since the opening."""
        return sum(turn.speaker == speaker for turn in self.turns[self.opening :])


def _speak(system: Generator | Script, speaker: str, talks: Sequence[_Talk], *, seed: int) -> None:
    if not talks:
        return
    for talk, text in zip(talks, _texts(system, speaker, talks, seed), strict=True):
        if text.strip():
            talk.turns.append(Turn(speaker, text, system.name))
        else:
            talk.stopped = f"{system.name} had no answer after {len(talk.turns)} turns"


def _texts(system: Generator | Script, speaker: str, talks: Sequence[_Talk], seed: int) -> list[str]:
    """Return what is said next in each talk; nothing if there is no answer."""
    if isinstance(system, Script):
        return ["".join(system.lines[talk.said_by(speaker) :][:1]) for talk in talks]
    heard = [_as_heard_by(speaker, talk.turns) for talk in talks]
    return [answers[0].text if answers else "" for answers in generate(system, heard, seed=seed)]


def _as_heard_by(speaker: str, turns: Sequence[Turn]) -> Context:
    """The turns with the listener as the assistant; names are left out, as they would tell who is who.

    Instructions are to the dialogue's assistant: a partner who heard them would take them for its own.
    """
    if speaker == "assistant":
        return tuple(Turn(turn.speaker, turn.text) for turn in turns)
    said = (turn for turn in turns if turn.speaker not in INSTRUCTIONS)
    return tuple(Turn(_OTHER.get(turn.speaker, turn.speaker), turn.text) for turn in said)


def _mixed(seed: int, turn: int) -> int:
    """Another seed for each turn, so that equal contexts later on do not repeat the same draw."""
    return seed * 1_000_003 + turn


def _dialogue(talk: _Talk, system: Generator, partner: Generator | Script, seed: int) -> Dialogue:
    metadata: dict[str, object] = {"partner": partner.name, "seed": seed, "opening": talk.opening}
    metadata |= {"stopped": talk.stopped} if talk.stopped else {}
    return Dialogue(talk.item, tuple(talk.turns), system.name, metadata)
