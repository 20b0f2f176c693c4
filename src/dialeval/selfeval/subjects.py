"""What scorers without references judge: a response in its context, or a whole dialogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import ClassVar, NamedTuple, TypeAlias

from dialeval.data.types import Context, Dialogue, Example, Turn
from dialeval.metrics.rows import MeanOfValues

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


class ReferenceFree(MeanOfValues):
    """A scorer of responses and of whole dialogues, whose corpus score is the mean of its values."""

    __slots__ = ()
    higher_is_better: ClassVar[bool] = True
    whole_dialogues: ClassVar[bool] = True

    def unscorable(self, subject: Judged) -> str | None:
        """Why nothing can be judged (``no context``, ``blank response``), or None."""
        return unscorable(subject)


def over_exchanges(
    subjects: Sequence[Judged], score: Callable[[list[Exchange]], Sequence[float]]
) -> list[float]:
    """The mean score of each subject's exchanges, all of which are scored in one call."""
    exchanges = [exchanges_of(subject) for subject in subjects]
    scores = iter(score([exchange for own in exchanges for exchange in own]))
    return [fmean([next(scores) for _ in own]) for own in exchanges]
