"""ONNX files without the ``onnx`` package: the few messages of its protocol buffers (onnx.proto3) that we use."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from dialeval.files.foreign import as_bad_input

Shape: TypeAlias = tuple[int, ...]

FLOAT: Final = 1
INT64: Final = 7
_TYPES: Final[dict[int, np.dtype[Any]]] = {FLOAT: np.dtype("<f4"), 2: np.dtype("u1"), 3: np.dtype("i1")}
"""Of the tensors that we read, by ONNX's number."""
_VARINT, _LONG, _BYTES, _INT = 0, 1, 2, 5
"""How a field of a message is written."""


def block(field: int, data: bytes | str) -> bytes:
    """A field that holds bytes, a text or another message."""
    content = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | _BYTES) + varint(len(content)) + content


def number(field: int, value: int) -> bytes:
    """A field that holds a whole number."""
    return varint(field << 3 | _VARINT) + varint(value)


def real(field: int, value: float) -> bytes:
    """A field that holds a 32-bit float."""
    return varint(field << 3 | _INT) + struct.pack("<f", value)


def varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; negative numbers as 64-bit two's complement."""
    rest = value & 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


class Node(NamedTuple):
    """An operation of a graph."""

    kind: str
    name: str
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StoredTensor:
    """A tensor that lies in a file and is read when it is asked for."""

    shape: Shape
    kind: int
    data: memoryview
    packed: bool
    """Whether the data are small numbers in a row, as scalars are often written."""

    def values(self) -> np.ndarray[Any, Any]:
        """The numbers, in the file's own type."""
        dtype = _TYPES[self.kind]
        if not self.packed:
            return np.frombuffer(self.data, dtype).reshape(self.shape)
        numbers = []
        place = 0
        while place < len(self.data):
            value, place = _read_varint(self.data, place)
            numbers.append(value - 2**64 if value >= 2**63 else value)
        return np.array(numbers, dtype).reshape(self.shape)


class OnnxFile(NamedTuple):
    """The weights and the operations of a graph."""

    tensors: dict[str, StoredTensor]
    nodes: list[Node]


def read_onnx(path: Path) -> OnnxFile:
    """The graph in a file; weights are read when they are asked for."""
    kinds = (LookupError, ValueError, TypeError, StopIteration)
    with as_bad_input(kinds, str(path), "ONNX graph", "a graph with its weights", "Install it again."):
        return _graph(memoryview(np.memmap(path, np.uint8, "r").data))


def _graph(content: memoryview) -> OnnxFile:
    tensors: dict[str, StoredTensor] = {}
    nodes: list[Node] = []
    graph: memoryview = next(value for field, value in _fields(content) if field == 7)
    for field, value in _fields(graph):
        if field == 1:
            parts = [(each, bytes(part).decode()) for each, part in _fields(value) if each in (1, 3, 4)]
            inputs = tuple(part for each, part in parts if each == 1)
            named = dict(parts)
            nodes.append(Node(named[4], named.get(3, ""), inputs))
        elif field == 5:
            name, tensor = _tensor(value)
            tensors[name] = tensor
    return OnnxFile(tensors, nodes)


def _tensor(content: memoryview) -> tuple[str, StoredTensor]:
    shape: list[int] = []
    kind, name, data, packed = 0, "", memoryview(b""), False
    for field, value in _fields(content):
        if field == 1:
            shape.append(value)
        elif field == 2:
            kind = value
        elif field == 8:
            name = bytes(value).decode()
        elif field in (4, 5, 9):  # floats, whole numbers, or raw bytes
            data, packed = value, field == 5
            if isinstance(value, int):
                data = memoryview(varint(value))
    return name, StoredTensor(tuple(shape), kind, data, packed)


def _fields(content: memoryview) -> Iterator[tuple[int, Any]]:
    """Number and value of every field of a message: a whole number, or the bytes."""
    place = 0
    while place < len(content):
        key, place = _read_varint(content, place)
        field, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, place = _read_varint(content, place)
            yield field, value
            continue
        if wire == _BYTES:
            size, place = _read_varint(content, place)
        else:
            size = {_LONG: 8, _INT: 4}[wire]
        if place + size > len(content):
            raise ValueError("it ends within a field")
        yield field, content[place : place + size]
        place += size


def _read_varint(content: memoryview, place: int) -> tuple[int, int]:
    """A whole number, and the place after it."""
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
