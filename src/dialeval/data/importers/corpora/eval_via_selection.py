"""The response-selection set of Sato et al. (2020): four candidates a question, each scored by five people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.fields import wrong
from dialeval.data.codec.json_value import loads
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, lines, shown
from dialeval.data.importers.ratings import position, rating
from dialeval.data.types import Judgement, Kind, Record
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("judgement",)

_CANDIDATES: Final = ("ground_truth", "false_1", "false_2", "false_3")
_TODO: Final = "Name the file human_scores.jsonl."


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Every person's score of every candidate, under the criterion ``acceptability``.

    Questions are ``selection-1`` onwards, by line. Who wrote a candidate is its system: ``ground_truth``, the first of
    the line, and ``false_1`` to ``false_3``. Scores run from 1 to 5; 0 says that the candidate is ungrammatical.
    """
    return records(_rows(source, on_bad), _judgements, on_bad)


def _rows(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """The lines, each a JSON array: the file is not one array, although it begins like one."""
    number = 0
    for line in lines(source, on_bad, expected="one JSON array a line"):
        text = line.text.strip()
        if not text:
            continue
        number += 1
        where = Where(shown(source), line.number)
        try:
            yield Row(where, number, loads(text, where), text)
        except BadInput as error:
            on_bad(BadLine(error, text))


def _judgements(row: Row) -> Sequence[Record]:
    given, where = row.fields, row.where
    if not isinstance(given, list) or len(given) != len(_CANDIDATES):
        raise wrong(where, "", given, "a list of four lists of scores", _TODO)
    return [
        judgement
        for index, (system, scores) in enumerate(zip(_CANDIDATES, given, strict=True))
        for judgement in _scored(f"selection-{row.number}", system, scores, where, f"[{index}]")
    ]


def _scored(item: str, system: str, scores: object, where: Where, field: str) -> Iterator[Judgement]:
    if not isinstance(scores, list):
        raise wrong(where, field, scores, "a list of scores", _TODO)
    for index, score in enumerate(scores):
        value, reason = rating(score, where, f"{field}[{index}]")
        yield Judgement(item, system, position(index + 1), "acceptability", value, reason)
