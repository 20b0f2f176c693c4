"""The types of what ``summary.json`` says of turns: the worst dialogues of each system (docs/files.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dialeval.files.documents import FINITE


@dataclass(frozen=True, slots=True)
class WeighedTurn:
    """A turn, and what it does to the score of its dialogue."""

    __pydantic_config__: ClassVar = FINITE

    turn: int
    """Its number among all messages, from 1, as in ids ``DIALOGUE/TURN``."""
    role: str
    text: str
    effect: float | None
    """Rise of the score without it, of `quality` also its plain faults; None if too little would be left to judge."""
    worst: bool
    """Whether it lowers the score most of the turns of the side that is judged, which is never the user."""


@dataclass(frozen=True, slots=True)
class WeighedDialogue:
    """One of the worst dialogues of a system under a measure; it ends with the system's response."""

    __pydantic_config__: ClassVar = FINITE

    measure: str
    system: str
    item: str
    score: float
    turns: tuple[WeighedTurn, ...]
    earlier: int = 0
    """Turns before these, which are left out."""
