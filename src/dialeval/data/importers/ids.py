"""Ids for items of formats that often have none."""

from __future__ import annotations

from collections.abc import Mapping

from dialeval.data.fields import name
from dialeval.data.rows import Row


def item_of(fields: Mapping[str, object], row: Row, *names: str) -> str:
    """The row's own id, under ``id`` or one of ``names``; else its position in the file."""
    for field in names or ("id",):
        value = fields.get(field)
        if type(value) is int:
            return str(value)
        if isinstance(value, str):
            return name(fields, field, row.where, "", "text (the item's id), or no such field")
    return str(row.number)
