"""Names of the levels, their points, and the subjects of statements about them."""

from __future__ import annotations

from typing import Final

from dialeval.display.wording import number
from dialeval.meta.document import Document, Level, Resample, Row

TITLES: Final[dict[Level, str]] = {
    "item_within_system": "Items within a system",
    "system_within_item": "Systems within an item",
    "item": "Items, pooled",
    "system": "Systems",
}
LABELS: Final[dict[Level, str]] = {
    "item_within_system": "in a system",
    "system_within_item": "in an item",
    "item": "pooled",
    "system": "systems",
}
"""Short enough for a plot."""
MEANINGS: Final[dict[Level, str]] = {
    "system": "each point is a system's mean",
    "item": "each point is one system's answer to one item, all systems pooled",
    "item_within_system": "one correlation over the items of each system, then their mean",
    "system_within_item": "one correlation over the systems of each item, then their mean",
}

RESAMPLED: Final[dict[Resample, str]] = {"items": "{}", "systems": "systems", "both": "{} and systems"}
DECIDED: Final[dict[Resample, str]] = {
    "items": "permutation test that swaps measures {0} by {0}",
    "systems": "permutation test that swaps measures system by system",
    "both": "t test with the jackknife's error over {0}s and systems",
}


def ordered(document: Document, level: Level) -> list[Row]:
    """The rows of a level, best agreement first, those without a correlation last.

    A measure for which lower is better agrees best if its correlation is lowest.
    """

    def place(row: Row) -> tuple[bool, float]:
        sign = 1.0 if row.measure in document.settings.lower_is_better else -1.0
        return row.value is None, sign * (row.value or 0.0)

    return sorted(document.at(level), key=place)


def scope(document: Document) -> str:
    """The systems that a statement about measures holds for: these, unless others were drawn."""
    systems = max((row.systems for row in document.rows), default=document.human.systems)
    if document.settings.resample == "items":
        return f"on these {systems} systems" if systems > 1 else "on this one system"
    return f"on systems like these {systems}"


def unit(document: Document) -> str:
    """Unit that is left out and swapped together."""
    return "dialogue" if document.settings.cluster == "dialogue" else "item"


def resampled(document: Document) -> str:
    """Population that intervals and tests are about: others of these."""
    return RESAMPLED[document.settings.resample].format(f"{unit(document)}s")


def decided(document: Document) -> str:
    """The test that decides between measures, in words."""
    return DECIDED[document.settings.resample].format(unit(document))


def correlation(value: float | None) -> str:
    """A correlation as tables print it."""
    return number(value, 3)
