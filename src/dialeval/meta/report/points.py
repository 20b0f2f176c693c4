"""``points.parquet``: the cells that scatter plots show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from dialeval.core import Floats
from dialeval.errors import BadInput

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS: Final = ("measure", "system", "human", "value")


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """One system's cells under one measure: people's mean ratings, and the measure's values beside them."""

    human: Floats
    value: Floats


Points: TypeAlias = Mapping[tuple[str, str], Pairs]
"""Cells by measure and system."""


def read_points(path: Path) -> Points:
    """The cells by measure and system; BadInput where the file is damaged or lacks a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path, columns=list(COLUMNS))
    except (pa.ArrowException, OSError, KeyError) as bad:
        raise BadInput(
            path=str(path),
            found=f"a file that cannot be read ({str(bad).splitlines()[0]})",
            needed="the points as written by 'dialeval meta' or 'dialeval run'",
            todo="Run the command again.",
        ) from None
    measures, systems = (_texts(table, name) for name in COLUMNS[:2])
    human, value = (table[name].to_numpy().astype(np.float64) for name in COLUMNS[2:])
    places: dict[tuple[str, str], list[int]] = {}
    for at, key in enumerate(zip(measures, systems, strict=True)):
        places.setdefault(key, []).append(at)
    return {key: Pairs(human[rows], value[rows]) for key, rows in places.items()}


def _texts(table: pa.Table, name: str) -> list[str]:
    import pyarrow as pa

    return [str(text) for text in table[name].cast(pa.string()).to_pylist()]
