"""Items with known rows through the public functions: what ``evaluate`` and ``compare`` would say of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple

from dialeval import Comparison, Metric, Plan, Resampling, Result, Signature, compare, evaluate
from dialeval.stats.resampling.bootstrap import Aggregate, Floats, Integers

FEW: Final = Resampling(resamples=199)
"""Intervals do not depend on resamples, and 199 permutations give p-values that are exact on average."""


class Drawn(NamedTuple):
    """An item of a sample."""

    item: str
    system: str
    row: int


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows(Metric[Drawn]):
    """A metric whose rows are known beforehand."""

    name: ClassVar[str] = "known_rows"
    rows: Floats = field(repr=False)
    scores: Aggregate = field(repr=False)
    yes_no: bool | None = None
    limits: tuple[float, float] = (-float("inf"), float("inf"))

    @property
    def signature(self) -> Signature:
        """A name; nothing is cached."""
        return Signature(self.name)

    def aggregate(self, totals: Floats) -> Floats:
        """The known scores."""
        return self.scores(totals)

    def statistics(self, items: Sequence[Drawn]) -> Floats:
        """The rows of these items."""
        return self.rows[[item.row for item in items]]


class Kind(NamedTuple):
    """What is known of a measure."""

    aggregate: Aggregate
    yes_no: bool | None = None
    limits: tuple[float, float] = (-float("inf"), float("inf"))


def evaluated(
    rows: Floats,
    kind: Kind,
    clusters: Integers | None = None,
    *,
    system: str = "a",
    resampling: Resampling = FEW,
) -> Result:
    """The result of items with these rows; ids show the dialogue of each where there are clusters."""
    ids = [str(place) for place in range(len(rows))]
    if clusters is not None:
        ids = [f"{dialogue}/{item}" for dialogue, item in zip(clusters.tolist(), ids, strict=True)]
    drawn = [Drawn(item, system, place) for place, item in enumerate(ids)]
    metric = KnownRows(rows, kind.aggregate, kind.yes_no, kind.limits)
    return evaluate(metric, drawn, Plan(resampling=resampling))


def compared(
    rows_a: Floats,
    rows_b: Floats,
    kind: Kind,
    clusters: Integers | None = None,
    *,
    margin: float | None = None,
    resampling: Resampling = FEW,
) -> Comparison:
    """The comparison of two systems with these rows for the same items."""
    none = Resampling(resamples=0)
    a = evaluated(rows_a, kind, clusters, resampling=none)
    b = evaluated(rows_b, kind, clusters, system="b", resampling=none)
    return compare(a, b, resampling, margin=margin)
