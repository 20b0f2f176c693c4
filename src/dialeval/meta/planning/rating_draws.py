"""Ratings of two systems, drawn again and again as a study of another size would have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.display.notes import Note
from dialeval.errors import UnknownName, Unsuitable
from dialeval.ratings.joined import Joined

Design: TypeAlias = Literal["paired", "independent"]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRatings:
    """Two systems' ratings, one column of slots for each rater of an item; NaN where the rater gave none.

    Where the systems share items, slot k of an item is one rater for both, so that drawing a slot draws a person.
    """

    a: Floats
    """Shape (items, slots)."""
    b: Floats
    design: Design
    with_replacement: bool
    notes: tuple[Note, ...]
    places: Integers
    """Where the items of ``a`` stand among all; those of ``b``, too, where the design is paired."""

    @property
    def how(self) -> str:
        """How ratings are drawn, in words."""
        return f"drawn {'with' if self.with_replacement else 'without'} replacement"

    @property
    def items(self) -> int:
        """How many items can be drawn for the system that has fewer."""
        return min(len(self.a), len(self.b))

    @property
    def fewest(self) -> int:
        """How many ratings every answer has."""
        return int(min((~np.isnan(side)).sum(axis=1).min() for side in (self.a, self.b)))

    @property
    def effect(self) -> float:
        """Mean rating of a minus that of b."""
        return float(np.nanmean(self.a, axis=1).mean() - np.nanmean(self.b, axis=1).mean())

    @property
    def differences(self) -> Floats:
        """Mean rating of a minus that of b, item by item, where the design is paired."""
        return np.asarray(np.nanmean(self.a, axis=1) - np.nanmean(self.b, axis=1))

    def width(self, raters: int | None) -> int:
        """Random numbers needed for one drawn item."""
        return 1 if raters is None else max(raters, self.a.shape[1], self.b.shape[1])

    def __call__(
        self, rng: np.random.Generator, trials: int, size: int, raters: Sequence[int | None]
    ) -> list[tuple[Floats, Floats | None]]:
        """For each number of raters, drawn ratings of shape (trials, size): of each system, or their differences."""
        places = rng.integers(len(self.a), size=(trials, size))
        if self.design == "paired":
            keys = self._keys(rng, trials, size, raters)
            pairs = [self._means(side, places, keys, raters) for side in (self.a, self.b)]
            return [(one - other, None) for one, other in zip(*pairs, strict=True)]
        others = rng.integers(len(self.b), size=(trials, size))
        one = self._means(self.a, places, self._keys(rng, trials, size, raters), raters)
        two = self._means(self.b, others, self._keys(rng, trials, size, raters), raters)
        return list(zip(one, two, strict=True))

    def _keys(
        self, rng: np.random.Generator, trials: int, size: int, raters: Sequence[int | None]
    ) -> Floats | None:
        most = max((count for count in raters if count is not None), default=0)
        slots = max(self.a.shape[1], self.b.shape[1])
        return rng.random((trials, size, most if self.with_replacement else slots)) if most else None

    def _means(
        self, side: Floats, places: Integers, keys: Floats | None, raters: Sequence[int | None]
    ) -> list[Floats]:
        if keys is None:
            return [np.nanmean(side, axis=1)[places] for _ in raters]
        values, there = side[places], ~np.isnan(side)[places]
        if self.with_replacement:
            # Each draw picks among those who rated this answer; equal keys pick the same person for both systems.
            order = np.argsort(~there, axis=-1, kind="stable")
            chosen = (keys * there.sum(axis=-1, keepdims=True)).astype(np.int64)
            picked = np.take_along_axis(values, np.take_along_axis(order, chosen, axis=-1), axis=-1)
        else:
            order = np.argsort(np.where(there, keys[..., : side.shape[1]], np.inf), axis=-1)
            picked = np.take_along_axis(values, order, axis=-1)
        sums = np.cumsum(picked, axis=-1)
        return [sums[..., count - 1] / count for count in raters if count is not None]


def prepare(joined: Joined, a: str, b: str, raters: int | None, with_replacement: bool) -> DrawnRatings:
    """The two systems' ratings; answers with too few of them are left out."""
    for name in (a, b):
        if name not in joined.systems:
            raise UnknownName("system", name, joined.systems, todo=f"There are {', '.join(joined.systems)}.")
    if a == b:
        raise Unsuitable(f"Found {a!r} on both sides, expected two systems.")
    if raters is not None and raters < 1:
        raise Unsuitable(f"Found {raters} raters, expected at least 1.")
    row_a, row_b = joined.systems.index(a), joined.systems.index(b)
    slots_a, slots_b = _slots(joined, row_a, row_b)
    fewest = 1 if raters is None or with_replacement else raters
    enough_a, enough_b = ((~np.isnan(side)).sum(axis=1) >= fewest for side in (slots_a, slots_b))
    both = enough_a & enough_b
    paired = int(both.sum()) >= 2
    alone = int((np.isfinite(slots_a).any(axis=1) | np.isfinite(slots_b).any(axis=1)).sum() - both.sum())
    note = (
        Note("items_left_out", f"{alone} items are left out: too few ratings, or of one system only")
        if paired
        else Note("different_items", f"{a} and {b} answered different items")
    )
    drawn = DrawnRatings(
        slots_a[both if paired else enough_a],
        slots_b[both if paired else enough_b],
        "paired" if paired else "independent",
        with_replacement,
        (note,) if alone else (),
        np.flatnonzero(both if paired else enough_a),
    )
    if drawn.items < 2:
        raise Unsuitable(
            f"Found {drawn.items} items with {fewest} or more ratings of {a!r} and {b!r}, expected two. "
            "Take fewer raters, or draw them with replacement."
        )
    if drawn.effect == 0:
        raise Unsuitable(f"{a!r} and {b!r} have the same mean rating, so there is no difference to find.")
    return drawn


def _slots(joined: Joined, row_a: int, row_b: int) -> tuple[Floats, Floats]:
    """Ratings of two systems, each of shape (items, slots), a slot being one rater of that item."""
    people = joined.people
    ours = (people.system == row_a) | (people.system == row_b)
    item, rater, system = people.item[ours], people.rater[ours], people.system[ours]
    pairs, inverse = np.unique(item * max(1, len(people.raters)) + rater, return_inverse=True)
    owner = pairs // max(1, len(people.raters))
    slot = np.arange(len(pairs)) - np.searchsorted(owner, owner)
    shape = (len(joined.items), int(slot.max(initial=0)) + 1)
    sides = []
    for which in (row_a, row_b):
        table, mine = np.full(shape, np.nan), system == which
        table[item[mine], slot[inverse[mine]]] = people.value[ours][mine]
        sides.append(table)
    return sides[0], sides[1]
