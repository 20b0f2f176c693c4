"""The relational network on the turns of a dialogue, without torch (after Zhang et al., 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.encoder.files import Vectors

REACH: Final = 4
"""Turns to either side with which a turn is connected."""
RELATIONS: Final = ("earlier_other", "earlier_same", "later_other", "later_same")
"""Kinds of edges: where the neighbour stands, and whether its speaker is another or the same."""


def edges(speakers: Sequence[str]) -> Integers:
    """The distance of each turn's neighbours by relation, 0 where there is no edge, shape (relations, n, n)."""
    names = np.array(list(speakers))
    places = np.arange(len(speakers))
    gaps = places[:, None] - places[None, :]
    near = (gaps != 0) & (np.abs(gaps) <= REACH)
    same = names[:, None] == names[None, :]
    kinds = [near & (gaps > 0) & ~same, near & (gaps > 0) & same, near & (gaps < 0) & ~same]
    kinds.append(near & (gaps < 0) & same)
    return np.stack([np.where(kind, np.abs(gaps), 0) for kind in kinds]).astype(np.int64)


def graph_score(head: Mapping[str, Vectors], units: Floats, distances: Integers) -> float:
    """The sigmoid of the output for one dialogue: unit vectors of its turns (n, d), and their edges."""
    wide = {name: tensor.astype(np.float64) for name, tensor in head.items()}
    scaled = units * units.shape[1] ** 0.5
    asked = scaled @ wide["asked.weight"].T
    parts = [asked]
    for row, name in enumerate(RELATIONS):
        weights = np.where(distances[row] > 0, np.exp(wide["near"][row][distances[row] - 1]), 0.0)
        totals = weights.sum(axis=1, keepdims=True)
        shares = np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)
        parts.append(asked * (shares @ (scaled @ wide[f"{name}.weight"].T)))
    states = np.tanh(np.concatenate(parts, axis=1) @ wide["hidden.weight"].T + wide["hidden.bias"])
    logit = float(states.mean(axis=0) @ wide["out.weight"][0] + wide["out.bias"][0])
    return float(1 / (1 + np.exp(-np.clip(logit, -60, 60))))
