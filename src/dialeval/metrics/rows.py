"""Rows of metrics whose corpus score is the mean of their values, and examples without references."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.errors import Unsuitable


def rows_of_values(values: Sequence[float]) -> Floats:
    """One row ``(value, 1)`` per value, shape (n, 2)."""
    rows = np.ones((len(values), 2))
    rows[:, 0] = values
    return rows


def mean_of_rows(totals: Floats) -> Floats:
    """The mean of the values that were summed, shape (..., 2) to (...); NaN of none."""
    values, count = totals[..., 0], totals[..., 1]
    means: Floats = np.divide(values, count, out=np.full(np.shape(count), np.nan), where=count > 0)
    return means


def lacks_references(example: Example) -> str | None:
    """The reason a reference metric cannot score this example, or None where it can."""
    return None if example.references else "no references"


def require_references(metric: str, examples: Sequence[Example]) -> None:
    """Refuse a batch in which an example has no reference."""
    bare = [example.item for example in examples if not example.references]
    if bare:
        raise Unsuitable(
            f"{metric} needs a reference for every example, but {len(bare)} of {len(examples)} have none "
            f"(first: {bare[0]!r}). Add references, or score with evaluate(), which sets such examples aside."
        )
