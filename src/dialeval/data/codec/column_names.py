"""Columns of a file that stand for fields of records, as the user names them: ``response=completion``.

If nothing names them and they cannot be guessed, `unknown_record` is the error: it says what the file has, what each
verb needs, and both ways out.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Final, TypeAlias

from dialeval.data.codec.dialects import WINDOWS, is_windows, separator_of, wide_encoding
from dialeval.data.codec.fields import FIELDS
from dialeval.errors import BadInput, Unsuitable, close_names

SYSTEM: Final = "system:"
"""A column called so, with a name behind it, holds the responses of the system of that name."""
MESSAGE_FIELDS: Final = ("conversation", "role", "name", "content", "time", "turn")
"""Fields of a file that has a row for each message."""
_KNOWN: Final = (
    *dict.fromkeys(field for fields in FIELDS.values() for field in fields),
    *(field for field in MESSAGE_FIELDS),
)
_HISTORY: Final = re.compile(r"context|history|dialog(ue)?|conversation|turns")
"""Columns whose lines are turns; the lines of any other column, such as a question, belong to one turn."""
_LISTED: Final = 100
"""Names that an error lists."""
_TEXTS: Final = frozenset({"response", "references", "context", "content", "role", "name", "conversation"})

ColumnsGiven: TypeAlias = "Mapping[str, str | Sequence[str]] | str | Columns | None"
"""Columns as users write them: by field, or as on the command line."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The column of each field, in the order in which they were named."""

    pairs: tuple[tuple[str, str], ...]
    """Field and column; a field may have several columns of references, and an empty column means that it has none."""

    @classmethod
    def of(cls, given: ColumnsGiven) -> Columns | None:
        """The columns that were named; None if none was. Unsuitable if they make no sense.

        >>> Columns.of("references=gold,system:old=old_bot").pairs
        (('references', 'gold'), ('system:old', 'old_bot'))
        """
        if given is None or isinstance(given, Columns):
            return given
        pairs = _parsed(given) if isinstance(given, str) else _listed(given)
        if not pairs:
            return None
        _check(pairs)
        return cls(tuple(pairs))

    @property
    def fields(self) -> list[str]:
        """The fields that are named."""
        return [field for field, _ in self.pairs]

    @property
    def systems(self) -> list[str]:
        """Systems that have a column of their own."""
        return [field.removeprefix(SYSTEM) for field in self.fields if field.startswith(SYSTEM)]

    def __str__(self) -> str:
        """The columns as the command line writes them, without quotes for a shell."""
        return ",".join(_csv(f"{field}={column}") for field, column in self.pairs)

    @property
    def option(self) -> str:
        """The option that says the same, ready for a shell."""
        from shlex import quote

        return f"--columns {quote(str(self))}"

    def as_json(self) -> dict[str, str | list[str]]:
        """The columns by field, as a study holds them."""
        held: dict[str, list[str]] = {}
        for field, column in self.pairs:
            held.setdefault(field, []).append(column)
        return {field: columns[0] if len(columns) == 1 else columns for field, columns in held.items()}

    def of_prompts(self) -> Columns | None:
        """The columns of contexts and references; None if there are none."""
        kept = tuple((field, column) for field, column in self.pairs if not is_response(field))
        return Columns(kept) if kept else None

    def check(self, found: Collection[str], path: str, line: int | None) -> None:
        """Raise BadInput if the file lacks one of the columns."""
        for field, column in self.pairs:
            if column and column not in found:
                close = close_names(column, found)
                hint = f"Did you mean {close[0]!r}? " if close else ""
                listed = ", ".join(map(repr, sorted(found)))
                todo = f"{hint}Name one of them in --columns."
                raise BadInput(path, f"the columns {listed}", f"{column!r}, for {field!r}", todo, line)

    def renaming(self) -> Renaming:
        """Return what gives the cells of a row the names of their fields."""
        places: list[tuple[str, str]] = []
        references = 0
        for field, column in self.pairs:
            if field in ("references", "reference"):
                references += 1
                field = "references" if references == 1 else f"reference_{references}"
            places.append((field, column))
        return Renaming(tuple(places))


class Renaming:
    """Gives the cells of rows the names of the fields that they stand for."""

    def __init__(self, places: Sequence[tuple[str, str]]) -> None:
        self._places = [
            (field, column, field == "context" and not _HISTORY.search(column.casefold()))
            for field, column in places
            if column
        ]
        self._gone = {column for _, column in places} | {field for field, _ in places}

    def __call__(self, cells: Mapping[str, object]) -> dict[str, object]:
        """The cells of one row; those of other columns keep their names."""
        out = {name: cell for name, cell in cells.items() if name not in self._gone}
        for field, column, asked in self._places:
            if column in cells:
                cell = _as_text(field, cells[column])
                out[field] = _question(cell) if asked else cell
        return out


def _as_text(field: str, cell: object) -> object:
    """A number or a date as a person would type it, if the field holds text."""
    if isinstance(cell, str) or cell is None or not (field in _TEXTS or is_response(field)):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return (str(int(cell)) if cell.is_integer() else str(cell)) if cell == cell else None
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, int) else cell


def _question(cell: object) -> object:
    """A question as the turn of the user that it is, however many lines it has; JSON stays as it is."""
    if not isinstance(cell, str) or not cell.strip() or cell.lstrip()[:1] == "[":
        return cell
    return [{"role": "user", "content": cell}]


def is_response(field: str) -> bool:
    """Whether the field holds a response: ``response``, or that of a system."""
    return field == "response" or field.startswith(SYSTEM)


def _parsed(text: str) -> list[tuple[str, str]]:
    import csv

    pairs = []
    for part in next(csv.reader([text], skipinitialspace=True), []):
        field, mark, column = part.partition("=")
        if not mark or not field.strip():
            raise Unsuitable(
                f"columns: found {part!r}, expected FIELD=COLUMN, as in response=completion,references=gold."
            )
        pairs.append((field.strip(), column.strip()))
    return pairs


def _listed(given: Mapping[str, str | Sequence[str]]) -> list[tuple[str, str]]:
    pairs = []
    for field, columns in given.items():
        for column in [columns] if isinstance(columns, str) else columns:
            if not isinstance(column, str):
                raise Unsuitable(f"columns: found {column!r} for {field!r}, expected the name of a column.")
            pairs.append((field, column))
    return pairs


def _check(pairs: Sequence[tuple[str, str]]) -> None:
    named = [field for field, _ in pairs]
    for field in named:
        if (
            field not in _KNOWN
            and field != "reference"
            and not (field.startswith(SYSTEM) and field[len(SYSTEM) :])
        ):
            close = close_names(field, _KNOWN)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise Unsuitable(
                f"columns: {field!r} is not a field.{hint} There are {', '.join(_KNOWN)}, and system:NAME for the "
                "responses of that system."
            )
        if named.count(field) > 1 and field not in ("references", "reference"):
            raise Unsuitable(
                f"columns: found {field!r} twice: a field has one column; only references may have more."
            )
    system = next((field for field in named if field.startswith(SYSTEM)), None)
    if system is not None and "response" in named:
        raise Unsuitable(
            f"columns: found 'response' beside {system!r}: name one column for all responses, or one for each system."
        )


def _csv(part: str) -> str:
    return '"' + part.replace('"', '""') + '"' if re.search(r'[",]', part) else part


def listed(names: Iterable[str]) -> str:
    """Names of fields or columns as errors list them, sorted: the first hundred."""
    shown = [repr(name) for name in sorted(names)]
    more = [f"and {len(shown) - _LISTED:,} more"] if len(shown) > _LISTED else []
    return ", ".join([*shown[:_LISTED], *more])


NEEDS: Final = (
    "'response' for score and compare (with 'references' for most metrics), 'context' for run and init, 'messages' for "
    "whole dialogues, or 'item', 'rater' and 'value' for ratings"
)
"""Fields that verbs need."""

_HEAD: Final = 1 << 14
_JSON_READER: Final = """\
    import json

    def read(path):
        with open(path, encoding="{encoding}") as file:
            for row in {rows}:
                yield {{{fields}}}"""
_TABLE_READER: Final = """\
    import csv

    def read(path):
        with open(path, encoding="{encoding}", newline="") as file:
            for row in csv.DictReader(file{separated}):
                yield {{{fields}}}"""
_PARQUET_READER: Final = """\
    import pyarrow.parquet

    def read(path):
        table = pyarrow.parquet.read_table(path)
        for row in table.to_pylist():
            yield {{{fields}}}"""
_SHEET_READER: Final = """\
    import pandas

    def read(path):
        sheet = pandas.read_excel(path, dtype=str)
        for row in sheet.to_dict("records"):
            yield {{{fields}}}"""


def unknown_record(
    path: str, names: Collection[str], line: int | None, *, likely: Columns | None = None
) -> BadInput:
    """The error for a record with these fields; ``likely`` is how its columns may be meant."""
    columns = likely or Columns((("response", min(names, default="COLUMN")),))
    fields = {field.partition(":")[0] for field, column in columns.pairs if column}
    more = (
        "" if fields & {"response", "system"} else " for run (score and compare need response=COLUMN as well)"
    )
    todo = (
        f"Name the columns, as in {columns.option}{more}; or read the file your own way with --from my.py:read, "
        f"where my.py is\n\n{reader(path, columns)}\n\n"
        "('dialeval data ls' lists the formats that are read without either; 'init' and studies write "
        f"my.py:read:{Path(path).name}.)"
    )
    found = f"a record with {listed(names)}" if names else "something other than a JSON object"
    return BadInput(path, found, NEEDS, todo, line)


def reader(path: str, columns: Columns) -> str:
    """Six lines of Python that read such a file, indented."""
    named = {field.partition(":")[0]: column for field, column in reversed(columns.pairs) if column}
    if "system" in named:
        named["response"] = named.pop("system")
    order = ("context", "response", "references")
    fields = [
        f'"{field}": row[{named[field]!r}]' for field in order if field in named and field != "references"
    ]
    fields += [f'"references": [row[{named["references"]!r}]]'] if "references" in named else []
    ending = Path(path.removesuffix(".gz").partition("#")[0]).suffix.lower()
    shapes = {
        ".csv": _TABLE_READER,
        ".tsv": _TABLE_READER,
        ".parquet": _PARQUET_READER,
        ".xlsx": _SHEET_READER,
    }
    return shapes.get(ending, _JSON_READER).format(
        fields=", ".join(fields or ['"response": ...']), **_manner(path, "\t" if ending == ".tsv" else ",")
    )


def _manner(path: str, usual: str) -> dict[str, str]:
    """Options that tell the reader how the file at hand is written: encoding, separator of cells, one JSON array."""
    head = _head(path)
    encoding = wide_encoding(head) or ("utf-8-sig" if head.startswith(codecs.BOM_UTF8) else "utf-8")
    if encoding == "utf-8" and any(byte > 127 for byte in head) and is_windows(head):
        encoding = WINDOWS
    text = head.decode(encoding, "replace").lstrip()
    mark = separator_of("".join(text.splitlines(keepends=True)[:1]), usual, ()).mark
    return {
        "encoding": encoding,
        "separated": "" if mark == "," else f", delimiter={mark!r}",
        "rows": "json.load(file)" if text.startswith("[") else "map(json.loads, file)",
    }


def _head(path: str) -> bytes:
    """The first lines of a file; nothing if it is packed, or no file."""
    if path.endswith(".gz"):
        return b""
    try:
        with open(path, "rb") as file:
            return b"".join(file.readlines(_HEAD))
    except (OSError, ValueError):
        return b""
