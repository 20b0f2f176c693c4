"""What each level is called, and what one point of it is."""

from __future__ import annotations

from typing import Final

from dialeval.display.wording import number
from dialeval.meta.document import Document, Level, Row

TITLES: Final[dict[Level, str]] = {
    "system": "Systems",
    "item": "Items, pooled",
    "item_within_system": "Items within a system",
    "system_within_item": "Systems within an item",
}
LABELS: Final[dict[Level, str]] = {
    "system": "systems",
    "item": "items, pooled",
    "item_within_system": "items in a system",
    "system_within_item": "systems in an item",
}
"""Short enough for a plot."""
MEANINGS: Final[dict[Level, str]] = {
    "system": "each point is a system's mean",
    "item": "each point is one system's answer to one item, all systems pooled",
    "item_within_system": "one correlation over the items of each system, then their mean",
    "system_within_item": "one correlation over the systems of each item, then their mean",
}


def ordered(document: Document, level: Level) -> list[Row]:
    """The rows of a level, best agreement first, those without a correlation last.

    A measure with which lower is better agrees best where its correlation is lowest.
    """

    def place(row: Row) -> tuple[bool, float]:
        sign = 1.0 if row.measure in document.settings.lower_is_better else -1.0
        return row.value is None, sign * (row.value or 0.0)

    return sorted(document.at(level), key=place)


def correlation(value: float | None) -> str:
    """A correlation as tables print it."""
    return number(value, 3)
