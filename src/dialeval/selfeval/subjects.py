"""Subjects of scorers without references: a response in its context, or a whole dialogue."""

from __future__ import annotations

from collections.abc import Set
from typing import Final, NamedTuple, TypeAlias

from dialeval.data.speakers import folded
from dialeval.data.types import Context, Dialogue, Example, Prompt, Turn

Subject: TypeAlias = Example | Dialogue

_ASSISTANTS: Final = frozenset(
    {"assistant", "bot", "chatbot", "agent", "model", "ai", "gpt", "machine", "wizard"}
)
_USERS: Final = frozenset({"user", "human", "person", "customer", "client", "caller", "people", "apprentice"})
_TOOLS: Final = frozenset({"tool", "function"})
_INSTRUCTIONS: Final = frozenset({"system", "developer"})
"""Roles of instructions to a model; ``system`` is also what many corpora call the side that answers."""


class Exchange(NamedTuple):
    """A response and the turns before it."""

    context: Context
    response: str


def turns_of(subject: Subject) -> Context:
    """All turns that were spoken, instructions left out; the response of an example is the last."""
    if isinstance(subject, Dialogue):
        return _spoken(subject.turns)
    context = _spoken(subject.context)
    return (*context, Turn(_responding(context), subject.response.text))


def whole_dialogues(record: Dialogue | Prompt) -> tuple[Dialogue, ...]:
    """The dialogue, or a prompt followed by each of its references, by the speaker who has not spoken last."""
    if isinstance(record, Dialogue):
        return (record,)
    speaker = _responding(_spoken(record.context))
    return tuple(
        Dialogue(f"{record.item}/{number}", (*record.context, Turn(speaker, reference)))
        for number, reference in enumerate(record.references, start=1)
    )


def turn_numbers(subject: Subject) -> tuple[int, ...]:
    """Numbers of the turns of `turns_of` among all messages of the subject, from 1: instructions count, too."""
    if isinstance(subject, Dialogue):
        return tuple(place + 1 for place in _spoken_places(subject.turns))
    return (*(place + 1 for place in _spoken_places(subject.context)), len(subject.context) + 1)


def are_judged(subject: Subject) -> list[bool]:
    """Whether each turn of `turns_of` is said by the side that is judged; never by a user."""
    turns = turns_of(subject)
    if isinstance(subject, Example):
        judged: Set[str] = {turns[-1].speaker}
    else:
        judged = judged_speakers(subject) or {
            turn.speaker for turn in turns if folded(turn.speaker) not in _USERS
        }
    return [turn.speaker in judged for turn in turns]


def spoken_turns(subject: Subject) -> Context:
    """All turns that were spoken, blank ones left out."""
    return tuple(turn for turn in turns_of(subject) if turn.text.strip())


def exchanges_of(subject: Subject) -> list[Exchange]:
    """The responses to judge, each with all that was said before it.

    Of an example that is its own response. Of a dialogue it is every turn of the judged speakers that answers another
    turn, or every turn but the first if nobody knows who is judged. If only a user speaks, nobody responds.
    """
    turns = turns_of(subject)
    if isinstance(subject, Example):
        return [Exchange(turns[:-1], turns[-1].text)]
    speakers = {folded(turn.speaker) for turn in turns}
    if len(speakers) == 1 and speakers <= _USERS:
        return []
    judged, spoken = judged_speakers(subject), [bool(turn.text.strip()) for turn in turns]
    return [
        Exchange(turns[:place], turn.text)
        for place, turn in enumerate(turns)
        if spoken[place] and any(spoken[:place]) and (not judged or turn.speaker in judged)
    ]


def judged_speakers(dialogue: Dialogue) -> Set[str]:
    """The speakers, as its turns call them, whose turns are judged; none if that is not known, so all are.

    In this order: who is called ``assistant`` or the like; who bears the name of the dialogue's system; who talks with
    a ``user`` or the like. Upper and lower case are the same here.
    """
    turns = _spoken(dialogue.turns)
    speakers = {turn.speaker for turn in turns}
    names = {turn.speaker: folded(turn.speaker) for turn in turns}
    wanted = folded(dialogue.system)
    named = {turn.speaker for turn in turns if wanted and folded(turn.name or "") == wanted}
    users = {speaker for speaker, name in names.items() if name in _USERS}
    for judged in (
        {speaker for speaker, name in names.items() if name in _ASSISTANTS},
        {speaker for speaker, name in names.items() if name == wanted and wanted} or named,
        speakers - users if users else set(),
    ):
        if judged and judged != speakers:
            return judged
    return set()


def unscorable(subject: Subject) -> str | None:
    """Reason why nothing can be judged (``no context``, ``no response to an earlier turn``), or None."""
    if isinstance(subject, Dialogue):
        return None if exchanges_of(subject) else "no response to an earlier turn"
    if not subject.response.text.strip():
        return "blank response"
    return None if any(turn.text.strip() for turn in _spoken(subject.context)) else "no context"


def _spoken(turns: Context) -> Context:
    """The turns at `_spoken_places`."""
    return tuple(turns[place] for place in _spoken_places(turns))


def _spoken_places(turns: Context) -> list[int]:
    """Places of turns without instructions to a model, and what tools returned.

    Turns of ``system`` are instructions if they stand before all others, or if somebody else is the assistant;
    else the system is the one that talks, as in many corpora.
    """
    roles = [folded(turn.speaker) for turn in turns]
    kept = [place for place, role in enumerate(roles) if role not in _TOOLS]
    others = [place for place in kept if roles[place] not in _INSTRUCTIONS]
    first = others[0] if others else len(turns)
    talks = not _ASSISTANTS & set(roles) and any(
        place > first and turns[place].text.strip() for place in kept if roles[place] in _INSTRUCTIONS
    )
    return [place for place in kept if talks or roles[place] not in _INSTRUCTIONS]


def _responding(context: Context) -> str:
    """Speaker who answers a context: the latest who did not speak last, or the role that is left."""
    spoken = [turn for turn in reversed(context) if turn.text.strip()]
    last = folded(spoken[0].speaker) if spoken else "user"
    others = [turn.speaker for turn in spoken if folded(turn.speaker) != last]
    return others[0] if others else "user" if last == "assistant" else "assistant"
