"""Dialogues as plain lists of turns: ``{"turns": ["Hi.", "Hello!"]}``, or with ``{"speaker", "text"}`` for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from dialeval.data.codec.bad import Where
from dialeval.data.codec.fields import missing, text, wrong
from dialeval.data.codec.rows import Row
from dialeval.data.importers.conversation import item_of
from dialeval.data.types import Dialogue, Turn

LISTS: Final = ("turns", "dialogue", "dialog", "utterances", "log")
_TEXTS: Final = ("text", "utterance", "content")
_SPEAKERS: Final = ("speaker", "name", "id")
_ROLES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("user", "human", "customer"), "user"),
    **dict.fromkeys(("assistant", "system", "bot", "agent", "model", "wizard"), "assistant"),
}
_TODO: Final = (
    'Write {"id": "d1", "turns": ["Hi.", "Hello!"]}, or {"speaker": "A", "text": "Hi."} for each turn.'
)


class _Said(NamedTuple):
    text: str
    speaker: str | None
    role: str | None = None


def dialogue_of_turns(row: Row) -> Dialogue:
    """The dialogue of a row.

    A turn's ``role`` is its role. A speaker called user, human or customer is the user, one called assistant, system,
    bot, agent, model or wizard the assistant. Of others, the first to speak is the user and everyone else the
    assistant, each with their name; where no speaker is named, they take turns.
    """
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'turns'", _TODO)
    field = next((name for name in LISTS if name in fields), None)
    if field is None:
        raise missing(fields, "turns", where, "", "a list of turns")
    listed = fields[field]
    if not isinstance(listed, list):
        raise wrong(where, field, listed, "a list of turns", _TODO)
    said = [_said(turn, where, f"{field}[{index}]") for index, turn in enumerate(listed)]
    speakers = fields.get("speakers")
    if isinstance(speakers, list) and len(speakers) == len(said):
        said = [turn._replace(speaker=str(name)) for turn, name in zip(said, speakers, strict=True)]
    return Dialogue(item_of(fields, row), _turns(said))


def _said(turn: object, where: Where, path: str) -> _Said:
    if isinstance(turn, str):
        return _Said(turn, None)
    if not isinstance(turn, Mapping):
        raise wrong(where, path, turn, "a text, or an object with 'text'", _TODO)
    field = next((name for name in _TEXTS if name in turn), _TEXTS[0])
    speaker = next((turn[name] for name in _SPEAKERS if isinstance(turn.get(name), str | int)), None)
    role = turn.get("role")
    return _Said(
        text(turn, field, where, path),
        None if speaker is None else str(speaker),
        role if isinstance(role, str) else None,
    )


def _turns(said: Sequence[_Said]) -> tuple[Turn, ...]:
    """Who is user and who assistant; a turn without a speaker is by the one who did not speak last."""
    turns: list[Turn] = []
    first = next((turn.speaker for turn in said if turn.speaker is not None), None)
    for turn in said:
        if turn.role is not None:
            turns.append(Turn(turn.role, turn.text, turn.speaker))
        elif turn.speaker is None:
            role = "assistant" if turns and turns[-1].speaker == "user" else "user"
            turns.append(Turn(role, turn.text))
        else:
            role = _ROLES.get(turn.speaker.casefold(), "user" if turn.speaker == first else "assistant")
            turns.append(Turn(role, turn.text, turn.speaker))
    return tuple(turns)
