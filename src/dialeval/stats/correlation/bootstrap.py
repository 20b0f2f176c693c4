"""The bootstrap of correlations: resampled pairs, items, systems or both (Deutsch et al., 2021, section 4.1).

A resample is how often each unit was drawn, so nothing is copied or sorted again (see ``weighted``). All functions
draw by the same seed alike: two measures on the same items meet the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.correlation.coefficients import complete
from dialeval.stats.correlation.levels import (
    Cells,
    Level,
    cluster_of_items,
    settled,
    shared_cells,
    system_means,
)
from dialeval.stats.correlation.weighted import HELD, mean_over_groups, weigher
from dialeval.stats.estimate import Coefficient
from dialeval.stats.resampling.bootstrap import Floats, Integers, draws

Resample: TypeAlias = Literal["items", "systems", "both"]
"""Which side of a table is resampled: its columns, its rows, or both at once."""

_Drawn: TypeAlias = Floats | None
"""How often each unit occurs in each resample; None where all occur once."""
Estimator: TypeAlias = Callable[[_Drawn, _Drawn], Floats]
"""From drawn items, shape (some, items), and systems, (some, systems), to correlations, (some,) or (1,)."""


def bootstrap_correlation(
    x: ArrayLike,
    y: ArrayLike,
    kind: Coefficient,
    *,
    resamples: int = 1000,
    seed: int = 0,
    clusters: Integers | None = None,
    cells: int = HELD,
) -> Floats:
    """The coefficient on ``resamples`` resamples of the pairs, shape (resamples,); NaN where it is undefined.

    Pairs with NaN on either side are left out. ``clusters`` labels the pairs: then whole clusters are drawn.
    At most about ``cells`` frequencies are held at once; no result depends on it.
    """
    xs, ys = complete(x, y)
    if not len(xs):
        return np.full(resamples, np.nan)
    weigh = weigher(xs, ys, kind=kind, resamples=resamples)
    if clusters is None:
        drawn = draws(len(xs), resamples=resamples, seed=seed, cells=cells)
        return np.concatenate([weigh(weights)[:, 0] for weights in drawn])
    if np.shape(clusters) != np.shape(x):
        raise ValueError(f"{np.shape(x)} pairs need as many cluster labels, not {np.shape(clusters)}")
    both = ~(np.isnan(np.asarray(x, np.float64)) | np.isnan(np.asarray(y, np.float64)))
    labels, cluster = np.unique(np.asarray(clusters)[both], return_inverse=True)
    most = cells * len(labels) // len(xs)
    drawn = draws(len(labels), resamples=resamples, seed=seed, cells=most)
    return np.concatenate([weigh(weights[:, cluster])[:, 0] for weights in drawn])


def bootstrap_level(
    human: ArrayLike,
    scores: ArrayLike,
    *,
    kind: Coefficient,
    level: Level,
    resamples: int = 1000,
    seed: int = 0,
    resample: Resample = "items",
    clusters: Integers | None = None,
    cells: int = HELD,
) -> Floats:
    """The correlation of two tables (systems, items) on ``resamples`` resamples; NaN where it is undefined.

    Only items and systems with a cell that both tables have are drawn. ``level`` is as in ``level_correlation``: an
    item or a system that is drawn twice counts twice, also in the means over groups. ``clusters`` labels the items:
    then whole clusters of them are drawn.
    """
    owner = None if clusters is None else cluster_of_items(clusters, human, scores)
    return _resampled(
        shared_cells(human, scores), _Plan(kind, level, resamples, seed, resample, cells, owner)
    )


class _Plan(NamedTuple):
    """What is computed on which resamples."""

    kind: Coefficient
    level: Level
    resamples: int
    seed: int
    resample: Resample
    cells: int
    """About how many frequencies are held at once."""
    owner: Integers | None = None
    """The cluster of each item; None where items are drawn one by one."""

    def items(self, count: int, held: int) -> Iterator[Floats]:
        """How often each of the items is drawn, in blocks of (some, items)."""
        if self.owner is None:
            yield from draws(count, resamples=self.resamples, seed=self.seed, cells=held * count)
            return
        units = int(self.owner.max(initial=-1)) + 1
        for drawn in draws(units, resamples=self.resamples, seed=self.seed, cells=held * units):
            yield np.ascontiguousarray(drawn[:, self.owner])


def _resampled(shared: Cells, plan: _Plan) -> Floats:
    if not len(shared.item):
        return np.full(plan.resamples, np.nan)
    estimate = ESTIMATORS[plan.level](shared, plan.kind, plan.resamples)
    drawn = _draws(shared, plan)
    return np.concatenate([np.broadcast_to(estimate(items, systems), some) for items, systems, some in drawn])


def _draws(cells: Cells, plan: _Plan) -> Iterator[tuple[_Drawn, _Drawn, int]]:
    """How often items and systems are drawn, and in how many resamples, some of them at a time."""
    items, systems, resamples, seed = cells.items, cells.systems, plan.resamples, plan.seed
    size = max(1, plan.cells // len(cells.item))
    if plan.resample == "items":
        for drawn in plan.items(items, size):
            yield drawn, None, len(drawn)
        return
    if plan.resample == "systems":
        for drawn in draws(systems, resamples=resamples, seed=seed, cells=size * systems):
            yield None, drawn, len(drawn)
        return
    # A stream of its own, so that systems are not drawn by the numbers that drew the items.
    other = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    by_item = plan.items(items, size)
    by_system = draws(systems, resamples=resamples, seed=other, cells=size * systems)
    for drawn, with_it in zip(by_item, by_system, strict=True):
        yield drawn, with_it, len(drawn)


def _pooled(cells: Cells, kind: Coefficient, resamples: int) -> Estimator:
    weigh = weigher(*cells.tables, kind=kind, resamples=resamples)

    def estimate(items: _Drawn, systems: _Drawn) -> Floats:
        weights = _once(cells) if items is None else items[:, cells.item]
        return weigh(weights if systems is None else weights * systems[:, cells.system])[:, 0]

    return estimate


def _within_system(cells: Cells, kind: Coefficient, resamples: int) -> Estimator:
    starts = _starts(cells.system)
    weigh = weigher(*cells.tables, kind=kind, starts=starts, resamples=resamples)

    def estimate(items: _Drawn, systems: _Drawn) -> Floats:
        return mean_over_groups(weigh(_once(cells) if items is None else items[:, cells.item]), systems)

    return estimate


def _within_item(cells: Cells, kind: Coefficient, resamples: int) -> Estimator:
    cells = cells.take(np.argsort(cells.item, kind="stable"))
    weigh = weigher(*cells.tables, kind=kind, starts=_starts(cells.item), resamples=resamples)
    whole = weigh(_once(cells))

    def estimate(items: _Drawn, systems: _Drawn) -> Floats:
        return mean_over_groups(whole if systems is None else weigh(systems[:, cells.system]), items)

    return estimate


def _over_systems(cells: Cells, kind: Coefficient, _: int) -> Estimator:
    there = np.zeros((cells.items, cells.systems))
    there[cells.item, cells.system] = 1
    tables = [np.zeros_like(there) for _ in cells.tables]
    for dense, values in zip(tables, cells.tables, strict=True):
        dense[cells.item, cells.system] = values
    means = [mean[None] for mean in system_means(cells)]

    def estimate(items: _Drawn, systems: _Drawn) -> Floats:
        if items is None:
            points, known = means, np.ones((1, cells.systems))
        else:
            counts = items @ there
            points = [settled(items @ dense / np.maximum(counts, 1)) for dense in tables]
            known = (counts > 0).astype(np.float64)
        weights = known if systems is None else known * systems
        # Each resample is a group of systems.
        x, y = (np.broadcast_to(side, weights.shape).ravel() for side in points)
        starts = np.arange(0, weights.size + 1, cells.systems)
        correlate = weigher(x, y, kind=kind, starts=starts)
        return np.asarray(correlate(weights.reshape(1, -1))[0])

    return estimate


ESTIMATORS: dict[Level, Callable[[Cells, Coefficient, int], Estimator]] = {
    "system": _over_systems,
    "item": _pooled,
    "item_within_system": _within_system,
    "system_within_item": _within_item,
}
"""How a correlation at each level follows from how often items and systems occur."""


def _once(cells: Cells) -> Floats:
    return np.ones((1, len(cells.item)))


def _starts(codes: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(np.bincount(codes))])
