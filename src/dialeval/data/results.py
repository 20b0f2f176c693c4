"""Writer and reader of ``results.parquet``: one row per item, system and measure (docs/files.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.errors import BadInput
from dialeval.files.atomic import atomic_path
from dialeval.files.foreign import as_bad_input, parquet_errors

if TYPE_CHECKING:
    import pyarrow as pa

FILE: Final = "results.parquet"
EXAMPLES: Final = "examples.jsonl"
"""The responses of a run, in its folder."""
_EXPECTED: Final = "results.parquet as written by 'dialeval run'"
_TODO: Final = "Run the study again; what was computed is kept, so it is quick."
ROW_GROUP: Final = 1 << 20
"""Rows that are put into the file at once."""
LABELS: Final = ("item", "system", "measure", "rater", "criterion")


@dataclass(frozen=True, slots=True, eq=False)
class ItemValues:
    """One system's items under one measure: each has a value, or the reason why it has none."""

    measure: str
    """Name of the measure in the study."""
    system: str
    rater: str
    """The measure's signature."""
    criterion: str
    """The measure's name, without parameters."""
    items: Sequence[str]
    values: NDArray[np.float64]
    """Shape (n,); NaN if unscored."""
    reasons: Mapping[int, str]
    """Position of each unscored item, and why it has no value."""
    statistics: NDArray[np.float64]
    """Statistics that values and scores are computed from, shape (n, k); NaN throughout if unscored."""


def write_results(path: Path, blocks: Iterable[ItemValues]) -> None:
    """Write the values block by block; the file appears whole or not at all."""
    import pyarrow.parquet as pq

    schema = _schema()
    with atomic_path(path) as scratch, pq.ParquetWriter(scratch, schema) as writer:
        for block in blocks:
            for start in range(0, max(1, len(block.items)), ROW_GROUP):
                writer.write_table(_table(block, slice(start, start + ROW_GROUP), schema), ROW_GROUP)


def read_results(path: Path) -> tuple[ItemValues, ...]:
    """The blocks of that file, in order; BadInput if it is damaged or lacks a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = (*LABELS, "value", "reason", "statistics")
    with as_bad_input(parquet_errors(), str(path), "results", _EXPECTED, _TODO):
        parquet = pq.ParquetFile(path, pre_buffer=False)
        lacking = [name for name in columns if name not in parquet.schema_arrow.names]
        if lacking:
            raise _bad(path, f"no column '{lacking[0]}'", lacking[0])
        table = parquet.read(columns=list(columns), use_threads=False)
        labels = {name: _coded(path, name, table[name]) for name in LABELS}
        values = table["value"].cast(pa.float64()).to_numpy()
        reasons = table["reason"].cast(pa.string())
        statistics = table["statistics"].cast(pa.list_(pa.float64())).combine_chunks()
        return tuple(_blocks(labels, np.where(np.isfinite(values), values, np.nan), reasons, statistics))


def _blocks(
    labels: Mapping[str, _CodedColumn],
    values: NDArray[np.float64],
    reasons: pa.ChunkedArray,
    statistics: pa.ListArray,
) -> Iterator[ItemValues]:
    for rows in _groups(labels["measure"], labels["system"]):
        yield ItemValues(
            measure=labels["measure"].of(rows[0]),
            system=labels["system"].of(rows[0]),
            rater=labels["rater"].of(rows[0]),
            criterion=labels["criterion"].of(rows[0]),
            items=tuple(labels["item"].of(row) for row in rows),
            values=values[rows],
            reasons=_reasons(reasons, rows, values[rows]),
            statistics=_statistics(statistics, rows),
        )


class _CodedColumn(NamedTuple):
    """A column of labels: its different names, and the code of each row."""

    names: list[str]
    codes: NDArray[np.int64]

    def of(self, row: int) -> str:
        """The name in that row."""
        return self.names[int(self.codes[row])]


def _coded(path: Path, name: str, column: pa.ChunkedArray) -> _CodedColumn:
    # Pieces of a dictionary column may number their names differently; as plain text they cannot.
    import pyarrow as pa

    encoded = column.cast(pa.large_string()).combine_chunks().dictionary_encode()
    if encoded.null_count:
        raise _bad(path, f"{encoded.null_count} empty values", name)
    return _CodedColumn(encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64))


def _groups(measures: _CodedColumn, systems: _CodedColumn) -> Iterator[NDArray[np.int64]]:
    """The rows of each measure and system, in order of first appearance."""
    keys = measures.codes * max(len(systems.names), 1) + systems.codes
    _, first, sizes = np.unique(keys, return_index=True, return_counts=True)
    blocks = np.split(np.argsort(keys, kind="stable"), np.cumsum(sizes)[:-1]) if len(keys) else []
    for block in np.argsort(first):
        yield blocks[block]


def _reasons(column: pa.ChunkedArray, rows: NDArray[np.int64], values: NDArray[np.float64]) -> dict[int, str]:
    import pyarrow as pa

    unscored = np.flatnonzero(np.isnan(values))
    texts = column.take(pa.array(rows[unscored])).to_pylist()
    return {int(position): text or "no reason given" for position, text in zip(unscored, texts, strict=True)}


def _schema() -> pa.Schema:
    import pyarrow as pa

    label = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [
            ("item", pa.string()),
            *((name, label) for name in LABELS[1:]),
            ("value", pa.float64()),
            ("reason", pa.string()),
            ("statistics", pa.list_(pa.float64())),
        ]
    )


def _table(block: ItemValues, rows: slice, schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    items, statistics = list(block.items[rows]), block.statistics[rows]
    n = len(items)
    unscored = np.zeros(n, dtype=bool)
    reasons: pa.Array = pa.nulls(n, pa.string())
    if block.reasons:
        texts = [block.reasons.get(position) for position in range(rows.start, rows.start + n)]
        unscored[:] = [text is not None for text in texts]
        reasons = pa.array(texts, pa.string())
    widths = np.where(unscored, 0, statistics.shape[1])
    offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int32)
    columns = [
        pa.array(items, pa.string()),
        *(_repeated(getattr(block, name), n) for name in LABELS[1:]),
        pa.array(block.values[rows], pa.float64(), mask=unscored),
        reasons,
        pa.ListArray.from_arrays(offsets, statistics[~unscored].ravel()),
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _repeated(label: str, n: int) -> pa.DictionaryArray:
    """A column that says the same in every row."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(np.zeros(n, np.int32), pa.array([label][:n], pa.string()))


def _statistics(lists: pa.ListArray, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The lists of these rows as an array; NaN if a list is empty."""
    flat, offsets = lists.values.to_numpy(), lists.offsets.to_numpy()
    widths = offsets[rows + 1] - offsets[rows]
    width = int(widths.max(initial=0))
    statistics = np.full((len(rows), width), np.nan)
    full = widths == width
    if width:
        statistics[full] = flat[offsets[rows[full]][:, None] + np.arange(width)]
    return statistics


def _bad(path: Path, found: str, field: str | None = None) -> BadInput:
    return BadInput(str(path), found, _EXPECTED, _TODO, field=field)
