"""ShareGPT conversations: ``{"conversations": [{"from": "human", "value": "..."}]}``, in an array or in lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, text, wrong
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import Source
from dialeval.data.importers.conversation import KINDS, read_conversations
from dialeval.data.importers.ids import item_of
from dialeval.data.types import Dialogue, Kind, Record, Turn

__all__ = ["KINDS", "read"]

_ROLES: Final[Mapping[str, str]] = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "assistant": "assistant",
    "bing": "assistant",
    "bard": "assistant",
    "system": "system",
    "function_call": "assistant",
    "observation": "tool",
}
"""Speakers as these files name them; others keep their name."""


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """One record per conversation; a ``system`` text beside the turns becomes the first turn."""
    return read_conversations(source, kind, on_bad, _dialogue)


def _dialogue(row: Row) -> Dialogue:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object with 'conversations'", "Write one conversation per object.")
    if "conversations" not in fields:
        raise missing(fields, "conversations", where, "", "a list of turns")
    said = fields["conversations"]
    if not isinstance(said, list):
        raise wrong(
            where, "conversations", said, "a list of turns", 'Write [{"from": "human", "value": "..."}].'
        )
    turns = tuple(_turn(turn, where, f"conversations[{index}]") for index, turn in enumerate(said))
    instruction = fields.get("system")
    if isinstance(instruction, str) and instruction:
        turns = (Turn("system", instruction), *turns)
    model = fields.get("model")
    return Dialogue(item_of(fields, row), turns, model if isinstance(model, str) else "", {})


def _turn(turn: object, where: Where, field: str) -> Turn:
    if not isinstance(turn, Mapping):
        raise wrong(where, field, turn, "a turn", 'Write {"from": "human", "value": "..."}.')
    speaker = text(turn, "from", where, field)
    return Turn(_ROLES.get(speaker.lower(), speaker), text(turn, "value", where, field))
