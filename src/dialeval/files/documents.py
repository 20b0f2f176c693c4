"""JSON documents and JSON Lines: frozen values written as they are, and read back into their types."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from dialeval.errors import BadInput
from dialeval.files.atomic import write_atomically
from dialeval.files.folders import check_links

T = TypeVar("T")
Json: TypeAlias = dict[str, Any]

FINITE: Final = {"allow_inf_nan": False}
"""``__pydantic_config__`` of types with numbers: an undefined number is null in JSON, never NaN."""


class Origin(NamedTuple):
    """Description of a folder, and the way to fix a damaged one."""

    expected: str
    again: str


@runtime_checkable
class LaidOut(Protocol):
    """A value whose JSON is not simply an object with its fields in order."""

    def json_value(self) -> object:
        """Return what stands for it in a document: an object with other keys, or a text."""


def as_json(value: object) -> Any:
    """The value as ``json.dumps`` takes it: an object for a dataclass or named tuple, null for NaN and infinity."""
    if isinstance(value, LaidOut):
        return as_json(value.json_value())
    if dataclasses.is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: as_json(part) for name, part in zip(value._fields, value, strict=True)}
    if isinstance(value, Mapping):
        return {str(key): as_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(part) for part in value]
    if isinstance(value, float):
        return finite(value)
    return value


def finite(value: float | None) -> float | None:
    """The number as JSON can hold it: null where it is undefined or infinite."""
    return value if value is not None and math.isfinite(value) else None


def write_document(
    path: Path, value: object, *, indent: int = 1, follow: bool = False, private: bool = False
) -> None:
    """Write the value as a JSON document, whole or not at all; ``follow`` and ``private`` as in `atomic_path`."""
    text = json.dumps(as_json(value), ensure_ascii=False, indent=indent, allow_nan=False)
    write_atomically(path, f"{text}\n".encode(), follow=follow, private=private)


def write_json_lines(
    path: Path, rows: Iterable[object], *, follow: bool = False, private: bool = False
) -> None:
    """Write each value as a line of JSON, all of them or no file; ``follow`` and ``private`` as in `atomic_path`."""
    lines = (json.dumps(as_json(row), ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    write_atomically(path, "".join(lines).encode(), follow=follow, private=private)


def require_file(folder: Path, name: str, origin: Origin) -> Path:
    """That file of the folder; BadInput if there is no such file, or a link to one elsewhere."""
    file = folder / name
    if file.is_symlink():
        check_links(folder)
    if file.is_file():
        return file
    if folder.is_dir():
        raise BadInput(
            str(folder), f"a folder without {name}", origin.expected, f"Give such a folder. {origin.again}"
        )
    found = "a file" if folder.exists() else "no such folder"
    raise BadInput(str(folder), found, origin.expected, "Check the path.")


def read_document(shape: type[T], file: Path, origin: Origin) -> T:
    """The content of the JSON file as a value of that type; BadInput names the field that is missing or damaged."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(shape).validate_json(file.read_bytes(), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        field = "".join(steps).lstrip(".")
        if first["type"] == "json_invalid":
            raise damaged(file, f"broken JSON ({first['msg']})", origin) from None
        if field == "format":
            raise BadInput(
                str(file),
                f"format {first['input']!r}",
                f"format 1, in {origin.expected}",
                "Use the version of dialeval that wrote the folder, or write it again.",
                field="format",
            ) from None
        missing = first["type"] in ("missing", "missing_argument")
        found = "no such field" if missing else f"{_shortened(first['input'])} ({first['msg']})"
        raise damaged(file, found, origin, field or None) from None


def damaged(file: Path, found: str, origin: Origin, field: str | None = None) -> BadInput:
    """The error for a file of a folder that cannot be read."""
    return BadInput(str(file), found, f"{file.name} of {origin.expected}", origin.again, field=field)


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
