"""Numbers of items and raters that show that people rate one system above another.

The data at hand stand for all there is: items are drawn from them with replacement, ratings of each answer without or
with, and the share of draws on which the difference is significant is the power of a study of that size. It is the
power to find a difference as large as the one seen. That is itself uncertain, so the data are resampled, too, and the
range of sizes that resamples call for is told (Browne, 1995). Where items are turns of dialogues, dialogues are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Floats, Integers, Resampling
from dialeval.errors import Unsuitable
from dialeval.meta.document import Over, PowerCurve
from dialeval.meta.planning.curves import power_point, sizes_to_try
from dialeval.meta.planning.rating_draws import DrawnRatings, prepare
from dialeval.ratings.joined import Joined
from dialeval.stats.resampling.bootstrap import blocks
from dialeval.stats.resampling.clusters import design_effect
from dialeval.stats.resampling.jackknife import leave_out
from dialeval.stats.tests.paired import ROUNDING
from dialeval.stats.tests.power import PilotPlan, plan_from_pilot

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
    unless told otherwise. A two-sided t test decides: paired where the systems answered the same items, else Welch's,
    sizes then being items per system. Only differences in the direction of the data at hand count as found.
    Without ``raters``, dialogues are drawn and counted where items are turns of them.
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
    """The power of a paired t test over items, or over dialogues where items are turns of them."""
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
    """How many units the data call for when they are resampled themselves."""
    return plan_from_pilot(
        differences,
        power=target,
        alpha=resampling.alpha,
        resamples=resampling.resamples,
        seed=resampling.seed,
        clusters=clusters,
    )


def _of_clusters(differences: Floats, clusters: Integers) -> Floats:
    """What each cluster stands for, their mean being that of all items: pseudo-values of the mean."""
    rows = np.column_stack([differences, np.ones(len(differences))])
    score, without = leave_out(rows, lambda totals: totals[..., 0] / totals[..., 1], clusters)
    return np.asarray(len(without) * score - (len(without) - 1) * without)


def _design_effect(draw: DrawnRatings, clusters: Integers | None) -> float:
    """What dialogues do to the variance of the difference, 1 where they do nothing or it is unknown."""
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
    """What a curve is about, and how it was drawn."""

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
