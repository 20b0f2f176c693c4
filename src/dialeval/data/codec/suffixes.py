"""Our own formats, by the end of a file's name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from dialeval.data.codec.sources import Source, conversion, is_stdin, shown
from dialeval.errors import BadInput

Native: TypeAlias = Literal["jsonl", "csv", "tsv", "parquet"]

_SUFFIXES: Final[Mapping[str, Native]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
}


def native_format(source: Source, *, writing: bool = False) -> Native:
    """The format a file's name gives away; JSON Lines for standard input and other pipes."""
    path = Path(source)
    if is_stdin(source) or path.is_fifo() or path.is_char_device():
        return "jsonl"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    found = suffixes[-2:-1] if zipped else suffixes[-1:]
    if found == [".parquet"] and zipped:
        todo = "Unzip it, or write it without .gz: Parquet is compressed inside."
        raise BadInput(shown(source), "gzipped Parquet", "a name that ends in .parquet", todo)
    if not found or found[0] not in _SUFFIXES:
        raise BadInput(
            shown(source),
            f"a name that ends in {path.suffix!r}" if path.suffix else "a name without an ending",
            f"one of {', '.join(_SUFFIXES)} (or with .gz)",
            "Give it one of these endings." if writing else _other_format(source),
        )
    return _SUFFIXES[found[0]]


def _other_format(source: Source) -> str:
    command = conversion(shown(source))
    return f"Rename the file, or convert it with {command} ('dialeval data ls' lists the formats)."
