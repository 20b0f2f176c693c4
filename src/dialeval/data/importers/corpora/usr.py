"""USR-TopicalChat (Mehri and Eskenazi, 2020) as UniEval publishes it: 60 contexts, six responses each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.fields import missing, name, text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.importers.ratings import rating
from dialeval.data.types import Example, Judgement, Kind, Record, Response, alternating

KINDS: Final[tuple[Kind, ...]] = ("example", "judgement")

_REFERENCE: Final = "Original Ground Truth"


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Examples of the five other systems with the original response as reference, or all six systems' scores.

    The original response is not itself an example: it would be scored against itself. Scores are means of three people,
    so their rater is ``mean``. Items are ``usr-1`` to ``usr-60``. The fact each response draws on is not kept.
    """

    def parse(row: Row) -> Sequence[Record]:
        block = _block(row)
        if kind == "judgement":
            return [judgement for fields in block for judgement in _judgements(fields, row)]
        return _examples(block, row)

    return records(_blocks(source, on_bad), parse, on_bad)


def _blocks(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """Neighbouring rows of one context."""

    def context_of(row: Row) -> object:
        return row.fields.get("source") if isinstance(row.fields, Mapping) else None

    for number, (_, rows) in enumerate(groupby(read_rows(source, on_bad), key=context_of), start=1):
        block = list(rows)
        yield Row(block[0].where, number, [row.fields for row in block])


def _block(row: Row) -> list[Mapping[str, object]]:
    out = []
    for fields in row.fields:  # type: ignore[attr-defined]  # a list, made by _blocks
        if not isinstance(fields, Mapping):
            raise wrong(row.where, "", fields, "an object", "Name the file topical_chat_result.json.")
        out.append(fields)
    return out


def _examples(block: Sequence[Mapping[str, object]], row: Row) -> list[Example]:
    where = row.where
    said = [
        (name(fields, "system_id", where, ""), text(fields, "system_output", where, "")) for fields in block
    ]
    references = tuple(response.strip() for system, response in said if system == _REFERENCE)
    turns = [line.strip() for line in text(block[0], "source", where, "").split("\n") if line.strip()]
    return [
        Example(f"usr-{row.number}", system, alternating(turns), Response(response.strip()), references)
        for system, response in said
        if system != _REFERENCE
    ]


def _judgements(fields: Mapping[str, object], row: Row) -> Iterator[Judgement]:
    if "scores" not in fields:
        raise missing(fields, "scores", row.where, "", "an object of scores")
    scores = fields["scores"]
    if not isinstance(scores, Mapping):
        raise wrong(
            row.where, "scores", scores, "an object of scores", "Name the file topical_chat_result.json."
        )
    system = name(fields, "system_id", row.where, "")
    for criterion, score in scores.items():
        value, reason = rating(score, row.where, f"scores.{criterion}")
        yield Judgement(f"usr-{row.number}", system, "mean", criterion, value, reason)
