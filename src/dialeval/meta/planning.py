"""How many items, and how many raters for each, show that people rate one system above another.

The data at hand stand for all there is: items are drawn from them with replacement, ratings of each answer without or
with, and the share of draws on which the difference is significant is the power of a study of that size. It is the
power to find a difference as large as the one seen, which is itself uncertain: read 340 items as "hundreds".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.curves import Over, PowerCurve, power_point, sizes_to_try
from dialeval.meta.joined import Joined
from dialeval.stats.paired import ROUNDING
from dialeval.stats.resampling import blocks

CELLS: Final = 1 << 22
"""Random numbers held at once."""

Design: TypeAlias = Literal["paired", "independent"]


def power_of_items(
    joined: Joined,
    a: str,
    b: str,
    sizes: Sequence[int] | None = None,
    *,
    raters: int | None = None,
    with_replacement: bool = False,
    trials: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    target: float = 0.8,
) -> PowerCurve:
    """The power to find which of two systems people rate higher, against the number of items.

    Each trial draws items with replacement and, with ``raters``, as many of each answer's ratings, without replacement
    unless told otherwise. A two-sided t test decides: paired where the systems answered the same items, else Welch's,
    sizes then being items per system. Only differences in the direction of the data at hand count as found.
    """
    draw = _prepare(joined, a, b, raters, with_replacement)
    tried = sizes_to_try(sizes, draw.items, fewest=2)
    found = np.zeros(len(tried), dtype=np.int64)
    rng = np.random.default_rng(seed)
    for block in blocks(tried[-1] * draw.width(raters), trials, CELLS):
        values = draw(rng, block, tried[-1], (raters,))[0]
        found += _significant(values, tried, draw.effect, alpha)
    held = "all ratings of each answer" if raters is None else f"{raters} ratings of each answer, {draw.how}"
    return _Plan(draw, (a, b), alpha, target, trials, seed).curve("items", tried, found, held)


def power_of_raters(
    joined: Joined,
    a: str,
    b: str,
    sizes: Sequence[int] | None = None,
    *,
    items: int | None = None,
    with_replacement: bool = False,
    trials: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    target: float = 0.8,
) -> PowerCurve:
    """The power to find which of two systems people rate higher, against the number of ratings of each answer.

    As ``power_of_items``, with ``items`` items, by default as many as there are. Without sizes, one rating to as many
    as every answer has.
    """
    fewest = _prepare(joined, a, b, None, with_replacement).fewest
    tried = sizes_to_try(sizes or range(1, fewest + 1), fewest, fewest=1)
    draw = _prepare(joined, a, b, tried[-1], with_replacement)
    size = items or draw.items
    found = np.zeros(len(tried), dtype=np.int64)
    rng = np.random.default_rng(seed)
    for block in blocks(size * draw.width(tried[-1]), trials, CELLS):
        for at, values in enumerate(draw(rng, block, size, tried)):
            found[at] += _significant(values, (size,), draw.effect, alpha)[0]
    held = f"{size} items, ratings {draw.how}"
    return _Plan(draw, (a, b), alpha, target, trials, seed).curve("raters", tried, found, held)


@dataclass(frozen=True, slots=True, eq=False)
class _Ratings:
    """Two systems' ratings, one column of slots for each rater of an item; NaN where the rater gave none.

    Where the systems share items, slot k of an item is one rater for both, so that drawing a slot draws a person.
    """

    a: Floats
    """Shape (items, slots)."""
    b: Floats
    design: Design
    with_replacement: bool
    notes: tuple[str, ...]

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


def _prepare(joined: Joined, a: str, b: str, raters: int | None, with_replacement: bool) -> _Ratings:
    """The two systems' ratings; answers with too few of them are left out."""
    for name in (a, b):
        if name not in joined.systems:
            raise UnknownName("system", name, joined.systems, todo=f"There are {', '.join(joined.systems)}.")
    if a == b:
        raise Unsuitable(f"Found {a!r} on both sides, needed two systems.")
    if raters is not None and raters < 1:
        raise Unsuitable(f"Found {raters} raters, needed at least 1.")
    one, two = joined.systems.index(a), joined.systems.index(b)
    slots_a, slots_b = _slots(joined, one, two)
    needed = 1 if raters is None or with_replacement else raters
    enough_a, enough_b = ((~np.isnan(side)).sum(axis=1) >= needed for side in (slots_a, slots_b))
    both = enough_a & enough_b
    paired = int(both.sum()) >= 2
    alone = int((np.isfinite(slots_a).any(axis=1) | np.isfinite(slots_b).any(axis=1)).sum() - both.sum())
    note = (
        f"{alone} items are left out: too few ratings, or of one system only"
        if paired
        else f"{a} and {b} answered different items"
    )
    found = _Ratings(
        slots_a[both if paired else enough_a],
        slots_b[both if paired else enough_b],
        "paired" if paired else "independent",
        with_replacement,
        (note,) if alone else (),
    )
    if found.items < 2:
        raise Unsuitable(
            f"Found {found.items} items with {needed} or more ratings of {a!r} and {b!r}, needed two. "
            "Take fewer raters, or draw them with replacement."
        )
    if found.effect == 0:
        raise Unsuitable(f"{a!r} and {b!r} have the same mean rating, so there is no difference to find.")
    return found


def _slots(joined: Joined, one: int, two: int) -> tuple[Floats, Floats]:
    """Ratings of two systems, each of shape (items, slots), a slot being one rater of that item."""
    people = joined.people
    ours = (people.system == one) | (people.system == two)
    item, rater, system = people.item[ours], people.rater[ours], people.system[ours]
    pairs, inverse = np.unique(item * max(1, len(people.raters)) + rater, return_inverse=True)
    owner = pairs // max(1, len(people.raters))
    slot = np.arange(len(pairs)) - np.searchsorted(owner, owner)
    shape = (len(joined.items), int(slot.max(initial=0)) + 1)
    sides = []
    for which in (one, two):
        table, own = np.full(shape, np.nan), system == which
        table[item[own], slot[inverse[own]]] = people.value[ours][own]
        sides.append(table)
    return sides[0], sides[1]


def _significant(
    values: tuple[Floats, Floats | None], sizes: Sequence[int], effect: float, alpha: float
) -> Integers:
    """On how many trials the first n draws show a difference in the direction of the effect, for each n."""
    x, y = values
    mean_x, error_x = _running(x, sizes)
    if y is None:
        difference, square, df = mean_x, error_x, np.broadcast_to(np.array(sizes) - 1.0, mean_x.shape)
    else:
        mean_y, error_y = _running(y, sizes)
        difference, square = mean_x - mean_y, error_x + error_y
        # Welch (1947) with equal numbers: the two shares of the squared error weigh alike.
        below = error_x**2 + error_y**2
        df = (np.array(sizes) - 1.0) * np.divide(square**2, below, out=np.ones_like(below), where=below > 0)
    p = _two_sided(difference, square, df, np.array(sizes))
    found = (p < alpha) & (np.sign(difference) == np.sign(effect))
    return np.asarray(found.sum(axis=0), dtype=np.int64)


def _running(values: Floats, sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Mean of the first n values of each row and its squared standard error, shape (rows, sizes)."""
    at, counts = np.array(sizes) - 1, np.array(sizes, dtype=np.float64)
    shifted = values - values[:, :1]
    mean = np.cumsum(shifted, axis=1)[:, at] / counts
    squares = np.cumsum(shifted**2, axis=1)[:, at]
    spread = np.maximum(squares - counts * mean**2, 0) / (counts - 1)
    spread[spread <= ROUNDING * squares] = 0
    return mean + values[:, :1], spread / counts


def _two_sided(difference: Floats, square: Floats, df: Floats, sizes: Integers) -> Floats:
    from scipy.special import stdtr

    varies = square > 0
    t = np.abs(difference) / np.sqrt(np.where(varies, square, 1))
    # Where all draws are alike t has no bound, and the sign test says how little a few of them prove.
    alike = np.where(difference == 0, 1.0, 2.0 ** (1 - sizes))
    return np.where(varies, 2 * stdtr(df, -t), np.broadcast_to(alike, t.shape))


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """What a curve is about, and how it was drawn."""

    draw: _Ratings
    systems: tuple[str, str]
    alpha: float
    target: float
    trials: int
    seed: int

    def curve(self, over: Over, sizes: Sequence[int], found: Integers, held: str) -> PowerCurve:
        """The share of trials on which the difference was found, for each size; ``held`` is what does not vary."""
        high, low = self.systems if self.draw.effect > 0 else self.systems[::-1]
        paired = self.draw.design == "paired"
        test = "paired t test" if paired else "Welch's t test, as many items of each system"
        return PowerCurve(
            question=f"to find that {high} is rated above {low}",
            over=over,
            points=tuple(
                power_point(size, count, self.trials)
                for size, count in zip(sizes, found.tolist(), strict=True)
            ),
            effect=self.draw.effect,
            design=f"{test}; {held}",
            target=self.target,
            alpha=self.alpha,
            trials=self.trials,
            seed=self.seed,
            notes=self.draw.notes,
        )
