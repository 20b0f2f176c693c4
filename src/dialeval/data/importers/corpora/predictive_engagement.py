"""Predictive engagement (Ghazarian et al., 2020): DailyDialog pairs that three people each called engaging or not."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.fields import text
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, lines, shown
from dialeval.data.importers.ratings import position, rating_in_cell, score_in_cell
from dialeval.data.types import Example, Judgement, Kind, Record, Response, Turn
from dialeval.errors import BadInput

KINDS: Final[tuple[Kind, ...]] = ("judgement", "example")

_QUERIES: Final = 300
"""Number of queries: the table of scores has a generated response to each, then the corpus's own to each."""
_METRICS: Final = ("Ruber_Unref_Score", "CTX_Unref_Score", "Eng_Score_MeanPooling", "Eng_Score_MaxPooling")
_WORKER: Final = "WorkerId"
_PAIRS: Final = range(1, 11)


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Ratings of engagement from either table, with the four metrics' scores if there are any; or the pairs.

    Pairs are numbered as they are met: ``engagement-1`` to ``engagement-300`` of the system ``generated``, then the
    same items of ``ground_truth``, which the table of annotators holds alone. There, raters are the workers; the table
    of scores names none, so the three rows of a pair are ``#1`` to ``#3``. A metric is a rater under its own
    name, on a criterion of that name.
    """
    pairs = _Pairs()

    def parse(row: Row) -> Sequence[Record]:
        cells: Mapping[str, object] = row.fields  # type: ignore[assignment]  # the cells of a table
        read_row = _annotated if _WORKER in cells else _scored
        return read_row(cells, row.where, pairs, kind)

    return records(_rows(source, on_bad), parse, on_bad)


class _Pairs:
    """Numbers pairs of query and response, and counts how often each was met."""

    def __init__(self) -> None:
        self._met: Counter[tuple[str, str]] = Counter()
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, query: str, response: str) -> int:
        """The pair's number, from 1; meets it once more."""
        self._met[query, response] += 1
        return self._numbers.setdefault((query, response), len(self._numbers) + 1)

    def met(self, query: str, response: str) -> int:
        """Number of times that the pair has been met."""
        return self._met[query, response]


def _scored(cells: Mapping[str, object], where: Where, pairs: _Pairs, kind: Kind) -> list[Record]:
    """Return what a row of the table of scores says: one person's rating, and the metrics'."""
    query, response = text(cells, "query", where, ""), text(cells, "response", where, "")
    number = pairs.number(query, response)
    system = "generated" if number <= _QUERIES else "ground_truth"
    item, met = f"engagement-{(number - 1) % _QUERIES + 1}", pairs.met(query, response)
    if kind == "example":
        return _examples(item, system, query, response, met)
    value, reason = rating_in_cell(text(cells, "human_score", where, ""), where, "human_score")
    judgements: list[Record] = [Judgement(item, system, position(met), "engagement", value, reason)]
    for metric in _METRICS if met == 1 else ():  # the three rows of a pair repeat them
        score = score_in_cell(text(cells, metric, where, ""), where, metric)
        judgements.append(Judgement(item, system, metric, metric, score))
    return judgements


def _annotated(cells: Mapping[str, object], where: Where, pairs: _Pairs, kind: Kind) -> list[Record]:
    """Return what a row of the table of annotators says: one worker's ratings of ten pairs."""
    worker = text(cells, _WORKER, where, "")
    converted: list[Record] = []
    for index in _PAIRS:
        query, response = (text(cells, f"Input.{side}{index}", where, "") for side in ("query", "response"))
        item = f"engagement-{pairs.number(query, response)}"
        if kind == "example":
            converted += _examples(item, "ground_truth", query, response, pairs.met(query, response))
            continue
        field = f"Answer.pair{index}"
        value, reason = rating_in_cell(text(cells, field, where, ""), where, field)
        converted.append(Judgement(item, "ground_truth", worker, "engagement", value, reason))
    return converted


def _examples(item: str, system: str, query: str, response: str, met: int) -> list[Record]:
    return [Example(item, system, (Turn("user", query),), Response(response))] if met == 1 else []


def _rows(source: Source, on_bad: OnBad) -> Iterator[Row]:
    """The rows of a table, of which one has many columns without a name."""
    path = shown(source)
    reader = csv.reader(
        (line.text for line in lines(source, on_bad, expected="rows of a table")), strict=True
    )
    header: list[str] = []
    for number, (line, cells) in enumerate(_split(reader, path, on_bad)):
        where = Where(path, line)
        if not header:
            header = cells
        elif len(cells) == len(header):
            yield Row(where, number, dict(zip(header, cells, strict=True)), ",".join(cells))
        else:
            found, expected = f"{len(cells)} cells", f"{len(header)}, as in the header"
            bad = BadInput(path, found, expected, "Add or remove cells.", line)
            on_bad(BadLine(bad, ",".join(cells)))


def _split(reader: Iterator[list[str]], path: str, on_bad: OnBad) -> Iterator[tuple[int, list[str]]]:
    while True:
        line = reader.line_num + 1  # type: ignore[attr-defined]  # a csv reader
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            todo = "Put cells that hold quotes, line breaks or the separator in double quotes."
            on_bad(
                BadLine(
                    BadInput(path, f"a row that cannot be split ({error})", "cells in quotes", todo, line), ""
                )
            )
        else:
            if cells:
                yield line, cells
