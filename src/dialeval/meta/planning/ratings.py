"""Numbers of items and raters that show that people rate one system above another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.display.notes import Note
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.document import Over, PowerCurve, PowerPoint
from dialeval.ratings.joined import Joined
from dialeval.stats.estimate import Estimate
from dialeval.stats.resampling.bootstrap import blocks
from dialeval.stats.resampling.clusters import design_effect
from dialeval.stats.resampling.jackknife import leave_out
from dialeval.stats.tests.paired import ROUNDING
from dialeval.stats.tests.power import PilotPlan, plan_from_pilot

_STEPS: Final = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)


def power_point(size: int, detected: int, trials: int) -> PowerPoint:
    """The share of trials that found it, with Wilson's (1927) interval."""
    share, z2 = detected / trials, 1.959963984540054**2
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    reach = math.sqrt(z2 * share * (1 - share) / trials + (z2 / (2 * trials)) ** 2) / (1 + z2 / trials)
    # The ends of an extreme share are exact; floating point leaves them a hair inside.
    low, high = max(0.0, middle - reach), min(1.0, middle + reach)
    ends = 0.0 if detected == 0 else low, 1.0 if detected == trials else high
    return PowerPoint(size, Estimate(share, *ends, trials))


def sizes_to_try(given: Sequence[int] | None, at_hand: int, *, fewest: int) -> tuple[int, ...]:
    """The sizes asked for, in order; without any, round numbers up to four times what is at hand."""
    if given is None:
        rounds = [int(step * 10**power) for power in range(1, 8) for step in _STEPS]
        return tuple(size for size in rounds if fewest <= size <= max(10, 4 * at_hand))
    sizes = tuple(sorted(set(given)))
    if not sizes or sizes[0] < fewest:
        raise Unsuitable(f"Found sizes {list(given)}, expected at least one, and none below {fewest}.")
    return sizes


Design: TypeAlias = Literal["paired", "independent"]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRatings:
    """Two systems' ratings, one column of slots for each rater of an item; NaN if the rater gave none.

    If the systems share items, slot k of an item is one rater for both, so that drawing a slot draws a person.
    """

    a: Floats
    """Shape (items, slots)."""
    b: Floats
    design: Design
    with_replacement: bool
    notes: tuple[Note, ...]
    places: Integers
    """Places of the items of ``a`` among all; those of ``b``, too, if the design is paired."""

    @property
    def how(self) -> str:
        """Design of the draws, in words."""
        return f"drawn {'with' if self.with_replacement else 'without'} replacement"

    @property
    def items(self) -> int:
        """Number of items that can be drawn for the system that has fewer."""
        return min(len(self.a), len(self.b))

    @property
    def fewest(self) -> int:
        """Number of ratings of every answer."""
        return int(min((~np.isnan(side)).sum(axis=1).min() for side in (self.a, self.b)))

    @property
    def effect(self) -> float:
        """Mean rating of a minus that of b."""
        return float(np.nanmean(self.a, axis=1).mean() - np.nanmean(self.b, axis=1).mean())

    @property
    def differences(self) -> Floats:
        """Mean rating of a minus that of b, item by item, if the design is paired."""
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


CELLS: Final = 1 << 22
"""Random numbers held at once."""


def power_of_items(
    joined: Joined,
    a: str,
    b: str,
    sizes: Sequence[int] | None = None,
    *,
    raters: int | None = None,
    with_replacement: bool = False,
    resampling: Resampling = DEFAULT_RESAMPLING,
    target: float = 0.8,
) -> PowerCurve:
    """The power to find which of two systems people rate higher, against the number of items.

    Each trial draws items with replacement and, with ``raters``, as many of each answer's ratings, without replacement
    unless told otherwise. A two-sided t test decides: paired if the systems answered the same items, else Welch's,
    sizes then being items per system. Only differences in the direction of the data at hand count as found.
    Without ``raters``, dialogues are drawn and counted if items are turns of them.
    """
    draw = prepare(joined, a, b, raters, with_replacement)
    if raters is None and draw.design == "paired":
        return _of_units(draw, (a, b), resampling.clusters(joined.items), sizes, resampling, target)
    tried = sizes_to_try(sizes, draw.items, fewest=2)
    detected = np.zeros(len(tried), dtype=np.int64)
    rng = np.random.default_rng(resampling.seed)
    for block in blocks(tried[-1] * draw.width(raters), resampling.resamples, CELLS):
        values = draw(rng, block, tried[-1], (raters,))[0]
        detected += _significant(values, tried, draw.effect, resampling.alpha)
    held = "all ratings of each answer" if raters is None else f"{raters} ratings of each answer, {draw.how}"
    return _Plan(draw, (a, b), resampling, target, draw.items).curve("items", tried, detected, held)


def power_of_raters(
    joined: Joined,
    a: str,
    b: str,
    sizes: Sequence[int] | None = None,
    *,
    items: int | None = None,
    with_replacement: bool = False,
    resampling: Resampling = DEFAULT_RESAMPLING,
    target: float = 0.8,
) -> PowerCurve:
    """The power to find which of two systems people rate higher, against the number of ratings of each answer.

    As ``power_of_items``, with ``items`` items, by default as many as there are. Without sizes, one rating to as many
    as every answer has.
    """
    fewest = prepare(joined, a, b, None, with_replacement).fewest
    tried = sizes_to_try(sizes or range(1, fewest + 1), fewest, fewest=1)
    draw = prepare(joined, a, b, tried[-1], with_replacement)
    size = items or draw.items
    effect = _design_effect(draw, resampling.clusters(joined.items))
    size = max(2, round(size / effect))
    detected = np.zeros(len(tried), dtype=np.int64)
    rng = np.random.default_rng(resampling.seed)
    for block in blocks(size * draw.width(tried[-1]), resampling.resamples, CELLS):
        for index, values in enumerate(draw(rng, block, size, tried)):
            detected[index] += _significant(values, (size,), draw.effect, resampling.alpha)[0]
    held = f"{items or draw.items} items, ratings {draw.how}"
    if effect > 1:
        held += f"; turns of dialogues count as {size} independent items (design effect {effect:.2f})"
    return _Plan(draw, (a, b), resampling, target, fewest).curve("raters", tried, detected, held)


def _of_units(
    draw: DrawnRatings,
    systems: tuple[str, str],
    clusters: Integers | None,
    sizes: Sequence[int] | None,
    resampling: Resampling,
    target: float,
) -> PowerCurve:
    """The power of a paired t test over items, or over dialogues if items are turns of them."""
    labels = None if clusters is None else clusters[draw.places]
    units = draw.differences if labels is None else _of_clusters(draw.differences, labels)
    if len(units) < 2:
        raise Unsuitable("Found 1 dialogue that both systems answered, expected two to draw from.")
    tried = sizes_to_try(sizes, len(units), fewest=2)
    detected = power_of_units(units, tried, draw.effect, resampling)
    plan = _Plan(draw, systems, resampling, target, len(units))
    over: Over = "items" if labels is None else "dialogues"
    needed = needed_units(draw.differences, resampling, target, clusters=labels)
    return replace(plan.curve(over, tried, detected, "all ratings of each answer"), needed=needed)


def power_of_units(units: Floats, sizes: Sequence[int], effect: float, resampling: Resampling) -> Integers:
    """On how many trials as many units, drawn from these, show a mean in the direction of the effect."""
    detected = np.zeros(len(sizes), dtype=np.int64)
    rng = np.random.default_rng(resampling.seed)
    for block in blocks(sizes[-1], resampling.resamples, CELLS):
        drawn = units[rng.integers(len(units), size=(block, sizes[-1]))]
        detected += _significant((drawn, None), sizes, effect, resampling.alpha)
    return detected


def needed_units(
    differences: Floats, resampling: Resampling, target: float, *, clusters: Integers | None = None
) -> PilotPlan:
    """Number of units needed, over resamples of the data."""
    return plan_from_pilot(
        differences,
        power=target,
        alpha=resampling.alpha,
        resamples=resampling.resamples,
        seed=resampling.seed,
        clusters=clusters,
    )


def _of_clusters(differences: Floats, clusters: Integers) -> Floats:
    """Pseudo-value of each cluster, their mean being that of all items."""
    rows = np.column_stack([differences, np.ones(len(differences))])
    score, without = leave_out(rows, lambda totals: totals[..., 0] / totals[..., 1], clusters)
    return np.asarray(len(without) * score - (len(without) - 1) * without)


def _design_effect(draw: DrawnRatings, clusters: Integers | None) -> float:
    """Effect of dialogues on the variance of the difference, 1 if they do nothing or it is unknown."""
    if clusters is None or draw.design != "paired":
        return 1.0
    rows = np.column_stack([draw.differences, np.ones(len(draw.differences))])
    effect = design_effect(rows, lambda totals: totals[..., 0] / totals[..., 1], clusters[draw.places])
    return max(1.0, effect.value) if effect.value > 0 else 1.0


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
    significant = (p < alpha) & (np.sign(difference) == np.sign(effect))
    return np.asarray(significant.sum(axis=0), dtype=np.int64)


def _running(values: Floats, sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Mean of the first n values of each row and its squared standard error, shape (rows, sizes)."""
    last, counts = np.array(sizes) - 1, np.array(sizes, dtype=np.float64)
    shifted = values - values[:, :1]
    mean = np.cumsum(shifted, axis=1)[:, last] / counts
    squares = np.cumsum(shifted**2, axis=1)[:, last]
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
    """Subject of a curve, and settings of its draws."""

    draw: DrawnRatings
    systems: tuple[str, str]
    resampling: Resampling
    target: float
    at_hand: int

    def curve(self, over: Over, sizes: Sequence[int], detected: Integers, held: str) -> PowerCurve:
        """The share of trials on which the difference was found, for each size; ``held`` is what does not vary."""
        high, low = self.systems if self.draw.effect > 0 else self.systems[::-1]
        paired = self.draw.design == "paired"
        test = "paired t test" if paired else "Welch's t test, as many items of each system"
        return PowerCurve(
            question=f"to find that {high} is rated above {low}",
            over=over,
            points=tuple(
                power_point(size, count, self.resampling.resamples)
                for size, count in zip(sizes, detected.tolist(), strict=True)
            ),
            effect=self.draw.effect,
            design=f"{test}; {held}",
            target=self.target,
            alpha=self.resampling.alpha,
            trials=self.resampling.resamples,
            seed=self.resampling.seed,
            notes=self.draw.notes,
            at_hand=self.at_hand,
        )
