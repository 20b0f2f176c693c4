"""Ids for items of formats that often have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from dialeval.data.codec.fields import name
from dialeval.data.codec.rows import Row


def item_of(fields: Mapping[str, object], row: Row, *names: str) -> str:
    """The row's own id, under ``id`` or one of ``names``; else its position in the file."""
    for field in names or ("id",):
        value = fields.get(field)
        if type(value) is int:
            return str(value)
        if isinstance(value, str):
            return name(fields, field, row.where, "", "text (the item's id), or no such field")
    return str(row.number)


class SharedItems:
    """Items for responses whose corpus names what they answer, not the item: systems that answer the same share one."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str, int], str] = {}
        self._per_dataset: Counter[str] = Counter()
        self._met: Counter[tuple[str, str, str]] = Counter()

    def item(self, dataset: str, system: str, answered: str) -> str:
        """The item of this response, ``convai2-17``; a system that meets the same again answers another item."""
        self._met[dataset, system, answered] += 1
        key = (dataset, answered, self._met[dataset, system, answered])
        if key not in self._items:
            self._per_dataset[dataset] += 1
            self._items[key] = f"{dataset}-{self._per_dataset[dataset]}"
        return self._items[key]
