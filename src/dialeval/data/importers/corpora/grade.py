"""GRADE's evaluation data (Huang et al., 2020): six systems on ConvAI2 and DailyDialog, 8 to 11 raters a response."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from dialeval.data.codec.bad import OnBad, Where, refuse
from dialeval.data.codec.fields import name, text, wrong
from dialeval.data.codec.jsonl import read_rows
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source, lines
from dialeval.data.importers.conversation import SharedItems
from dialeval.data.importers.ratings import position, rating
from dialeval.data.types import Example, Judgement, Kind, Record, Response, alternating
from dialeval.errors import BadInput
from dialeval.files.folders import is_plain_name
from dialeval.files.foreign import JSON_ERRORS

KINDS: Final[tuple[Kind, ...]] = ("example", "judgement")


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Examples with the human reference, or every rater's coherence score, from the folder of the corpus.

    Systems of one dataset that answer the same context share its item (``convai2-17``). A system that meets a context a
    second time answers another item.
    """
    folder = Path(source)
    items, references = SharedItems(), _References(folder)

    def parse(row: Row) -> Sequence[Record]:
        rated = _rated(row)
        item = items.item(rated.dataset, rated.system, rated.context)
        if kind == "judgement":
            return _judgements(rated, item)
        context = alternating(rated.context.split("|||"))
        return (Example(item, rated.system, context, Response(rated.response), (references.of(rated),)),)

    return records(read_rows(folder / "human_score" / "human_judgement.json", on_bad), parse, on_bad)


class _RatedLine(NamedTuple):
    where: Where
    dataset: str
    system: str
    context: str
    response: str
    scores: Sequence[object]


def _rated(row: Row) -> _RatedLine:
    fields, where = row.fields, row.where
    if not isinstance(fields, Mapping):
        raise wrong(where, "", fields, "an object", "Name the folder that holds eval_data and human_score.")
    dataset, system = name(fields, "Dataset", where, ""), name(fields, "DialogModel", where, "")
    context, response = text(fields, "Context", where, ""), text(fields, "Response", where, "")
    given = text(fields, "HumanScores", where, "", "a list of numbers, in quotes")
    try:
        scores = json.loads(given)
    except JSON_ERRORS:
        scores = None
    if not isinstance(scores, list):
        raise wrong(where, "HumanScores", given, "a list of numbers, in quotes", "Fix the scores.")
    return _RatedLine(where, dataset.removesuffix("_EVAL"), system, context, response, scores)


def _judgements(rated: _RatedLine, item: str) -> list[Judgement]:
    values = [rating(score, rated.where, f"HumanScores[{index}]") for index, score in enumerate(rated.scores)]
    return [
        Judgement(item, rated.system, position(index), "coherence", value, reason)
        for index, (value, reason) in enumerate(values, start=1)
    ]


class _References:
    """The reference of each response, from files that have a line for each of a system's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: dict[tuple[str, str], Iterator[str]] = {}

    def of(self, rated: _RatedLine) -> str:
        """The next line of the system's file, which goes with this response."""
        key = (rated.dataset, rated.system)
        if not all(map(is_plain_name, key)):
            found, todo = f"the names {rated.dataset!r} and {rated.system!r}", "Fetch the corpus again."
            raise BadInput(rated.where.path, found, "names of folders", todo, rated.where.line)
        path = self._folder / "eval_data" / rated.dataset / rated.system / "human_ref.txt"
        if key not in self._lines:
            self._lines[key] = (line.text.rstrip("\r\n") for line in lines(path, refuse))
        reference = next(self._lines[key], None)
        if reference is None:
            todo = "Fetch the corpus again: its files do not fit together."
            raise BadInput(str(path), "fewer lines", f"one for each response of {rated.system}", todo)
        return reference
