"""The bootstrap of correlations: resampled pairs, items, systems or both (Deutsch et al., 2021, section 4.1).

A resample is how often each unit was drawn, so nothing is copied or sorted again (see ``weighted``). All functions
draw by the same seed alike: two measures on the same items meet the same resamples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.correlation.coefficients import complete, correlations
from dialeval.stats.correlation.levels import (
    Cells,
    cluster_of_items,
    level_cells,
    settled,
    system_means,
)
from dialeval.stats.correlation.weighted import HELD, mean_over_groups, weigher
from dialeval.stats.estimate import Coefficient, Five, Level, Resample
from dialeval.stats.resampling.bootstrap import Floats, Integers, draws

_Drawn: TypeAlias = Floats | None
"""Counts of each unit in each resample; None if all occur once."""
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
    """The coefficient on ``resamples`` resamples of the pairs, shape (resamples,); NaN if it is undefined.

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
    """The correlation of two tables (systems, items) on ``resamples`` resamples; NaN if it is undefined.

    Only items and systems that enter at this ``level`` are drawn, which is as in ``level_correlation``: an item or
    a system that is drawn twice counts twice, also in the means over groups. ``clusters`` labels the items:
    then whole clusters of them are drawn.
    """
    owner = None if clusters is None else cluster_of_items(clusters, human, scores, level=level)
    return _resampled(
        level_cells(level, human, scores), _Plan(kind, level, resamples, seed, resample, cells, owner)
    )


class _Plan(NamedTuple):
    """Coefficient and resamples of a bootstrap."""

    kind: Coefficient
    level: Level
    resamples: int
    seed: int
    resample: Resample
    cells: int
    """About how many frequencies are held at once."""
    owner: Integers | None = None
    """The cluster of each item; None if items are drawn one by one."""

    def items(self, count: int, held: int) -> Iterator[Floats]:
        """Yield counts of drawn items, in blocks of (some, items)."""
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
    """Yield counts of drawn items and systems, and numbers of resamples, some of them at a time."""
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
    shape = (len(cells.tables), cells.items, cells.systems)
    there, tables = np.zeros(shape), np.zeros(shape)
    for known, dense, values in zip(there, tables, cells.tables, strict=True):
        known[cells.item, cells.system] = ~np.isnan(values)
        dense[cells.item, cells.system] = np.nan_to_num(values)
    means = [mean[None] for mean in system_means(cells)]

    def estimate(items: _Drawn, systems: _Drawn) -> Floats:
        if items is None:
            points, known = means, np.ones((1, cells.systems))
        else:
            counts = [items @ cell for cell in there]
            points = [
                settled(items @ dense / np.maximum(n, 1)) for dense, n in zip(tables, counts, strict=True)
            ]
            known = np.all([n > 0 for n in counts], axis=0).astype(np.float64)
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
"""Functions from counts of items and systems to a correlation, by level."""


def _once(cells: Cells) -> Floats:
    return np.ones((1, len(cells.item)))


def _starts(codes: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(np.bincount(codes))])


class OverSets(NamedTuple):
    """The correlations over many test sets."""

    values: Floats
    """One per test set that has a correlation."""
    undefined: int
    """Test sets without one: all systems tie, or fewer than two have a score."""

    @property
    def five(self) -> Five | None:
        """The five numbers of a box plot; None if no test set has a correlation."""
        return five_numbers(self.values) if self.values.size else None


def over_scores(human: Floats, scores: Floats, coefficient: Coefficient = "spearman") -> OverSets:
    """The correlation of systems' scores with people's on each test set.

    ``human`` has shape (systems,) and ``scores`` (test sets, systems); NaN is a missing score.
    """
    usable = ~np.isnan(human) & ~np.isnan(scores)
    values = np.full(len(scores), np.nan)
    # A test set may leave a system without any score; those with the same systems are correlated together.
    for pattern in np.unique(usable, axis=0):
        same = (usable == pattern).all(axis=1)
        if pattern.sum() > 1:
            rows = scores[np.ix_(same, pattern)]
            values[same] = correlations(np.broadcast_to(human[pattern], rows.shape), rows, coefficient)
    defined = values[~np.isnan(values)]
    return OverSets(defined, len(values) - len(defined))


def five_numbers(values: Floats) -> Five:
    """The least value, the quartiles and the greatest, of one value or more."""
    least, first, median, third, greatest = np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return least, first, median, third, greatest
