"""Instability of a measure's verdict over test sets (Sato et al., 2020, section 4.3, Figure 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dialeval.core import Floats
from dialeval.errors import Unsuitable
from dialeval.meta.document import Coefficient, Five, Stability
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.stats.correlation.bootstrap import five_numbers, over_scores
from dialeval.stats.correlation.levels import settled


@dataclass(frozen=True, slots=True, eq=False)
class Instability:
    """System-level correlations with people over many test sets."""

    measure: str
    coefficient: Coefficient
    size: int
    """Items in each test set."""
    values: Floats
    """One per test set that has a coefficient."""
    undefined: int
    """Test sets on which all systems tie."""

    @property
    def five(self) -> Five | None:
        """The five numbers of a box plot; None if no test set has a coefficient."""
        return five_numbers(self.values) if self.values.size else None


def over_test_sets(
    joined: Joined,
    *,
    size: int | None = None,
    trials: int = 100,
    seed: int = 0,
    coefficient: Coefficient = "spearman",
) -> tuple[Instability, ...]:
    """Each measure on ``trials`` random test sets of ``size`` items, half of all by default, drawn without repeats.

    The human ranking stays as all ratings give it; only the items that the measures see change, the same for all of
    them, among those that some measure scored.
    """
    if not joined.measures:
        return ()
    human = _means(joined.human.values, np.ones((1, len(joined.items))))[0]
    items = np.flatnonzero(
        np.any([~np.isnan(measure.values).all(axis=0) for measure in joined.measures], axis=0)
    )
    size = max(1, len(items) // 2) if size is None else size
    if not 1 <= size <= len(items):
        raise Unsuitable(
            f"A test set of {size} items cannot be drawn from {len(items)}. Ask for 1 to {len(items)} items."
        )
    chosen = np.zeros((trials, len(joined.items)))
    rng = np.random.default_rng(seed)
    for row in chosen:
        row[rng.choice(items, size, replace=False)] = 1
    return tuple(_over(measure, human, chosen, size, coefficient) for measure in joined.measures)


def stabilities(
    joined: Joined, *, repeats: int = 100, seed: int = 0, coefficient: Coefficient = "spearman"
) -> tuple[Stability, ...]:
    """Each measure over small test sets and over all items.

    Of none if there are fewer than three systems, whose correlation can only be plus or minus 1.
    """
    if not joined.measures or len(joined.systems) < 3:
        return ()
    small = over_test_sets(joined, trials=repeats, seed=seed, coefficient=coefficient)
    scored = np.any([~np.isnan(measure.values).all(axis=0) for measure in joined.measures], axis=0)
    # The test set of all items, so that the value is the same statistic as those it is shown among.
    whole = over_test_sets(joined, size=int(scored.sum()), trials=1, coefficient=coefficient)
    return tuple(
        Stability(
            measure=part.measure,
            coefficient=coefficient,
            size=part.size,
            trials=len(part.values) + part.undefined,
            undefined=part.undefined,
            five=part.five,
            whole=float(every.values[0]) if every.values.size else None,
        )
        for part, every in zip(small, whole, strict=True)
    )


def _over(
    measure: MeasureGrid, human: Floats, chosen: Floats, size: int, coefficient: Coefficient
) -> Instability:
    over = over_scores(human, _means(measure.values, chosen), coefficient)
    return Instability(measure.name, coefficient, size, over.values, over.undefined)


def _means(values: Floats, chosen: Floats) -> Floats:
    """Each system's mean over the chosen items that have a value, shape (test sets, systems)."""
    present = ~np.isnan(values)
    sums, counts = chosen @ np.where(present, values, 0.0).T, chosen @ present.T
    return settled(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))
