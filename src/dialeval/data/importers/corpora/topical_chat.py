"""Topical-Chat (Gopalakrishnan et al., 2019): people who talk about articles, one JSON object of all conversations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, name, text, wrong
from dialeval.data.codec.jsonl import read_whole
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, shown
from dialeval.data.types import Dialogue, Kind, Record, Turn

KINDS: Final[tuple[Kind, ...]] = ("dialogue",)


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Dialogues of ``agent_1`` and ``agent_2``; sentiments, knowledge sources and ratings are not kept."""

    def parse(row: Row) -> Sequence[Record]:
        return (_dialogue(row),)

    return records(_conversations(source), parse, on_bad)


def _conversations(source: Source) -> Iterator[Row]:
    where = Where(shown(source))
    found = read_whole(source, where)
    if not isinstance(found, Mapping):
        raise wrong(
            where,
            "",
            found,
            "an object of conversations by id",
            "Name train.json, test_freq.json or the like.",
        )
    for number, (item, fields) in enumerate(found.items(), start=1):
        yield Row(where, number, (item, fields))


def _dialogue(row: Row) -> Dialogue:
    item, fields = cast("tuple[str, object]", row.fields)  # made by _conversations
    if not isinstance(fields, Mapping):
        raise wrong(row.where, item, fields, "a conversation", "Name train.json, test_freq.json or the like.")
    said = fields.get("content")
    if said is None:
        raise missing(fields, "content", row.where, item, "a list of messages")
    if not isinstance(said, list):
        raise wrong(row.where, f"{item}.content", said, "a list of messages", "Fix the conversation.")
    return Dialogue(
        item, tuple(_turn(turn, row.where, f"{item}.content[{at}]") for at, turn in enumerate(said))
    )


def _turn(turn: object, where: Where, place: str) -> Turn:
    if not isinstance(turn, Mapping):
        raise wrong(where, place, turn, "a message", "Fix the conversation.")
    return Turn(name(turn, "agent", where, place), text(turn, "message", where, place))
