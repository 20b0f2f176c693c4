"""Every item's value under every measure, as ``results.parquet`` tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.errors import BadInput

COLUMNS = ("item", "system", "measure", "value", "reason")


class Place(NamedTuple):
    """Where a value stands in the array of values."""

    measure: int
    system: int
    item: int


class Unscored(NamedTuple):
    """How many items of a system a measure could not score for one and the same reason."""

    measure: str
    system: str
    reason: str
    items: int


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One number per measure, system and item, or the reason there is none."""

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    """In the order of the data."""
    numbers: Floats
    """Shape (measures, systems, items); NaN where unscored or absent."""
    reasons: Mapping[Place, str]
    """Why each unscored item is so; a NaN without a reason was never asked for."""

    def of(self, measure: str, system: str) -> Floats:
        """The values that system has under that measure, shape (n,), unscored items left out."""
        if measure not in self.measures or system not in self.systems:
            return np.empty(0)
        row: Floats = self.numbers[self.measures.index(measure), self.systems.index(system)]
        found: Floats = row[np.isfinite(row)]
        return found

    def whole(self, measure: str) -> bool:
        """Whether all values under that measure are whole numbers, as counts and yes/no values are."""
        found = self.numbers[self.measures.index(measure)]
        return bool(np.all(np.isnan(found) | (found == np.round(found))))

    def unscored(self) -> tuple[Unscored, ...]:
        """The reasons for which items have no value, most frequent first."""
        counts = Counter((place.measure, place.system, reason) for place, reason in self.reasons.items())
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(Unscored(self.measures[m], self.systems[s], why, n) for (m, s, why), n in ranked)


def read_values(path: Path) -> Values:
    """The values in that Parquet file; BadInput where it is damaged or lacks a column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        parquet = pq.ParquetFile(path)
        lacking = [name for name in COLUMNS if name not in parquet.schema_arrow.names]
        if lacking:
            raise _bad(path, f"no column '{lacking[0]}'", lacking[0])
        table = parquet.read(columns=list(COLUMNS))
        coded = [table[name].cast(pa.string()).combine_chunks().dictionary_encode() for name in COLUMNS[:3]]
        number = table["value"].cast(pa.float64()).to_numpy()
        reason = table["reason"].cast(pa.string())
    except (pa.ArrowException, OSError) as bad:
        raise _bad(path, f"a file that cannot be read ({str(bad).splitlines()[0]})") from None
    for name, column in zip(COLUMNS[:3], coded, strict=True):
        if column.null_count:
            raise _bad(path, f"{column.null_count} empty values", name)
    (items, systems, measures) = ([str(v) for v in column.dictionary.to_pylist()] for column in coded)
    at = [column.indices.to_numpy(zero_copy_only=False) for column in coded]
    numbers = np.full((len(measures), len(systems), len(items)), np.nan)
    numbers[at[2], at[1], at[0]] = number
    unscored = np.flatnonzero(~np.isfinite(number))
    whys = reason.take(pa.array(unscored)).to_pylist()
    reasons = {
        Place(int(at[2][row]), int(at[1][row]), int(at[0][row])): str(why or "no reason given")
        for row, why in zip(unscored, whys, strict=True)
    }
    numbers[~np.isfinite(numbers)] = np.nan
    return Values(tuple(measures), tuple(systems), tuple(items), numbers, reasons)


def _bad(path: Path, found: str, field: str | None = None) -> BadInput:
    todo = "Run the study again; what was computed is kept, so it is quick."
    return BadInput(str(path), found, "results.parquet as written by 'dialeval run'", todo, field=field)
