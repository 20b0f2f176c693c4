"""Dialogues as lines of two speakers, ``A: ...`` and ``B: ...``, as the tokens of a language model."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final, Literal, TypeAlias

from dialeval.data.speakers import folded
from dialeval.data.types import Context, Dialogue, Turn
from dialeval.selfeval.subjects import Judged, judged_speakers, turns_of
from dialeval.systems.huggingface.prompting import Tokens
from dialeval.systems.huggingface.texts import TextModel

Speaker: TypeAlias = Literal["A", "B"]

TURNS: Final = 12
"""Turns that are kept, the last ones."""
TOKENS: Final = 300
"""Tokens that are kept of these, the last ones."""
LONGEST: Final = 256
"""Tokens that are scored of what comes after, the first ones."""
FACT: Final = f"lines_{TURNS}turns_{TOKENS}tokens"
"""How a dialogue is written down, as signatures show it."""


def lines_of(turns: Context, last: Speaker, most: int = TURNS, *, side: Set[str] = frozenset()) -> list[str]:
    """One line for each of the last turns: ``last`` is who speaks last, and everybody else is the other.

    With a ``side``, its speakers are ``last`` instead, also where another speaks last.
    """
    ending = folded(turns[-1].speaker) if turns else ""
    other: Speaker = "A" if last == "B" else "B"

    def name(turn: Turn) -> Speaker:
        return last if (turn.speaker in side if side else folded(turn.speaker) == ending) else other

    return [f"{name(turn)}: {' '.join(turn.text.split())}" for turn in turns[-most:]]


def lines_judged(subject: Judged) -> list[str]:
    """All that was said, with B as the side that is judged, or as who spoke last where nobody knows which that is.

    So A is the one to remark on it, also where A had the last word.
    """
    side = judged_speakers(subject) if isinstance(subject, Dialogue) else frozenset()
    return lines_of(turns_of(subject), "B", side=side)


def beginnings(
    dialogues: Sequence[Sequence[str]], following: Speaker, model: TextModel, *, first: bool = False
) -> list[Tokens]:
    """The tokens of each dialogue's lines, and of the name of who speaks on the next.

    Of the lines' tokens the last ``TOKENS`` are kept, or with ``first`` the first ones that the window has room for.
    """
    room = model.room(LONGEST)
    kept = slice(room) if first else slice(-min(room, TOKENS), None)
    cue, alone = model.tokens([f"\n{following}:", f"{following}:"])
    tokens = model.tokens(["\n".join(lines) for lines in dialogues])
    return [(*before[kept], *cue) if before else alone for before in tokens]
