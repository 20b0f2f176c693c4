"""Shared parts of metrics: rows whose corpus score is the mean of their values, and the texts of examples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Metric, Subject
from dialeval.core.batches import example_columns, lacks_references
from dialeval.data.types import Example
from dialeval.errors import Unsuitable

S_contra = TypeVar("S_contra", bound=Subject, contravariant=True)


def rows_of_values(values: Sequence[float] | Floats) -> Floats:
    """One row ``(value, 1)`` per value, shape (n, 2)."""
    rows = np.ones((len(values), 2))
    rows[:, 0] = values
    return rows


def mean_of_rows(totals: Floats) -> Floats:
    """The mean of the values that were summed, shape (..., 2) to (...); NaN of none."""
    values, count = totals[..., 0], totals[..., 1]
    means: Floats = np.divide(values, count, out=np.full(np.shape(count), np.nan), where=count > 0)
    return means


class MeanOfValues(Metric[S_contra]):
    """A metric whose rows are values beside 1."""

    __slots__ = ()

    averages: ClassVar[bool] = True

    def aggregate(self, totals: Floats) -> Floats:
        """The mean value; NaN of no example."""
        return mean_of_rows(totals)


class NeedsReferences(Metric[Example]):
    """A metric that compares with references."""

    __slots__ = ()

    # One function for all such metrics, so that the runner asks it once.
    unscorable = staticmethod(lacks_references)


def require_references(metric: str, examples: Sequence[Example]) -> None:
    """Refuse a batch in which an example has no reference."""
    columns = example_columns(examples)
    if columns.bare:
        pairs = zip(columns.items, columns.references, strict=True)
        bare = [item for item, references in pairs if not references]
        raise Unsuitable(
            f"{metric} needs a reference for every example, but {len(bare)} of {len(examples)} have none "
            f"(first: {bare[0]!r}). Add references, or score with evaluate(), which sets such examples aside."
        )


class ItemTexts(NamedTuple):
    """The texts of many examples in one list, each example's response before its references."""

    texts: list[str]
    first: NDArray[np.int64]
    """Place of each example's response; one more place than examples, the last the end of all."""


def item_texts(examples: Sequence[Example]) -> ItemTexts:
    """The responses and references of ``examples``."""
    columns = example_columns(examples)
    counts = set(map(len, columns.references))
    if len(counts) != 1:
        return flat_texts(zip(columns.texts, columns.references, strict=True))
    step = 1 + counts.pop()
    texts = [""] * (step * len(examples))
    texts[::step] = columns.texts
    for number in range(step - 1):
        texts[1 + number :: step] = [given[number] for given in columns.references]
    return ItemTexts(texts, np.arange(0, len(texts) + 1, step))


def flat_texts(pairs: Iterable[tuple[str, Sequence[str]]]) -> ItemTexts:
    """Return the texts of pairs of a response and its references."""
    texts: list[str] = []
    first = [0]
    for response, references in pairs:
        texts.append(response)
        texts.extend(references)
        first.append(len(texts))
    return ItemTexts(texts, np.array(first, dtype=np.int64))


def texts_of(examples: Sequence[Example]) -> list[str]:
    """Each text of the examples once, in order, so that the order of the examples cannot show."""
    return sorted(
        {text.strip() for example in examples for text in (example.response.text, *example.references)}
    )
