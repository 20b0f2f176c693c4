"""Closest length of each text among the other texts, and what is left of it without a group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dialeval.core import Integers


class ClosestLengths(NamedTuple):
    """For each text, of two equally close lengths the shorter."""

    closest: Integers
    group: Integers
    """The one group, not its own, that holds every other text of the closest length; -1 where none does."""
    without: Integers
    """The closest length without that group; the same where there is no such group."""


def closest_lengths(lengths: Integers, groups: Integers) -> ClosestLengths:
    """The closest length to each text's own among the other texts, of which there must be one."""
    known, counts = np.unique(lengths, return_counts=True)
    index = np.searchsorted(known, lengths)
    closest, group = lengths.copy(), np.full(len(lengths), -1, np.int64)
    without = lengths.copy()
    holders, holding = _holders(known, index, groups)
    held: dict[int, list[int]] = {}
    for length, holder in holders:
        held.setdefault(length, []).append(holder)
    # With three groups of one's own length, neither leaving oneself out nor leaving a group out moves anything.
    several = holding[index] > 2
    for text in np.flatnonzero(~several).tolist():
        own_length, mine = int(lengths[text]), int(groups[text])
        outwards = _outwards(known, int(index[text]))
        nearest = next(length for length in outwards if length != own_length or counts[index[text]] > 1)
        closest[text] = without[text] = nearest
        rivals = [g for g in held[nearest] if g != mine]
        mine_too = holders[nearest, mine] - (nearest == own_length) > 0
        if len(rivals) != 1 or mine_too:
            continue
        group[text] = rivals[0]
        left = (
            x
            for x in _outwards(known, int(index[text]))
            if _others(holders, held[x], x, own_length, mine, rivals[0])
        )
        without[text] = next(left, 0)
    return ClosestLengths(closest, group, without)


def _holders(known: Integers, index: Integers, groups: Integers) -> tuple[Counter[tuple[int, int]], Integers]:
    """How many texts of a length a group has, and how many groups have a length.

    Four groups of each length are enough: without oneself and without another group, two are left.
    """
    size = int(groups.max()) + 1
    pairs, counts = np.unique(index * size + groups, return_counts=True)
    length, group = np.divmod(pairs, size)
    few = np.arange(len(pairs)) - np.searchsorted(length, length) < 4
    texts = zip(known[length[few]].tolist(), group[few].tolist(), counts[few].tolist(), strict=True)
    return Counter({(of, holder): count for of, holder, count in texts}), np.bincount(length)


def _others(
    holders: Counter[tuple[int, int]], held: list[int], length: int, own_length: int, mine: int, gone: int
) -> bool:
    """Whether a text of that length is left, other than oneself, when a group is gone."""
    return any(g != gone and holders[length, g] > (length == own_length and g == mine) for g in held)


def _outwards(known: Integers, start: int) -> Iterator[int]:
    """The known lengths from ``known[start]`` on, closest first, the shorter of two equally close."""
    below, above, middle = start - 1, start + 1, int(known[start])
    yield middle
    while below >= 0 or above < len(known):
        if above >= len(known) or (below >= 0 and middle - known[below] <= known[above] - middle):
            yield int(known[below])
            below -= 1
        else:
            yield int(known[above])
            above += 1
