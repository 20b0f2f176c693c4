"""The contradiction collection of Sato et al. (2024): how many of three people call a response contradictory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.fields import missing, name, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.importers.ratings import position
from dialeval.data.types import Judgement, Kind, Record

KINDS: Final[tuple[Kind, ...]] = ("judgement",)

_PEOPLE: Final = 3
_TODO: Final = "Name one of the files under contexts/."


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Three yes/no judgements a response, 1 for contradictory, under the criterion ``contradiction``.

    The files say how many of three people said yes, not who did: the first of ``#1`` to ``#3``, as many as
    that, are taken to have. Agreement among all three is right, whichever they were; that of two means nothing.
    Items are the responses' ids, ``opt-60B:1``; one that comes back in another context is another item, ``...#2``.
    """
    met: Counter[str] = Counter()

    def parse(row: Row) -> Sequence[Record]:
        fields, where = row.fields, row.where
        if not isinstance(fields, Mapping):
            raise wrong(where, "", fields, "an object", _TODO)
        system, count, response = name(fields, "rgm_name", where, ""), _count(fields, row), _id(fields, row)
        met[response] += 1
        item = response if met[response] == 1 else f"{response}#{met[response]}"
        return [
            Judgement(item, system, position(person), "contradiction", float(person <= count))
            for person in range(1, _PEOPLE + 1)
        ]

    return records(read_rows(source, on_bad), parse, on_bad)


def _id(fields: Mapping[str, object], row: Row) -> str:
    """The response's id, which stands in place of its text as the last utterance."""
    utterances = fields.get("utterances")
    if "utterances" not in fields:
        raise missing(fields, "utterances", row.where, "", "a list of texts")
    if not isinstance(utterances, list) or not utterances or not isinstance(utterances[-1], str):
        raise wrong(row.where, "utterances", utterances, "a list of texts", _TODO)
    return utterances[-1].removeprefix("[[").removesuffix("]]")


def _count(fields: Mapping[str, object], row: Row) -> int:
    field, expected = "contradictory_label_count", f"a whole number from 0 to {_PEOPLE}"
    if field not in fields:
        raise missing(fields, field, row.where, "", expected)
    count = fields[field]
    if type(count) is not int or not 0 <= count <= _PEOPLE:
        raise wrong(row.where, field, count, expected, "Fix the count.")
    return count
