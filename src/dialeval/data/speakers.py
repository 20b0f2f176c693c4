"""Speakers of a dialogue; instructions and results of tools are messages that nobody says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from dialeval.data.types import Context, Turn

Who: TypeAlias = tuple[str, str | None]
"""A role and a name, which together are a speaker, case and surrounding whitespace aside."""
_NEVER: Final = frozenset({"tool", "function", "developer"})
_SYSTEM: Final = "system"
_CHAT: Final = frozenset({"user", "assistant"})


def who(turn: Turn) -> Who:
    """The speaker of a turn; ``Assistant`` and ``ASSISTANT`` are one."""
    return folded(turn.speaker), folded(turn.name or "") or None


def folded(speaker: str) -> str:
    """The speaker's role or name as it is compared with others."""
    return speaker.strip().casefold()


def speaks(turns: Sequence[Turn]) -> list[bool]:
    """Whether each turn is said by a speaker.

    Messages of the role ``system`` are instructions. Some corpora call the dialogue system so: if the role comes
    after another speaker's turn and fewer than two others speak, it is a speaker.
    """
    roles = [folded(turn.speaker) for turn in turns]
    others = {role for role in roles if role not in {*_NEVER, _SYSTEM}}
    opening = next((place for place, role in enumerate(roles) if role in others), len(turns))
    mute = _NEVER if _SYSTEM in roles[opening:] and len(others) < 2 else {*_NEVER, _SYSTEM}
    return [role not in mute for role in roles]


def spoken(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that a speaker says."""
    return [turn for turn, says in zip(turns, speaks(turns), strict=True) if says]


def with_response(context: Context, response: str) -> Context:
    """The context with the response as its last turn, spoken by the one who did not speak last."""
    said = spoken(context)
    others = [turn for turn in said if who(turn) != who(said[-1])]
    usual = "user" if said and folded(said[-1].speaker) == "assistant" else "assistant"
    answering = others[-1] if others else Turn(usual, "")
    return (*context, Turn(answering.speaker, response, answering.name))


def as_chat(context: Context, answering: Turn) -> Context:
    """The context with the roles of a chat: the speaker of ``answering`` is the assistant, all others are the user.

    Instructions and results of tools stay as they are, and so does a context that has these roles already.
    """
    says = speaks(context)
    roles = {folded(turn.speaker) for turn, spoke in zip(context, says, strict=True) if spoke}
    if roles <= _CHAT and folded(answering.speaker) == "assistant":
        return context
    return tuple(
        chat_turn(turn, answering) if spoke else turn for turn, spoke in zip(context, says, strict=True)
    )


def chat_turn(turn: Turn, answering: Turn) -> Turn:
    """The turn with the role of a chat: the assistant's if the speaker of ``answering`` says it, else the user's."""
    return replace(turn, speaker="assistant" if who(turn) == who(answering) else "user")


def has_said(context: Context) -> bool:
    """Whether the speaker of the response to this context has said something before, which it could contradict."""
    *earlier, response = spoken(with_response(context, ""))
    return any(who(turn) == who(response) and turn.text.strip() for turn in earlier)
