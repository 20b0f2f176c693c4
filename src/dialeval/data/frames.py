"""Data frames: examples from pandas, polars, Arrow, numpy and ``datasets``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from dialeval.data.codec.bad import Where
from dialeval.data.codec.decode import decode
from dialeval.data.codec.fields import FIELDS, likely_name
from dialeval.data.codec.tables import from_cells
from dialeval.data.types import UNNAMED, Example
from dialeval.errors import BadInput, Unsuitable, first_line

_FIELDS: Final = FIELDS["example"]


def is_frame(value: object) -> bool:
    """Whether ``value`` has named columns: tables of pandas, polars, Arrow, ``datasets``, numpy's records, dicts."""
    if isinstance(value, Mapping) or getattr(getattr(value, "dtype", None), "names", None):
        return True
    if isinstance(value, Sequence) and len(value) > 0 and isinstance(value[0], Mapping):
        return True
    return hasattr(value, "column_names") or (
        hasattr(value, "columns") and hasattr(value, "__arrow_c_stream__")
    )


def examples_of(
    frame: object, *, columns: Mapping[str, str] | None = None, system: str | None = None
) -> Iterator[Example]:
    """The examples of a table, a row each; ``columns`` says which of its columns are our fields, else it is guessed.

    A column counts under its own name, or under what other tools call the field (``prediction`` is the response). Rows
    without an id are numbered from 0. A response that is None or NaN is missing, and its reason names the row.
    ``system`` keeps the rows of one system, or names the system if no column does.
    """
    rows = _rows(frame)
    first = next(rows, None)
    if first is None:
        raise Unsuitable("The data frame has no rows; expected at least one.")
    names = _named(list(first), columns or {})
    yield from _kept(
        (_example(row, names, number, system) for number, row in enumerate(_chain(first, rows))),
        names,
        system,
    )


def _chain(
    first: Mapping[str, object], rest: Iterator[Mapping[str, object]]
) -> Iterator[Mapping[str, object]]:
    yield first
    yield from rest


def _kept(examples: Iterable[Example], names: Mapping[str, str], system: str | None) -> Iterator[Example]:
    if system is None or "system" not in names:
        yield from examples
        return
    others: dict[str, None] = {}
    kept = 0
    for example in examples:
        if example.system == system:
            kept += 1
            yield example
        else:
            others[example.system] = None
    if not kept:
        raise Unsuitable(f"The data frame has no row of the system {system!r}. It has {', '.join(others)}.")


def _rows(frame: Any) -> Iterator[dict[str, object]]:
    """The rows as dictionaries, a batch at a time."""
    import pyarrow as pa

    if isinstance(frame, Mapping):
        yield from _rows_of_columns(frame)
        return
    if isinstance(frame, Sequence):
        yield from (dict(row) for row in frame)
        return
    if getattr(getattr(frame, "dtype", None), "names", None):
        yield from (dict(zip(frame.dtype.names, row.tolist(), strict=True)) for row in frame)
        return
    if not isinstance(frame, pa.Table) and not hasattr(frame, "__arrow_c_stream__"):
        yield from (dict(row) for row in frame)  # a Dataset
        return
    try:
        table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    except (pa.ArrowException, TypeError) as error:
        if not hasattr(frame, "to_dict"):
            raise Unsuitable(f"The data frame cannot be read: {first_line(error)}.") from None
        yield from frame.to_dict("records")  # pandas, with columns of mixed types
        return
    for batch in table.to_batches(max_chunksize=1024):
        yield from batch.to_pylist()


def _rows_of_columns(columns: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    """The rows of a dict of columns."""
    tables = [name for name, column in columns.items() if is_frame(column)]
    if tables:
        raise Unsuitable(
            f"Found several tables ({', '.join(tables[:5])}), expected one. "
            f"Select it, as in score(tables[{tables[0]!r}])."
        )
    held = {name: [column] if isinstance(column, str) else list(column) for name, column in columns.items()}
    lengths = {name: len(column) for name, column in held.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise Unsuitable(f"Columns of different lengths: {told}. Give every column a value for each row.")
    for cells in zip(*held.values(), strict=True):
        yield dict(zip(held, cells, strict=True))


def _named(found: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """The column of each field: the given one, the one of its name, else one that other tools call so."""
    if not isinstance(given, Mapping):
        raise Unsuitable(f"columns: found {given!r}, expected a dict such as {{'response': 'output'}}.")
    for field, column in given.items():
        if field not in _FIELDS:
            raise Unsuitable(
                f"columns: {field!r} is not a field of an example; there are {', '.join(_FIELDS)}."
            )
        if column not in found:
            raise Unsuitable(f"columns: the data frame has no column {column!r}; it has {', '.join(found)}.")
    names = dict(given)
    for field in _FIELDS:
        if field in names:
            continue
        free = [name for name in found if name not in names.values()]
        folded = {name.casefold(): name for name in reversed(free)} | {name: name for name in free}
        guess = field if field in folded else likely_name(field, list(folded))
        if guess is not None:
            names[field] = folded[guess]
    if "response" not in names:
        free = [name for name in found if name not in names.values()] or [*found]
        raise Unsuitable(
            f"The data frame has no column of responses; it has {', '.join(found)}. Name it, as in "
            f"score(frame, columns={{'response': {free[-1]!r}}})."
        )
    return names


def _example(row: Mapping[str, object], names: Mapping[str, str], number: int, system: str | None) -> Example:
    where = Where(f"row {number} of the data frame")
    cells = {name: cell for name, cell in row.items() if name.startswith("reference")}
    cells |= {field: row[column] for field, column in names.items()}
    fields: dict[str, object] = {"id": number, "system": system or UNNAMED, "context": []}
    given = {name: value for name, value in from_cells(cells, where).items() if value is not None}
    fields |= given
    if "response" not in given:
        fields["response"] = {"missing": f"no response (no value in row {number})"}
    if isinstance(fields.get("references"), str):
        fields["references"] = [fields["references"]]
    for name in ("id", "system"):
        if not isinstance(fields[name], str | int):
            fields[name] = str(fields[name])
    try:
        return decode(fields, "example", where)
    except BadInput as error:
        error.field = names.get(error.field or "", error.field)
        raise
