"""What scorers without references judge: a response in its context, or a whole dialogue."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from dialeval.data.types import Context, Dialogue, Example, Turn

Judged: TypeAlias = Example | Dialogue


class Exchange(NamedTuple):
    """A response and the turns before it."""

    context: Context
    response: str


def turns_of(subject: Judged) -> Context:
    """All turns that were spoken, instructions left out; the response of an example is the last."""
    if isinstance(subject, Dialogue):
        return _spoken(subject.turns)
    context = _spoken(subject.context)
    speaker = "user" if context and context[-1].speaker == "assistant" else "assistant"
    return (*context, Turn(speaker, subject.response.text))


def exchanges_of(subject: Judged) -> list[Exchange]:
    """The responses to judge, each with all that was said before it.

    Of an example that is its own response. Of a dialogue it is every turn of the assistant that answers another turn,
    or every turn but the first where nobody is called assistant.
    """
    turns = turns_of(subject)
    if isinstance(subject, Example):
        return [Exchange(turns[:-1], turns[-1].text)]
    assistant = any(turn.speaker == "assistant" for turn in turns)
    return [
        Exchange(turns[:place], turn.text)
        for place, turn in enumerate(turns)
        if place and turn.text.strip() and (turn.speaker == "assistant" or not assistant)
    ]


def unscorable(subject: Judged) -> str | None:
    """Why nothing can be judged (``no context``, ``no response to an earlier turn``), or None."""
    if isinstance(subject, Dialogue):
        return None if exchanges_of(subject) else "no response to an earlier turn"
    if not subject.response.text.strip():
        return "blank response"
    return None if any(turn.text.strip() for turn in _spoken(subject.context)) else "no context"


def _spoken(turns: Context) -> Context:
    """Without instructions to a model, and what tools returned."""
    return tuple(turn for turn in turns if turn.speaker not in ("system", "tool", "function"))
