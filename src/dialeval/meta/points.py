"""The points of scatter plots: answers that both people and a measure judged, and their file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dialeval.files.atomic import atomic_path
from dialeval.files.foreign import as_bad_input, parquet_errors
from dialeval.meta.document import Pairs, Points
from dialeval.ratings.joined import Joined

if TYPE_CHECKING:
    import pyarrow as pa


def points_of(joined: Joined) -> Points:
    """The answers that both people and a measure have, measure by measure, system by system, in order of the items."""
    human = joined.human.values
    points = {}
    for measure in joined.measures:
        both = ~np.isnan(human) & ~np.isnan(measure.values)
        for row, system in enumerate(joined.systems):
            chosen = both[row]
            points[measure.name, system] = Pairs(human[row, chosen], measure.values[row, chosen])
    return points


def write_points(joined: Joined, path: Path) -> None:
    """Write every answer that people rated and a measure scored, which is what a scatter plot shows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    label = pa.dictionary(pa.int32(), pa.string())
    schema = pa.schema(
        {"measure": label, "system": label, "item": pa.string(), "human": pa.float64(), "value": pa.float64()}
    )
    items = np.array(joined.items, dtype=object)
    rated = ~np.isnan(joined.human.values)
    scored = {measure.name: ~np.isnan(measure.values) for measure in joined.measures}
    rows = {system: row for row, system in enumerate(joined.systems)}
    with atomic_path(path) as scratch, pq.ParquetWriter(scratch, schema) as writer:
        for (measure, system), pairs in points_of(joined).items():
            both = rated[rows[system]] & scored[measure][rows[system]]
            columns = [
                *(pa.array([name] * len(pairs.human), label) for name in (measure, system)),
                pa.array(items[both], pa.string()),
                pa.array(pairs.human),
                pa.array(pairs.value),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def read_points(path: Path) -> Points:
    """The answers by measure and system; BadInput if the file is damaged or lacks a column."""
    import pyarrow.parquet as pq

    expected = "the points as written by 'dialeval meta' or 'dialeval run'"
    with as_bad_input(parquet_errors(), str(path), "points", expected, "Run the command again."):
        table = pq.read_table(path, columns=["measure", "system", "human", "value"])
        measures, systems = (_texts(table, name) for name in ("measure", "system"))
        human, value = (table[name].to_numpy().astype(np.float64) for name in ("human", "value"))
    places: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(zip(measures, systems, strict=True)):
        places.setdefault(key, []).append(row)
    return {key: Pairs(human[rows], value[rows]) for key, rows in places.items()}


def _texts(table: pa.Table, name: str) -> list[str]:
    import pyarrow as pa

    return [str(text) for text in table[name].cast(pa.string()).to_pylist()]
