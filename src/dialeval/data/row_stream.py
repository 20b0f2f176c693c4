"""Rows of a file under the names of our fields: its columns as the user names them, or as they are guessed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from dialeval.data.codec import jsonl
from dialeval.data.codec.bad import BadLine, OnBad
from dialeval.data.codec.column_names import SYSTEM, Columns
from dialeval.data.codec.containers import ROWS
from dialeval.data.codec.decode import is_known
from dialeval.data.codec.dialects import tell
from dialeval.data.codec.rows import Counted, Row, empty
from dialeval.data.codec.sources import Source, is_stdin, shown
from dialeval.data.formats import own_rows
from dialeval.data.importers.conversation import KINDS as CONVERSATION
from dialeval.data.importers.message_rows import message_columns
from dialeval.data.importers.shapes import shape_of
from dialeval.data.types import Kind
from dialeval.errors import Unsuitable

TABLES: Final = ("csv", "tsv", "xlsx")
_told: set[str] = set()
"""Files whose columns of systems were told of: a note on their prompts would say less."""


class RowStream:
    """The rows of a file of our own formats, or of a custom reader, with the fields that its columns stand for."""

    def __init__(self, source: Source, form: str, columns: Columns | None, on_bad: Counted) -> None:
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
            _told.add(path)
        if guess.note and (systems_needed or path not in _told):
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
