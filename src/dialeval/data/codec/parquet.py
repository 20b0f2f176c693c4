"""Parquet with native nested columns, row group by row group."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from dialeval.data.codec.bad import BadLine, OnBad, Where
from dialeval.data.codec.column_names import Columns
from dialeval.data.codec.encode import encode, kind_of_record
from dialeval.data.codec.fields import FIELDS
from dialeval.data.codec.rows import Row
from dialeval.data.codec.sources import DecodedBatches, Source, check, is_stdin, shown
from dialeval.data.codec.tables import from_cells
from dialeval.data.types import EXTRA, Kind, Record
from dialeval.errors import BadInput
from dialeval.files.foreign import as_bad_input, parquet_errors

if TYPE_CHECKING:
    import pyarrow as pa

_ROW_GROUP: Final = 8192
_READ_ROWS: Final = 1024


def read_rows(source: Source, on_bad: OnBad, columns: Columns | None = None) -> Iterator[Row]:
    """The rows of a Parquet file, with the fields that ``columns`` names; structured cells may hold JSON as text."""
    path = shown(source)
    if is_stdin(source):
        raise BadInput(
            path, "a stream", "a Parquet file on disk", "Save it first: Parquet is read from its end."
        )
    check(source)
    renaming = columns.renaming() if columns else None
    for number, cells in enumerate(_cells(Path(source), path), start=1):
        where = Where(path, number)
        if renaming is not None and columns is not None:
            if number == 1:
                columns.check(cells, path, number)
            cells = renaming(cells)
        try:
            yield Row(where, number, from_cells(cells, where))
        except BadInput as error:
            on_bad(BadLine(error, json.dumps(cells, ensure_ascii=False, default=str)))


def _cells(file: Path, path: str) -> Iterator[dict[str, object]]:
    """The cells of each row by column; BadInput if the file is damaged."""
    import pyarrow.parquet as pq

    todo = "Fetch or write it again; if it is another format, give it the ending of that."
    damage = as_bad_input(parquet_errors(), path, "Parquet", "a whole Parquet file", todo)
    with damage, pq.ParquetFile(file, pre_buffer=False) as opened:
        decoded = DecodedBatches(file, path)
        decoded.check_groups(opened.metadata)
        rows = decoded.rows_at_once(opened.metadata, _READ_ROWS)
        for batch in opened.iter_batches(batch_size=rows):
            decoded.add(batch)
            yield from batch.to_pylist()


def write_table(handle: BinaryIO, records: Iterable[Record]) -> None:
    """Write records of one kind as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    left = iter(records)
    batch = list(islice(left, _ROW_GROUP))
    schema = _schema(kind_of_record(batch[0])) if batch else pa.schema([])
    with pq.ParquetWriter(handle, schema, compression="zstd") as writer:
        while batch:
            writer.write_table(pa.Table.from_pylist([_columns(record) for record in batch], schema=schema))
            batch = list(islice(left, _ROW_GROUP))


def write_objects(
    handle: BinaryIO, types: Mapping[str, object], rows: Iterable[Mapping[str, object]]
) -> None:
    """Write rows as Parquet; ``types`` are the Python types of their columns, which may be empty."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    known: dict[object, object] = {
        bool: pa.bool_(),
        int: pa.int64(),
        float: pa.float64(),
        float | None: pa.float64(),
    }
    schema = pa.schema([(name, known.get(kind, pa.string())) for name, kind in types.items()])
    left = iter(rows)
    with pq.ParquetWriter(handle, schema, compression="zstd") as writer:
        while batch := list(islice(left, _ROW_GROUP)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))


def _columns(record: Record) -> dict[str, object]:
    fields = encode(record)
    if isinstance(fields.get("response"), str):
        fields["response"] = {"text": fields["response"]}
    if isinstance(responses := fields.get("responses"), list):
        fields["responses"] = [
            {"text": response} if isinstance(response, str) else response for response in responses
        ]
    for name in ("messages", "context"):
        if isinstance(messages := fields.get(name), list):
            fields[name] = [_message(message) for message in messages]
    for name in ("metadata", "assert"):
        if name in fields:
            fields[name] = json.dumps(fields[name], ensure_ascii=False)
    return fields


def _message(message: dict[str, object]) -> dict[str, object]:
    """A message whose fields beside text and name are JSON under ``extra``: tools' arguments have no fixed columns."""
    extra = {
        key: value
        for key, value in message.items()
        if key in EXTRA and not (key == "content" and isinstance(value, str))
    }
    plain = {key: value for key, value in message.items() if key not in extra}
    return {**plain, "extra": json.dumps(extra, ensure_ascii=False)} if extra else plain


def _schema(kind: Kind) -> pa.Schema:
    import pyarrow as pa

    text, number = pa.string(), pa.float64()
    messages = pa.list_(pa.struct({"role": text, "content": text, "name": text, "extra": text}))
    response = pa.struct({"text": text, "logprob": number, "missing": text})
    types = {
        "messages": messages,
        "context": messages,
        "references": pa.list_(text),
        "knowledge": pa.list_(text),
        "response": response,
        "responses": pa.list_(response),
        "candidates": pa.list_(pa.struct({"text": text, "correct": pa.bool_(), "error": text})),
        "value": number,
    }
    return pa.schema([(name, types.get(name, text)) for name in FIELDS[kind]])
