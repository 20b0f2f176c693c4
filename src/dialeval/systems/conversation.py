"""Systems that talk: with themselves, with another system, or with a user whose lines are written down."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from dialeval.core import Generator, Signature
from dialeval.data.types import Context, Dialogue, Response, Turn
from dialeval.errors import Unsuitable

Spoken = Callable[[int], None]
"""Told how many conversations have had a turn more."""

_OTHER: Final = {"assistant": "user", "user": "assistant"}


@dataclass(frozen=True, slots=True)
class Script:
    """A user who says the same lines in the same order, whatever is answered; silent when they are spent."""

    name: str
    lines: tuple[str, ...]

    @property
    def signature(self) -> Signature:
        """All that could move its lines."""
        spoken = hashlib.sha256("\n".join(self.lines).encode()).hexdigest()
        return Signature("script", (), (("lines", spoken),))

    def generate(
        self, contexts: Sequence[Context], *, n: int = 1, seed: int = 0
    ) -> list[tuple[Response, ...]]:
        """The next line of each conversation, by how often this user has spoken; ``seed`` changes nothing."""
        spoken = [sum(turn.speaker == "assistant" for turn in context) for context in contexts]
        return [tuple(Response(line) for line in self.lines[k : k + min(n, 1)]) for k in spoken]


def converse(
    system: Generator,
    partner: Generator,
    *,
    openings: Sequence[Context] = ((),),
    turns: int = 8,
    seed: int = 0,
    spoken: Spoken = lambda _n: None,
) -> list[Dialogue]:
    """One dialogue per opening, ``turns`` turns long beside the opening; ``system`` is the one under test.

    ``partner`` may be the same system. Each hears the other as the user and itself as the assistant; in the dialogue
    the partner is the user. Whoever did not speak last in the opening begins, and in an empty one the partner. All
    conversations go forward together, a batch a turn. A conversation ends early where somebody has no answer; its
    metadata say who and after how many turns.
    """
    if turns < 1:
        raise Unsuitable(f"A conversation needs at least 1 turn, found {turns}.")
    talks = [_Talk(f"{system.name}-{at + 1}", list(opening)) for at, opening in enumerate(openings)]
    for turn in range(turns):
        for speaker, speaking in (("user", partner), ("assistant", system)):
            due = [talk for talk in talks if talk.stopped is None and talk.due(turn) == speaker]
            _speak(speaking, speaker, due, seed=_mixed(seed, turn))
            spoken(len(due))
    return [_dialogue(talk, system, partner, seed) for talk in talks]


@dataclass(slots=True)
class _Talk:
    item: str
    turns: list[Turn]
    begun: int = -1
    stopped: str | None = None

    def due(self, turn: int) -> str:
        """Whose turn it is, in the dialogue's own roles."""
        if self.begun < 0:
            self.begun = len(self.turns)
        last = self.turns[self.begun - 1].speaker if self.begun else "assistant"
        first = _OTHER.get(last, "user")
        return first if turn % 2 == 0 else _OTHER[first]


def _speak(system: Generator, speaker: str, talks: Sequence[_Talk], *, seed: int) -> None:
    if not talks:
        return
    heard = [_as_heard_by(speaker, talk.turns) for talk in talks]
    for talk, answers in zip(talks, system.generate(heard, n=1, seed=seed), strict=True):
        if answers and answers[0].text.strip():
            talk.turns.append(Turn(speaker, answers[0].text, system.name))
        else:
            talk.stopped = f"{system.name} had no answer after {len(talk.turns)} turns"


def _as_heard_by(speaker: str, turns: Sequence[Turn]) -> Context:
    """The turns with the listener as the assistant; names are left out, as they would tell who is who."""
    if speaker == "assistant":
        return tuple(Turn(turn.speaker, turn.text) for turn in turns)
    return tuple(Turn(_OTHER.get(turn.speaker, turn.speaker), turn.text) for turn in turns)


def _mixed(seed: int, turn: int) -> int:
    """Another seed for each turn, so that equal contexts later on do not repeat the same draw."""
    return seed * 1_000_003 + turn


def _dialogue(talk: _Talk, system: Generator, partner: Generator, seed: int) -> Dialogue:
    metadata: dict[str, object] = {"partner": partner.name, "seed": seed, "opening": talk.begun}
    metadata |= {"stopped": talk.stopped} if talk.stopped else {}
    return Dialogue(talk.item, tuple(talk.turns), system.name, metadata)
