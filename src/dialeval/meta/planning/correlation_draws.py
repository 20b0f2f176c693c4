"""Draws of items or systems, and the correlations that each draw gives, from how often each unit was drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.display.notes import Note
from dialeval.errors import Unsuitable
from dialeval.meta.document import Coefficient, Level
from dialeval.ratings.joined import Joined
from dialeval.stats.correlation.coefficients import correlations
from dialeval.stats.correlation.levels import settled
from dialeval.stats.correlation.weighted import weigher
from dialeval.stats.resampling.bootstrap import blocks

CELLS: Final = 1 << 22
"""Drawn values held at once."""


class Drawn(NamedTuple):
    """What draws of units give."""

    r: Floats
    """Correlations of people with each measure, shape (measures, trials)."""
    n: Floats
    """How many points each draw correlates."""


Correlator: TypeAlias = Callable[[Integers], Drawn]
"""From how often each unit is drawn, shape (trials, units), to correlations."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What can be drawn, and what is correlated once it is drawn."""

    values: Floats
    """People and then the measures, shape (1 + measures, points), points of a group side by side."""
    unit: Integers
    """The item or system that brings each point along."""
    units: int
    cells: Integers
    """Where each point lies in the flattened grid of answers; of systems' means, where its system stands."""
    starts: Integers
    """Where each group of points begins, and the end: correlations are taken within groups and averaged."""
    unit_of_group: Integers | None
    """The unit that brings each group along, so that one drawn twice counts twice; None where groups are no units."""
    system: Integers | None
    """The system of each point, where systems' means over the drawn points are correlated, not the points."""
    notes: tuple[Note, ...]

    def draws(self, sizes: Sequence[int], trials: int, seed: int) -> Iterator[tuple[Integers, int]]:
        """How often each unit is drawn, shape (some trials, units), and the position of the size.

        Smaller sizes are the beginnings of larger ones, so that curves are smooth.
        """
        rng = np.random.default_rng(seed)
        for block in blocks(max(self.values.shape[1], sizes[-1]), trials, CELLS):
            places = rng.integers(self.units, size=(block, sizes[-1]))
            places += np.arange(block)[:, None] * self.units
            for index, size in enumerate(sizes):
                counts = np.bincount(places[:, :size].ravel(), minlength=block * self.units)
                yield counts.reshape(block, self.units), index

    def correlator(self, coefficient: Coefficient, trials: int) -> Correlator:
        """How correlations follow from how often each unit is drawn, for about this many draws."""
        pairs = [(0, column) for column in range(1, len(self.values))]
        if self.system is not None:
            return self._by_means(pairs, self.system, coefficient)
        weighers = [
            weigher(self.values[a], self.values[b], kind=coefficient, starts=self.starts, resamples=trials)
            for a, b in pairs
        ]

        def correlate(counts: Integers) -> Drawn:
            weights = counts[:, self.unit].astype(np.float64)
            found = [self._over_groups(weigh(weights), counts) for weigh in weighers]
            return Drawn(np.stack(found), weights.sum(axis=1))

        return correlate

    def _by_means(
        self, pairs: Sequence[tuple[int, int]], system: Integers, coefficient: Coefficient
    ) -> Correlator:
        member = (system[:, None] == np.unique(system)).astype(np.float64)

        def correlate(counts: Integers) -> Drawn:
            weights = counts[:, self.unit].astype(np.float64)
            sizes = weights @ member
            # Systems are compared as a whole: a draw that misses one of them has no answer.
            met = (sizes > 0).all(axis=1)
            means = np.stack(
                [settled((weights[met] * values) @ member / sizes[met]) for values in self.values]
            )
            found = np.full((len(pairs), len(counts)), np.nan)
            for index, (a, b) in enumerate(pairs):
                found[index, met] = correlations(means[a], means[b], coefficient)
            return Drawn(found, np.full(len(counts), float(member.shape[1])))

        return correlate

    def _over_groups(self, r: Floats, counts: Integers) -> Floats:
        """The mean over the groups in which there is a correlation."""
        defined = ~np.isnan(r)
        weights = defined * (1.0 if self.unit_of_group is None else counts[:, self.unit_of_group])
        total = weights.sum(axis=1)
        mean: Floats = np.full(len(r), np.nan)
        np.divide((np.where(defined, r, 0) * weights).sum(axis=1), total, out=mean, where=total > 0)
        return mean


def sample(
    joined: Joined,
    names: Sequence[str],
    level: Level,
    over: Literal["items", "systems"],
    clusters: Integers | None = None,
) -> Sample:
    """The answers that people and all the named measures have, ready to be drawn: by items, clusters, or systems."""
    grids = np.stack([joined.human.values, *(joined.measure_named(name).values for name in names)])
    system, item = np.nonzero(~np.isnan(grids).any(axis=0))
    if level == "system_within_item":
        order = np.argsort(item, kind="stable")
        system, item = system[order], item[order]
    values, cells = grids[:, system, item], system * len(joined.items) + item
    owner = item if clusters is None else clusters[item]
    drawn, unit = np.unique(owner if over == "items" else system, return_inverse=True)
    if len(drawn) < 2:
        what = over if clusters is None else "dialogues"
        raise Unsuitable(f"Found {len(drawn)} {what} with both ratings and scores, expected 2 to draw from.")
    different = np.unique(system)
    few = Note("few_systems", f"only {len(different)} systems: a correlation of so few points is unreliable")
    if level == "system" and over == "systems":
        values = np.stack([values[:, system == code].mean(axis=1) for code in different], axis=1)
        unit, cells = np.arange(len(drawn)), different
    group = {"item_within_system": system, "system_within_item": item}.get(level, np.zeros(values.shape[1]))
    starts = np.append(np.flatnonzero(np.diff(group, prepend=-1)), len(group))
    by_units = (level, over) in {("item_within_system", "systems"), ("system_within_item", "items")}
    return Sample(
        values=values,
        unit=unit,
        units=len(drawn),
        cells=cells,
        starts=starts,
        unit_of_group=unit[starts[:-1]] if by_units else None,
        system=system if level == "system" and over == "items" else None,
        notes=(few,) if level in ("system", "system_within_item") and len(different) < 10 else (),
    )


def packed(joined: Joined) -> Floats:
    """Ratings of each answer, shape (answers, most ratings of one), NaN after each answer's last."""
    people = joined.people
    cell = people.system * len(joined.items) + people.item
    order = np.argsort(cell, kind="stable")
    slot = np.arange(len(order)) - np.searchsorted(cell[order], cell[order])
    table = np.full((len(joined.systems) * len(joined.items), int(slot.max(initial=0)) + 1), np.nan)
    table[cell[order], slot] = people.value[order]
    return table
