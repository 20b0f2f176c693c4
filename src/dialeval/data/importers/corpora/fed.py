"""FED (Mehri and Eskenazi, 2020): 375 turns and 125 dialogues, each rated by five people on many qualities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad, Where
from dialeval.data.codec.fields import missing, name, text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.importers.ratings import position, rating
from dialeval.data.types import Dialogue, Example, Judgement, Kind, Record, Response, Turn

KINDS: Final[tuple[Kind, ...]] = ("example", "dialogue", "judgement")

_ROLES: Final[Mapping[str, str]] = {"User": "user", "System": "assistant"}


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Examples from the rated turns, dialogues from the rated dialogues, or the ratings of both.

    Items are numbered by their position in the file, ``fed-1`` to ``fed-500``, so all three kinds speak of the same
    ones. An answer such as "N/A (no errors)" is a judgement without a value that keeps the words as its reason.
    """

    def parse(row: Row) -> Sequence[Record]:
        return _records(row, kind)

    return records(read_rows(source, on_bad), parse, on_bad)


def _records(row: Row, kind: Kind) -> Sequence[Record]:
    fields, where, item = row.fields, row.where, f"fed-{row.number}"
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object", "Name the file fed_data.json.")
    system = name(fields, "system", where, "")
    if kind == "judgement":
        return list(_judgements(fields, item, system, where))
    turns = _turns(text(fields, "context", where, ""))
    if kind == "dialogue":
        return () if "response" in fields else (Dialogue(item, turns, system, {}),)
    if "response" not in fields:
        return ()
    response = _turns(text(fields, "response", where, ""))[0]
    return (Example(item, system, turns, Response(response.text)),)


def _turns(said: str) -> tuple[Turn, ...]:
    return tuple(_turn(line) for line in said.split("\n"))


def _turn(line: str) -> Turn:
    tag, colon, words = line.partition(": ")
    return Turn(_ROLES[tag], words) if colon and tag in _ROLES else Turn("user", line)


def _judgements(fields: Mapping[str, object], item: str, system: str, where: Where) -> Iterator[Judgement]:
    if "annotations" not in fields:
        raise missing(fields, "annotations", where, "", "an object of ratings")
    qualities = fields["annotations"]
    if not isinstance(qualities, Mapping):
        raise wrong(where, "annotations", qualities, "an object of ratings", "Name the file fed_data.json.")
    for criterion, given in qualities.items():
        field = f"annotations.{criterion}"
        if not isinstance(given, list):
            raise wrong(where, field, given, "a list of ratings", "Name the file fed_data.json.")
        for index, answer in enumerate(given):
            value, reason = rating(answer, where, f"{field}[{index}]")
            yield Judgement(item, system, position(index + 1), criterion, value, reason)
