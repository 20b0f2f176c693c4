"""What an evaluation keeps of its subjects while they pass by: ids, systems, and rows of statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Subject
from dialeval.core.packed import PackedNames, PackedTexts

_MOVED: Final = 1 << 16
"""Rows that are moved at once."""


class Roster:
    """Ids and systems of subjects, in order; ``packed``, they take a fifth of the memory."""

    def __init__(self, *, packed: bool = False) -> None:
        self._items: list[str] | PackedTexts = PackedTexts() if packed else []
        self._systems: list[str] | PackedNames = PackedNames() if packed else []

    def __len__(self) -> int:
        return len(self._items)

    def add(self, subjects: Iterable[Subject]) -> None:
        """Note these too."""
        subjects = list(subjects)
        self.enter([subject.item for subject in subjects], [subject.system for subject in subjects])

    def enter(self, items: Sequence[str], systems: Sequence[str]) -> None:
        """The same, of ids and systems beside each other."""
        self._items.extend(items)
        self._systems.extend(systems)

    @property
    def items(self) -> Sequence[str]:
        """The ids: a tuple, or packed."""
        return tuple(self._items) if isinstance(self._items, list) else self._items

    @property
    def systems(self) -> Sequence[str]:
        """The systems: a tuple, or packed."""
        return tuple(self._systems) if isinstance(self._systems, list) else self._systems

    def chosen(self, places: NDArray[np.bool_]) -> Sequence[str]:
        """The ids of these places."""
        if places.all():
            return self._items
        found = compress(self._items, places.tolist())
        return list(found) if isinstance(self._items, list) else PackedTexts(found)


class Gathered:
    """Rows in one array that grows where it stands, so that they are never held twice."""

    def __init__(self) -> None:
        self._rows: Floats | None = None
        self._count = 0

    def add(self, rows: Floats) -> None:
        """Put these below the others."""
        end = self._count + len(rows)
        if self._rows is None:
            self._rows = np.array(rows, dtype=np.float64, order="C")
        elif end > len(self._rows):
            # An eighth more than asked for. No view of the array is ever given away before `take`.
            self._rows.resize((end + (end >> 3), self._rows.shape[1]), refcheck=False)
        self._rows[self._count : end] = rows
        self._count = end

    def take(self) -> Floats | None:
        """All rows, which are then no longer here; None where none came."""
        rows, self._rows = self._rows, None
        if rows is not None:
            rows.resize((self._count, rows.shape[1]), refcheck=False)
        self._count = 0
        return rows


def with_gaps(rows: Floats, there: NDArray[np.bool_]) -> Floats:
    """The rows at the places where ``there`` is true, and NaN at the others; ``rows`` itself is moved and returned."""
    end, width = len(rows), rows.shape[1]
    if end == len(there):
        return rows
    rows.resize((len(there), width), refcheck=False)
    # From the last to the first: a row moves down, never up, so that none is overwritten before it has moved.
    for start in reversed(range(0, len(there), _MOVED)):
        places = there[start : start + _MOVED]
        block = np.full((len(places), width), np.nan)
        first = end - int(np.count_nonzero(places))
        block[places] = rows[first:end]
        rows[start : start + len(places)] = block
        end = first
    return rows
