"""Results of a metric that is a ratio of sums, made by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dialeval.core import Estimate, Floats, Metric, Provenance, Result, Signature


class Scored(NamedTuple):
    item: str
    system: str
    matched: float
    over: float = 1


@dataclass(frozen=True)
class Ratio(Metric[Scored]):
    """Pooled matched over total; a plain mean where every total is one."""

    name: str = "ratio"
    higher_is_better: bool | None = True
    order: int = 1

    @property
    def signature(self) -> Signature:
        return Signature(self.name, (("order", self.order),), (("case", "lc"),))

    def unscorable(self, subject: Scored) -> str | None:
        return "no value" if math.isnan(subject.matched) else None

    def statistics(self, subjects: Sequence[Scored]) -> Floats:
        return np.array([(s.matched, s.over) for s in subjects], dtype=np.float64).reshape(-1, 2)

    def aggregate(self, totals: Floats) -> Floats:
        over = totals[..., 1]
        return np.divide(totals[..., 0], over, out=np.full(over.shape, np.nan), where=over != 0)


def result(subjects: Sequence[Scored], metric: Ratio | None = None) -> Result:
    metric = metric or Ratio()
    rows = metric.statistics(subjects)
    reasons = {at: reason for at, s in enumerate(subjects) if (reason := metric.unscorable(s))}
    rows[list(reasons)] = np.nan
    score = float(metric.aggregate(np.nansum(rows, axis=0)))
    return Result(
        metric=metric,
        items=tuple(s.item for s in subjects),
        systems=tuple(s.system for s in subjects),
        rows=rows,
        values=metric.aggregate(rows),
        estimate=Estimate.of(score, math.nan, math.nan, len(subjects) - len(reasons)),
        provenance=Provenance(metric.signature, "", "0", 0, 0),
        reasons=reasons,
    )


def of(system: str, values: Sequence[float], metric: Ratio | None = None) -> Result:
    return result([Scored(f"i{at:04}", system, value) for at, value in enumerate(values)], metric)
