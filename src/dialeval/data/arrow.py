"""Records as arrays of Arrow, by the hints of their fields: a column for each field, and the same records back."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, chain, pairwise
from operator import attrgetter
from typing import Any, Final, Literal, Protocol, Union, get_args, get_origin, get_type_hints

import pyarrow as pa


class Column(Protocol):
    """Values of one type."""

    type: pa.DataType

    def encode(self, values: list[Any]) -> pa.Array:
        """Return the values as an array."""

    def decode(self, array: pa.Array) -> list[Any]:
        """Return the values of an array, which may be a slice."""


class Records(Column, Protocol):
    """Records, whose first field is the id of their item where `ids` is asked for."""

    def ids(self, array: pa.Array) -> list[str]:
        """Return the first field of each record."""


@cache
def records_of(kind: Any) -> Records:
    """Return how records are stored that are dataclasses or named tuples, or of several such types (``A | B``)."""
    if get_origin(kind) in (Union, types.UnionType):
        return _Either(get_args(kind))
    return _Record(kind)


def _column(hint: Any) -> Column:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        (hint,) = [each for each in arguments if each is not types.NoneType]
        column = _column(hint)
        return _Optional(column) if isinstance(column, _Record) else column
    if origin is tuple:
        if arguments[1:] != (...,):
            raise TypeError(f"{hint}: only tuples of one type and any length can be stored")
        return _Several(_column(arguments[0]))
    if origin is Literal:
        return _Plain(pa.string())
    if hint in _PLAIN:
        return _Plain(_PLAIN[hint])
    return _Record(hint) if isinstance(hint, type) and hasattr(hint, "__match_args__") else _Json()


_PLAIN: Final = {str: pa.string(), float: pa.float64(), int: pa.int64(), bool: pa.bool_()}


class _Plain:
    """Texts, numbers and truth values, each of which may be None."""

    def __init__(self, kind: pa.DataType) -> None:
        self.type = kind

    def encode(self, values: list[Any]) -> pa.Array:
        return pa.array(values, self.type)

    def decode(self, array: pa.Array) -> list[Any]:
        return [None] * len(array) if array.null_count == len(array) else array.to_pylist()


class _Json:
    """Whatever JSON can hold."""

    type = pa.string()

    def encode(self, values: list[Any]) -> pa.Array:
        texts = [None if value is None else json.dumps(value, default=dict) for value in values]
        return pa.array(texts, self.type)

    def decode(self, array: pa.Array) -> list[Any]:
        if array.null_count == len(array):
            return [None] * len(array)
        return [None if text is None else json.loads(text) for text in array.to_pylist()]


class _Several:
    """Tuples of any length."""

    def __init__(self, of: Column) -> None:
        self._of, self.type = of, pa.list_(of.type)

    def encode(self, values: list[Any]) -> pa.Array:
        ends = pa.array(list(accumulate(map(len, values), initial=0)), pa.int32())
        return pa.ListArray.from_arrays(ends, self._of.encode(list(chain.from_iterable(values))), self.type)

    def decode(self, array: pa.Array) -> list[Any]:
        edges = array.offsets.to_numpy().tolist()
        start = edges[0]
        if start == edges[-1]:
            return [()] * len(array)
        flat = self._of.decode(array.values[start : edges[-1]])
        return [tuple(flat[low - start : high - start]) for low, high in pairwise(edges)]


class _Record:
    """Dataclasses and named tuples."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        hints = get_type_hints(kind)
        names = kind.__match_args__  # type: ignore[attr-defined]
        self._columns = [(attrgetter(name), _column(hints[name])) for name in names]
        fields = zip(names, self._columns, strict=True)
        self.type = pa.struct([(name, column.type) for name, (_, column) in fields])

    def encode(self, values: list[Any]) -> pa.Array:
        arrays = [column.encode(list(map(get, values))) for get, column in self._columns]
        return pa.StructArray.from_arrays(arrays, fields=list(self.type))

    def decode(self, array: pa.Array) -> list[Any]:
        fields = [column.decode(array.field(place)) for place, (_, column) in enumerate(self._columns)]
        return list(map(self.kind, *fields))

    def ids(self, array: pa.Array) -> list[str]:
        return self._columns[0][1].decode(array.field(0))


class _Optional:
    """Records, each of which may be None: lists of one or none."""

    def __init__(self, record: _Record) -> None:
        self.kind, self._record = record.kind, record
        self.type = pa.list_(record.type)

    def encode(self, values: list[Any]) -> pa.Array:
        ends = accumulate([value is not None for value in values], initial=0)
        there = [value for value in values if value is not None]
        return pa.ListArray.from_arrays(
            pa.array(list(ends), pa.int32()), self._record.encode(there), self.type
        )

    def decode(self, array: pa.Array) -> list[Any]:
        return self._spread(array, self._record.decode)

    def ids(self, array: pa.Array) -> list[Any]:
        """Return the first field of each record, or None."""
        return self._spread(array, self._record.ids)

    def _spread(self, array: pa.Array, decode: Callable[[pa.Array], list[Any]]) -> list[Any]:
        edges = array.offsets.to_numpy().tolist()
        start, stop = edges[0], edges[-1]
        if start == stop:
            return [None] * len(array)
        values = decode(array.values[start:stop])
        if len(values) == len(array):
            return values
        return [values[low - start] if low < high else None for low, high in pairwise(edges)]


class _Either:
    """Records of one type or another: a column for each type, None in all but one of them."""

    def __init__(self, kinds: Sequence[type]) -> None:
        self._records = [_Optional(_Record(kind)) for kind in kinds]
        self.type = pa.struct([(each.kind.__name__, each.type) for each in self._records])

    def encode(self, values: list[Any]) -> pa.Array:
        arrays = [
            record.encode([value if type(value) is record.kind else None for value in values])
            for record in self._records
        ]
        return pa.StructArray.from_arrays(arrays, fields=list(self.type))

    def decode(self, array: pa.Array) -> list[Any]:
        return _merged([record.decode(array.field(place)) for place, record in enumerate(self._records)])

    def ids(self, array: pa.Array) -> list[str]:
        return _merged([record.ids(array.field(place)) for place, record in enumerate(self._records)])


def _merged(columns: Sequence[list[Any]]) -> list[Any]:
    """Return the one value of each row that is not None."""
    first = columns[0]
    if None not in first:
        return first
    return [next(value for value in row if value is not None) for row in zip(*columns, strict=True)]
