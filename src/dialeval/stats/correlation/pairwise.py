"""Pairwise accuracy: the share of pairs of systems that a measure orders as people do.

Values that differ by no more than rounding error tie. Tables are of shape (systems, items), and pairs are those of
two systems on one item that both tables have; a row of values is one item.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dialeval.stats.correlation.coefficients import complete
from dialeval.stats.estimate import Statistic
from dialeval.stats.resampling.bootstrap import CELLS, Floats, random_swaps
from dialeval.stats.tests.paired import ROUNDING, difference_of

_NO_PAIRS = "fewer than 2 systems with a value from both on the same item"


def pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> Statistic:
    """Share of pairs that the measure orders as people do, of those that people order (Kocmi et al., 2021).

    One value per system; NaN on either side leaves it out. A tie of the measure's is an error. ``n`` counts pairs.
    """
    people, measured = complete(human, metric)
    ordered = right = 0
    for of_people, of_measure in _differences(people[:, None], measured[:, None]):
        ordered += int(np.count_nonzero(of_people))
        right += int(np.count_nonzero(of_people * of_measure > 0))
    if len(people) < 2:
        return Statistic.undefined(_NO_PAIRS, 0)
    if not ordered:
        return Statistic.undefined("people put no two systems in order", 0)
    return Statistic(right / ordered, ordered)


def acc_eq(human: ArrayLike, metric: ArrayLike, epsilon: float = 0.0) -> Statistic:
    """Mean over items of the share of pairs that are in the same order, or tied, for both (acc_eq).

    The measure ties if its values differ by ``epsilon`` at most (Deutsch, Foster & Freitag, 2023, section 6).
    ``n`` counts pairs; items without any are left out.
    """
    if not epsilon >= 0:
        raise ValueError(f"values tie up to a difference of zero or more, not {epsilon}")
    people, measured = _tables(human, metric)
    right, pairs = np.zeros(people.shape[1]), np.zeros(people.shape[1])
    for of_people, of_measure in _differences(people, measured):
        order = np.where(np.abs(of_measure) <= epsilon, 0, np.sign(of_measure))
        right += np.count_nonzero(np.sign(of_people) == order, axis=0)
        pairs += np.count_nonzero(~np.isnan(of_people + of_measure), axis=0)
    if not pairs.any():
        return Statistic.undefined(_NO_PAIRS, 0)
    return Statistic(float((right[pairs > 0] / pairs[pairs > 0]).mean()), int(pairs.sum()))


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """The difference up to which a measure's values had best count as tied."""

    epsilon: float
    """NaN exactly if ``reason`` is not None."""
    accuracy: float
    """``acc_eq`` with it."""
    n: int
    """Number of pairs that it was found on."""
    reason: str | None = None


def calibrate_ties(human: ArrayLike, metric: ArrayLike) -> TieCalibration:
    """The smallest epsilon with the highest ``acc_eq``, of 0 and all differences there are (acc23).

    Deutsch, Foster & Freitag (2023), section 7. All pairs are held and sorted once: O(k log k) for k pairs. The
    accuracy is of the very pairs that chose epsilon; to judge a measure, choose on others.
    """
    people, measured = _tables(human, metric)
    rows = list(_differences(people, measured))
    of_people, of_measure = (np.concatenate([row[side] for row in rows] or [people[:0]]) for side in (0, 1))
    there = ~np.isnan(of_people + of_measure)
    pairs = there.sum(axis=0)
    if not pairs.any():
        return TieCalibration(math.nan, math.nan, 0, _NO_PAIRS)
    share = np.broadcast_to(1 / np.maximum(pairs, 1) / np.count_nonzero(pairs), there.shape)[there]
    order, size = np.sign(of_people[there]), np.abs(of_measure[there])
    strictly = share * (order == np.sign(of_measure[there]))
    tied = share * (order == 0)
    by_size = np.argsort(size, kind="stable")
    # At a pair's own difference it turns from ordered to tied, as do all smaller ones.
    accuracies = strictly.sum() + np.concatenate([[0], np.cumsum((tied - strictly)[by_size])])
    sizes = np.concatenate([[0], size[by_size]])
    last = np.append(sizes[1:] != sizes[:-1], True)
    epsilons, accuracies = sizes[last], accuracies[last]
    best = int(np.argmax(accuracies >= accuracies.max() - ROUNDING))
    return TieCalibration(float(epsilons[best]), float(accuracies[best]), int(pairs.sum()))


def soft_pairwise_accuracy(
    human: ArrayLike, metric: ArrayLike, *, resamples: int = 1000, seed: int = 0, cells: int = CELLS
) -> Statistic:
    """Agreement of people and the measure in how sure they are of the order of two systems (Thompson et al., 2024).

    The mean over pairs of systems of 1 - |p(human) - p(metric)|, where p is the share of permutations that
    favour the first system as much as the scores do: each swaps the two systems' scores of each item with
    probability one half, the same for both. Each side counts with all of its items; ``n`` counts pairs of systems that
    share an item on either side.
    """
    tables = _tables(human, metric)
    missing = [np.isnan(table) for table in tables]
    first, second = np.triu_indices(len(tables[0]), 1)
    shared = np.all([(~(lacks[first] | lacks[second])).any(axis=1) for lacks in missing], axis=0)
    first, second = first[shared], second[shared]
    if not len(first):
        return Statistic.undefined(_NO_PAIRS, 0)
    gaps = [
        np.where(lacks[first] | lacks[second], 0, table[first] - table[second]).T
        for table, lacks in zip(tables, missing, strict=True)
    ]
    favoured = _favoured(np.concatenate(gaps, axis=1), resamples=resamples, seed=seed, cells=cells)
    of_people, of_measure = np.split(favoured, 2)
    return Statistic(float(np.mean(1 - np.abs(of_people - of_measure))), len(first))


def _favoured(gaps: Floats, *, resamples: int, seed: int, cells: int) -> Floats:
    """Share of random signs under which each column of (items, pairs) adds up to no less than it does."""
    slack = ROUNDING * np.abs(gaps).sum(axis=0)
    least = gaps.sum(axis=0) - slack
    counts = np.zeros(gaps.shape[1])
    for bits in random_swaps(len(gaps), resamples=resamples, seed=seed, cells=cells):
        signs = 1 - 2 * bits.astype(np.float64)
        counts += np.count_nonzero(signs @ gaps >= least, axis=0)
    return counts / resamples


def _tables(human: ArrayLike, metric: ArrayLike) -> tuple[Floats, Floats]:
    people, measured = (np.asarray(table, dtype=np.float64) for table in (human, metric))
    if people.shape != measured.shape or people.ndim not in (1, 2):
        raise ValueError(
            f"tables must be of one shape (systems, items), not {people.shape} and {measured.shape}"
        )
    return people.reshape(len(people), -1), measured.reshape(len(measured), -1)


def _differences(people: Floats, measured: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Differences of each system and each one after it, item by item; NaN if there is no such pair."""
    for index in range(len(people) - 1):
        of_people = difference_of(people[index], people[index + 1 :])
        yield of_people, difference_of(measured[index], measured[index + 1 :])
