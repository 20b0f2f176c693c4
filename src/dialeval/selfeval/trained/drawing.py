"""Training examples of the rivals: true and false next turns, and dialogues with replaced or shuffled turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dialeval.core import Integers
from dialeval.selfeval.turnwise.training import Encoded, earlier_rows


class Drawn(NamedTuple):
    """Turns as rows of vectors, for each of some dialogues."""

    earlier: Integers
    """The turns before, latest first, shape (n, reach)."""
    candidates: Integers
    """The true next turn, then false ones, shape (n, 1 + strangers)."""


def next_turns(
    data: Encoded, places: Sequence[int], strangers: int, draw: np.random.Generator, *, tries: int = 0
) -> Drawn:
    """A turn of each of these dialogues, and turns of other dialogues of its corpus.

    With ``tries``, the first half of the strangers are those nearest to the turn before among so many more.
    """
    blank = len(data.units) - 1
    earlier, candidates = [], []
    for place in places:
        rows = data.rows[place]
        turn = int(draw.integers(1, len(rows)))
        group = data.groups[data.group_of[place]]
        others = _strangers(group, set(rows), strangers + tries, draw)
        if tries:
            likeness = data.units[others] @ data.units[rows[turn - 1]]
            near = np.argsort(-likeness.numpy(), kind="stable")[: strangers // 2].tolist()
            kept = [other for number, other in enumerate(others) if number not in set(near)]
            others = [*(others[number] for number in near), *kept][:strangers]
        earlier.append(earlier_rows(rows, turn, blank))
        candidates.append([rows[turn], *others])
    return Drawn(np.array(earlier), np.array(candidates))


def _strangers(group: Sequence[int], own: set[int], count: int, draw: np.random.Generator) -> list[int]:
    """Turns of the group that are not the dialogue's own, with repetition; any where it has no others."""
    drawn = [group[number] for number in draw.integers(0, len(group), 2 * count).tolist()]
    foreign = [row for row in drawn if row not in own]
    return (foreign + drawn)[:count]


def replaced_rows(data: Encoded, place: int, draw: np.random.Generator) -> list[int]:
    """The dialogue with some turns of one speaker, at least one, replaced by turns of others of its corpus."""
    rows = list(data.rows[place])
    spots = range(int(draw.integers(2)), len(rows), 2)
    chosen = draw.permutation(spots)[: int(draw.integers(1, len(spots) + 1))].tolist()
    others = _strangers(data.groups[data.group_of[place]], set(rows), len(chosen), draw)
    for spot, other in zip(chosen, others, strict=True):
        rows[spot] = other
    return rows


def shuffled_rows(data: Encoded, place: int, draw: np.random.Generator) -> list[int]:
    """The dialogue with the turns of one speaker in another order; as it is where they are all the same."""
    rows = list(data.rows[place])
    spots = list(range(int(draw.integers(2)), len(rows), 2))
    said = [rows[spot] for spot in spots]
    if len(set(said)) < 2:
        return rows
    order = said
    while order == said:
        order = [said[number] for number in draw.permutation(len(said)).tolist()]
    for spot, row in zip(spots, order, strict=True):
        rows[spot] = row
    return rows
