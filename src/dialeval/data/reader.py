"""Readers of records from files of any format: the one place where a format is recognised."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, overload

from dialeval.data.codec import jsonl
from dialeval.data.codec.bad import BadLine, OnBad, refuse
from dialeval.data.codec.column_names import SYSTEM, Columns, ColumnsGiven
from dialeval.data.codec.decode import decode, is_known, kind_of_fields
from dialeval.data.codec.dialects import is_told, note_told, tell
from dialeval.data.codec.fields import likely_name, missing, wrong
from dialeval.data.codec.jsonl import ROWS
from dialeval.data.codec.rows import BadCounter, Parse, Row, empty, not_empty, records
from dialeval.data.codec.sources import (
    Source,
    check,
    is_stdin,
    native_format,
    opened,
    shown,
    split_format,
)
from dialeval.data.formats import FORMATS, Format, custom_format, own_rows
from dialeval.data.importers.conversation import KINDS as CONVERSATION, SHAPES, as_kind, shape_of
from dialeval.data.importers.message_rows import message_columns, message_records
from dialeval.data.types import (
    UNNAMED,
    Dialogue,
    Example,
    Judgement,
    Kind,
    NBest,
    Prompt,
    Question,
    Record,
)
from dialeval.errors import BadInput, UnknownName, Unsuitable
from dialeval.files.folders import is_there


@overload
def read(
    source: Source,
    kind: Literal["dialogue"],
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Iterator[Dialogue]: ...
@overload
def read(
    source: Source,
    kind: Literal["prompt"],
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Iterator[Prompt]: ...
@overload
def read(
    source: Source,
    kind: Literal["example"],
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Iterator[Example]: ...
@overload
def read(
    source: Source,
    kind: Literal["question"],
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Iterator[Question]: ...
@overload
def read(
    source: Source,
    kind: Literal["nbest"],
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Iterator[NBest]: ...
@overload
def read(
    source: Source,
    kind: Literal["judgement"],
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Iterator[Judgement]: ...
@overload
def read(
    source: Source,
    kind: Kind,
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Iterator[Record]: ...
def read(
    source: Source,
    kind: Kind,
    *,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
) -> Iterator[Record]:
    """The records of a file, one at a time; ``-`` is standard input.

    The format is the named one (``format``, or before the file as in ``openai:chats.jsonl``), else it is recognised by
    the file's ending and first record. What concerns the whole file (not there, empty, nothing usable) is always
    raised; single bad lines go to ``on_bad``, which raises unless told otherwise.

    ``columns`` says which columns of a table, or keys of JSON objects, are our fields: ``{"response": "completion"}``,
    or as on the command line, ``"context=question,system:old=old_bot"``, where a column holds the responses of the
    system ``old``. Others are guessed from their names, which is logged.
    """
    return read_guessing(source, kind=kind, format=format, columns=columns, on_bad=on_bad).records


class Place(NamedTuple):
    """A source without the name of its format, and the format."""

    source: Source
    format: Format


def place_of(source: Source, format: str | None = None) -> Place:
    """Return the file and its format: the given one, the one named before the file, else the recognised one."""
    bare, named = split_format(source)
    own = format or named
    if own is not None and _is_custom(own):
        return Place(bare, custom_format(own))
    if format is not None and format not in FORMATS:
        todo = "'dialeval data ls' lists them all; your own is file.py:NAME."
        raise UnknownName("format", format, FORMATS, todo=todo)
    return Place(bare, FORMATS[format or named or _recognised(bare)])


def _is_custom(name: str) -> bool:
    from dialeval.files.custom_code import is_place

    return is_place(name)


_TEXT: Final = (".txt", ".txt.gz")


def _recognised(source: Source) -> str:
    """The format of a file by its ending and first object, or by its first bytes if the ending says nothing."""
    if (export := _export(source)) is not None:
        return export
    check(source)
    try:
        return native_format(source)
    except BadInput:
        if not Path(source).is_file():
            raise
        with opened(source) as handle:
            head = handle.peek(4096)[:4096].lstrip()
        if head.startswith(b"text:") and b"\t" in head:
            return "parlai-text"
        if str(source).lower().endswith(_TEXT):
            from dialeval.data.importers.text import text_format

            return text_format(source)
        raise


def _export(source: Source) -> str | None:
    """The tool that exported a file or folder, by what it holds; None of any other, and of streams."""
    path = Path(source)
    if is_stdin(source) or not is_there(path):
        return None
    endings = [ending.lower() for ending in path.suffixes if ending.lower() != ".gz"]
    if path.is_dir():
        from dialeval.data.importers.exports.recognition import folder_export

        return folder_export(path)
    if endings[-1:] not in ([".json"], [".jsonl"], [".ndjson"], [".eval"]) or not path.is_file():
        return None
    from dialeval.data.importers.exports.recognition import export_of

    return export_of(source)


class Guess(NamedTuple):
    """A file's records, and the kind its first line shows them to be."""

    kind: Kind
    records: Iterator[Record]
    columns: Columns | None = None
    """Columns that stand for fields, given or guessed; None if all have names of ours."""


def read_guessing(
    source: Source,
    *,
    kind: Kind | None = None,
    format: str | None = None,
    columns: ColumnsGiven = None,
    on_bad: OnBad = refuse,
    note: Callable[[Row], None] | None = None,
    systems_needed: bool = True,
) -> Guess:
    """The records of a file, of whichever kind its first good line is (or its format gives first).

    ``note`` sees the row of each record of our own formats before the record comes. Without ``systems_needed``, a sheet
    with a column for each system gives prompts.
    """
    source, form = place_of(source, format)
    if kind is not None and kind not in form.kinds:
        raise Unsuitable(
            f"{shown(source)} was read as {form.name}. The {form.name} format holds no {kind} records, only "
            f"{' and '.join(form.kinds)}. Name another format with --from, or give another file."
        )
    check(source, folder=Path(source).is_dir() if form.folder is None else form.folder)
    counted = BadCounter(on_bad)
    if form.read is not None:
        if columns is not None:
            raise Unsuitable(
                f"columns: the {form.name} format of {shown(source)} has its own fields. Leave them out."
            )
        held = form.kinds_of(source)
        if kind is not None and kind not in held:
            raise Unsuitable(f"{shown(source)} holds no {kind} records, only {' and '.join(held)}.")
        known = kind or held[0]
        return Guess(known, not_empty(form.read(source, known, counted), counted, source, known))
    sheet = RowStream(source, form.name, Columns.of(columns), counted)
    first = sheet.first(kind)
    if (
        form.name in TABLES
        and kind in (None, "judgement")
        and not is_stdin(source)
        and _is_wide(first.fields)
    ):
        tell(shown(source), "read as ratings-wide, with a column for each rater")
        return read_guessing(source, kind="judgement", format="ratings-wide", on_bad=on_bad)
    if columns is None and form.name in (*TABLES, "parquet") and (export := _table_export(source, first)):
        return read_guessing(source, kind=kind, format=export, on_bad=on_bad)
    if (talk := sheet.messages(first, kind)) is not None:
        told = message_records(sheet.with_first(first), talk, kind or "dialogue", counted, shown(source))
        return Guess(kind or "dialogue", not_empty(told, counted, source, kind or "dialogue"), talk)
    rows, first = sheet.understood(first, kind, systems_needed=systems_needed)
    known, parse = _recognise(first, kind, shown(source), numbered=sheet.columns is not None)
    parsed = records(itertools.chain([first], rows), _noting(parse, note), counted)
    return Guess(known, not_empty(parsed, counted, source, known), sheet.columns)


def _table_export(source: Source, first: Row) -> str | None:
    """The tool that exported a table, by its first row; None of any other."""
    if is_stdin(source) or not isinstance(first.fields, Mapping) or is_known(first.fields):
        return None
    from dialeval.data.importers.exports.recognition import table_export

    return table_export(first.fields)


def _is_wide(fields: object) -> bool:
    from dialeval.data.importers.ratings import is_wide

    return is_wide(fields)


def _noting(parse: Parse, note: Callable[[Row], None] | None) -> Parse:
    if note is None:
        return parse

    def noting(row: Row) -> Sequence[Record]:
        parsed = parse(row)
        for _ in parsed:
            note(row)
        return parsed

    return noting


class _Recognition(NamedTuple):
    kind: Kind
    parse: Parse


def _recognise(first: Row, kind: Kind | None, path: str, *, numbered: bool) -> _Recognition:
    """The kind of a file's records by its first row, and what makes records of its rows.

    A conversation in another tool's shape, or if something else than a dialogue is wanted of ours, is read as that.
    Prompts need no ids if the columns are not our own, ``numbered``.
    """
    shape = shape_of(first.fields)
    ours = isinstance(first.fields, Mapping) and any(
        name in first.fields for name in ("response", "responses", "candidates", "context", "rater")
    )
    if shape is not None and not ours and kind in (None, *CONVERSATION):
        known = kind or "dialogue"
        if shape != "openai":
            tell(path, f"read as {shape}")
        dialogue_of = SHAPES[shape]
        return _Recognition(known, lambda row: as_kind(dialogue_of(row), known, row.where))
    known = kind or kind_of_fields(first.fields, first.where)
    if known == "example" and isinstance(first.fields, Mapping):
        columns = [name for name in first.fields if isinstance(name, str) and name.startswith(SYSTEM)]
        if columns:
            return _Recognition(known, lambda row: _of_systems(row, columns))
    complete = (_with_id if numbered and known == "prompt" else _COMPLETE.get(known, _as_given))()
    return _Recognition(known, lambda row: (decode(complete(row), known, row.where),))


def _of_systems(row: Row, columns: Sequence[str]) -> list[Example]:
    """An example for each column that holds the responses of a system."""
    if not isinstance(row.fields, dict):
        raise wrong(
            row.where, "", row.fields, "a JSON object", "Write each record as an object with its fields."
        )
    common = {name: value for name, value in row.fields.items() if name not in columns}
    common = {"context": [], **common, "id": common.get("id") or str(row.number)}
    return [
        decode(
            {**common, "system": name.removeprefix(SYSTEM), "response": row.fields.get(name)},
            "example",
            row.where,
        )
        for name in columns
    ]


Complete = Callable[[Row], object]
"""A row's fields, with what need not be said filled in."""


def _as_given() -> Complete:
    return lambda row: row.fields


def _numbered() -> Complete:
    """Examples: one without an id is called by its number; a response needs neither system nor context."""

    def complete(row: Row) -> object:
        fields = row.fields
        if type(fields) is not dict or ("id" in fields and "system" in fields and "context" in fields):
            return fields
        if "response" not in fields:  # the only field that nothing else can stand for
            raise missing(fields, "response", row.where, "", "text (the system's response)")
        defaults: dict[str, object] = {"id": str(row.number), "system": UNNAMED, "context": []}
        return {**_absent(defaults, fields), **fields}

    return complete


def _with_id() -> Complete:
    """Prompts: one without an id is called by its number."""

    def complete(row: Row) -> object:
        if type(row.fields) is not dict or row.fields.get("id"):
            return row.fields
        return {**row.fields, "id": str(row.number)}

    return complete


def _absent(defaults: Mapping[str, object], fields: Mapping[str, object]) -> dict[str, object]:
    """Those of the defaults for which the row has no field, not even under a name that looks like a slip."""
    return {
        name: value
        for name, value in defaults.items()
        if name not in fields and likely_name(name, list(fields)) is None
    }


def _rated() -> Complete:
    """Judgements: ``id`` may stand for the item, ``rating`` or ``score`` for the value; unnamed raters are numbered."""
    given: Counter[tuple[str, ...]] = Counter()

    def complete(row: Row) -> object:
        if (
            not isinstance(row.fields, dict)
            or {"item", "rater", "value", "system", "criterion"} <= row.fields.keys()
        ):
            return row.fields
        if not row.fields.keys() & {"value", "rating", "score"}:
            return row.fields
        fields = dict(row.fields)
        for field, names in (("item", ("id",)), ("value", ("rating", "score"))):
            other = next((name for name in names if name in fields), None)
            if field not in fields and other is not None:
                fields[field] = fields.pop(other)
        fields = {**_absent({"system": "", "criterion": "rating"}, fields), **fields}
        if "rater" not in fields and likely_name("rater", list(fields)) is None:
            key = tuple(str(fields.get(name)) for name in ("item", "system", "criterion"))
            given[key] += 1
            fields["rater"] = f"#{given[key]}"
        return fields

    return complete


_COMPLETE: Final[Mapping[Kind, Callable[[], Complete]]] = {"example": _numbered, "judgement": _rated}


def kind_of(source: Source, *, columns: ColumnsGiven = None) -> Kind:
    """The kind of records in a file, by the fields of its first good line."""
    return glance(source, columns=columns).kind


def glance(source: Source, *, columns: ColumnsGiven = None) -> Guess:
    """The kind and the columns of a file by its first good line; if there is none, the error of its first line."""
    if is_stdin(source):
        raise BadInput(
            shown(source), "a stream", "a file, to look at its first line", "Save it as a file first."
        )
    bad: list[BadLine] = []
    try:
        return read_guessing(
            source, columns=columns, on_bad=lambda line: bad.append(line) if not bad else None
        )
    except BadInput as error:
        raise (bad[0].error if bad else error) from None


TABLES: Final = ("csv", "tsv", "xlsx")
_SYSTEMS: Final = "its columns of systems"
"""Said of a file, a note on its prompts would say less."""


class RowStream:
    """The rows of a file of our own formats, or of a custom reader, with the fields that its columns stand for."""

    def __init__(self, source: Source, form: str, columns: Columns | None, on_bad: BadCounter) -> None:
        self.columns = columns
        self._source, self._form, self._on_bad = source, form, on_bad
        self._rows = self._read(on_bad, None)

    def first(self, kind: Kind | None) -> Row:
        """The first row, as it stands there."""
        row = next(self._rows, None)
        if row is None:
            raise empty(self._on_bad, self._source, kind or "")
        return row

    def messages(self, first: Row, kind: Kind | None) -> Columns | None:
        """The columns of a file that has a row for each message; None of any other."""
        if kind not in (None, *CONVERSATION) or not isinstance(first.fields, Mapping):
            return None
        if self.columns is None and (is_known(first.fields) or shape_of(first.fields) is not None):
            return None
        return message_columns(first.fields, self.columns)

    def with_first(self, first: Row) -> Iterator[Row]:
        """All rows as they stand there."""
        return itertools.chain([first], self._rows)

    def understood(self, first: Row, kind: Kind | None, *, systems_needed: bool) -> tuple[Iterator[Row], Row]:
        """The rows after the first, and the first, with the names of their fields."""
        if self._is_plain(first.fields):
            return self._rows, first
        from dialeval.data.codec.column_guess import guess_columns

        guess = guess_columns(
            first.fields if isinstance(first.fields, Mapping) else {},
            self._sample(first),
            kind=kind,
            given=self.columns,
            systems_needed=systems_needed,
            path=first.where.path,
            line=first.where.line,
        )
        if guess is None:
            return self._rows, first
        path = shown(self._source)
        if systems_needed and guess.columns.systems:
            note_told(path, _SYSTEMS)
        if guess.note and (systems_needed or not is_told(path, _SYSTEMS)):
            tell(path, guess.note)
        self.columns = guess.columns
        return self._again(first, guess.columns)

    def _is_plain(self, fields: object) -> bool:
        """Whether nothing has to be guessed: JSON objects with a field of ours mean what they say."""
        if self.columns is not None or not isinstance(fields, Mapping):
            return self.columns is None
        if shape_of(fields) is not None or not fields:
            return True
        return self._form not in (*TABLES, "parquet") and (
            is_known(fields) or any(isinstance(name, str) and name.startswith(SYSTEM) for name in fields)
        )

    def _again(self, first: Row, columns: Columns) -> tuple[Iterator[Row], Row]:
        """The rows from the beginning; a stream, which has none any more, is renamed as it comes."""
        if self._form in (*TABLES, "parquet"):
            if is_stdin(self._source):
                raise Unsuitable(
                    "A table from standard input: its columns cannot be looked up. Save it as a file."
                )
            rows = self._read(_after(first, self._on_bad), columns)
        else:
            rows = jsonl.renamed_rows(itertools.chain([first], self._rows), columns)
        renamed = next(rows)
        return rows, renamed

    def _sample(self, first: Row) -> list[Mapping[str, object]]:
        if is_stdin(self._source) or self._form not in ROWS:
            rows: Iterable[Row] = [first]
        else:
            rows = itertools.islice(self._read(_pass_over, None), _SAMPLE)
        return [row.fields for row in rows if isinstance(row.fields, Mapping)]

    def _read(self, on_bad: OnBad, columns: Columns | None) -> Iterator[Row]:
        if self._form in ROWS:
            return ROWS[self._form](self._source, on_bad, columns)
        return own_rows(self._form, self._source)


_SAMPLE: Final = 20
"""Rows from which columns are guessed."""


def _pass_over(_bad: BadLine) -> None:
    """Continue with the next line."""


def _after(first: Row, on_bad: OnBad) -> OnBad:
    """Pass on bad lines behind the first row; those before it were."""

    def later(bad: BadLine) -> None:
        if bad.error.line is None or first.where.line is None or bad.error.line > first.where.line:
            on_bad(bad)

    return later
