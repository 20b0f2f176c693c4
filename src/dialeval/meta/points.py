"""``points.parquet``: every cell that people rated and a measure scored, which is what a scatter plot shows."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from dialeval.files.atomic import atomic_path
from dialeval.ratings.joined import Joined

COLUMNS: Final = ("measure", "system", "item", "human", "value")


def write_points(joined: Joined, path: Path) -> None:
    """Write the cells that both sides have, measure by measure, system by system, in the order of the items."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    label = pa.dictionary(pa.int32(), pa.string())
    types = (label, label, pa.string(), pa.float64(), pa.float64())
    schema = pa.schema(list(zip(COLUMNS, types, strict=True)))
    human = joined.human.values
    items = np.array(joined.items, dtype=object)
    with atomic_path(path) as scratch, pq.ParquetWriter(scratch, schema) as writer:
        for measure in joined.measures:
            both = ~np.isnan(human) & ~np.isnan(measure.values)
            for at, system in enumerate(joined.systems):
                chosen = both[at]
                n = int(chosen.sum())
                columns = [
                    *(pa.array([name] * n, label) for name in (measure.name, system)),
                    pa.array(items[chosen], pa.string()),
                    pa.array(human[at, chosen]),
                    pa.array(measure.values[at, chosen]),
                ]
                writer.write_table(pa.Table.from_arrays(columns, schema=schema))
