"""Ids for items of formats that often have none."""

from __future__ import annotations

from collections.abc import Mapping

from dialeval.data.rows import Row


def item_of(fields: Mapping[str, object], row: Row, *names: str) -> str:
    """The row's own id, under ``id`` or one of ``names``; else its position in the file."""
    for name in names or ("id",):
        value = fields.get(name)
        if isinstance(value, str) or type(value) is int:
            return str(value)
    return str(row.number)
