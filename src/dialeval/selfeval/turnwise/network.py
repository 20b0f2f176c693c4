"""The network without torch: how well each turn follows those before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.files import Vectors

REACH: Final = 4
"""How many turns before a turn are looked at."""
SCALARS: Final = 5
"""Cosines with the turn before, with the mean of those before, with one's own, the highest, and whether one spoke."""
LAST, MEAN, LEARNT = 10.0, 5.0, 3.0
"""What the cosines with the turn before and with the mean count, and how much the network may add or take away.

Plain cosines agree with people about as well as anything learnt from so few dialogues; the network only corrects them.
"""
REPEAT: Final = 0.97
"""A turn whose cosine with an earlier one is higher says the same again: that is not an answer."""

Head = Mapping[str, Vectors]


class Before(NamedTuple):
    """The turns before a turn, as vectors."""

    last: Floats
    """The turn that it answers, shape (d,)."""
    mean: Floats
    """Of the last turns, at length 1."""
    own: Floats
    """Of the same speaker's turns among them, at length 1; 0 where there is none."""
    turns: Floats
    """The last turns themselves, latest first, filled up with 0, shape (REACH, d)."""


def before(units: Floats, place: int) -> Before:
    """What stands before the turn at ``place``, of a dialogue whose turns are unit vectors; ``place`` is 1 or more."""
    turns = units[max(place - REACH, 0) : place][::-1]
    filled = np.zeros((REACH, units.shape[1]))
    filled[: len(turns)] = turns
    return Before(units[place - 1], _unit(turns.mean(axis=0)), _unit(turns[1::2].sum(axis=0)), filled)


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def relevance_logits(head: Head, turns: Floats, contexts: Sequence[Before]) -> Floats:
    """How well each turn, a unit vector, follows what stands before it, shape (n,)."""
    last, mean, own = (
        np.stack([getattr(each, name) for each in contexts]) for name in ("last", "mean", "own")
    )
    highest = np.einsum("nd,nkd->nk", turns, np.stack([each.turns for each in contexts])).max(axis=1)
    said = turns @ _wide(head, "said").T
    sides = ((last, "last"), (mean, "mean"), (own, "own"))
    products = [said * (side @ _wide(head, name).T) for side, name in sides]
    cosines = [(turns * side).sum(1) for side, _ in sides]
    scalars = np.stack([*cosines, highest, (own != 0).any(axis=1).astype(np.float64)], axis=1)
    features = np.concatenate([*products, scalars], axis=1)
    hidden = np.tanh(features @ _wide(head, "hidden.weight").T + _wide(head, "hidden.bias"))
    learnt = hidden @ _wide(head, "out.weight")[0] + _wide(head, "out.bias")[0]
    logits: Floats = LAST * cosines[0] + MEAN * cosines[1] + LEARNT * np.tanh(learnt)
    return np.where(highest > REPEAT, logits - LAST - MEAN, logits)


def _wide(head: Head, name: str) -> Floats:
    tensor = head[name if "." in name else f"{name}.weight"]
    return tensor.astype(np.float64)
