"""Circa (Louis et al., 2020): indirect answers to yes/no questions, each read by five people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dialeval.data.codec.bad import OnBad
from dialeval.data.codec.fields import name, text
from dialeval.data.codec.rows import Row, records
from dialeval.data.codec.sources import Source
from dialeval.data.codec.tables import read_cells
from dialeval.data.importers.ratings import position
from dialeval.data.types import Judgement, Kind, Record
from dialeval.errors import BadInput, close_names

KINDS: Final[tuple[Kind, ...]] = ("judgement",)

LABELS: Final[Mapping[str, float]] = {
    "Yes": 1.0,
    "Probably yes / sometimes yes": 2.0,
    "Yes, subject to some conditions": 3.0,
    "In the middle, neither yes nor no": 4.0,
    "Probably no": 5.0,
    "No": 6.0,
    "I am not sure how X will interpret Y’s answer": 7.0,  # with the apostrophe of print, as in the corpus
    "Other": 8.0,
}
"""The number that stands for each label. 1 to 6 go from yes to no; 7 and 8 are on no scale, so agreement is nominal."""

_RELAXED: Final[Mapping[float, float]] = {2.0: 1.0, 5.0: 6.0, 7.0: 4.0}
"""Labels that become another under the relaxed criterion (Louis et al., 2020, section 3): probably yes becomes yes,
probably no becomes no, not sure becomes in the middle."""


def read(source: Source, kind: Kind, on_bad: OnBad) -> Iterator[Record]:
    """Every person's label of every answer, once under the criterion ``strict`` and once under ``relaxed``.

    Items are the corpus's own ids. The system is empty, since people answered. Labels become the numbers of ``LABELS``.
    """
    cells = read_cells(source, on_bad, delimiter="\t")
    return records((Row(row.where, row.number, row.cells, row.text) for row in cells), _judgements, on_bad)


def _judgements(row: Row) -> Sequence[Record]:
    cells: Mapping[str, object] = row.fields  # type: ignore[assignment]  # the cells of a table
    item = name(cells, "id", row.where, "")
    labels = text(cells, "judgements", row.where, "", "labels with '#' between them").split("#")
    codes = [_code(label, row, index) for index, label in enumerate(labels)]
    return [
        Judgement(item, "", position(index), criterion, value)
        for index, code in enumerate(codes, start=1)
        for criterion, value in (("strict", code), ("relaxed", _RELAXED.get(code, code)))
    ]


def _code(label: str, row: Row, place: int) -> float:
    if label in LABELS:
        return LABELS[label]
    close = close_names(label, LABELS)
    todo = f"Did you mean {close[0]!r}?" if close else "Fix the label."
    path, line = row.where
    raise BadInput(
        path, f"the label {label!r}", "one of Circa's eight labels", todo, line, f"judgements[{place}]"
    )
