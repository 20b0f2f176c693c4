"""The rows of statistics of an evaluation, gathered while its subjects pass by."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats

_MOVED: Final = 1 << 16
"""Rows that are moved at once."""


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
