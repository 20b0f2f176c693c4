"""Networks of the trained rivals without torch: on a response and its context, and on a graph of turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from dialeval.core import Floats, Integers
from dialeval.encoder.files import Vectors

Head = Mapping[str, Vectors]


def pair_features(responses: Floats, earlier: Floats) -> Floats:
    """Features that a response and its context have in common, dimension by dimension, and their cosines.

    Responses are unit vectors (n, d), the turns before each (n, k, d) with the latest first, filled up with 0. The
    products with the last turn and with the mean of all, the distance to the last turn, and the two cosines make
    (n, 3 d + 2); all but the cosines are scaled by d, or by its root, so that they vary by about 1.
    """
    last, mean = earlier[:, 0], _units(earlier.sum(axis=1))
    size = responses.shape[1]
    with_last, with_mean = responses * last, responses * mean
    cosines = np.stack([with_last.sum(axis=1), with_mean.sum(axis=1)], axis=1)
    apart = np.abs(responses - last) * size**0.5
    features: Floats = np.concatenate([with_last * size, with_mean * size, apart, cosines], axis=1)
    return features


def _units(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return units


def pair_states(head: Head, features: Floats) -> Floats:
    """The hidden layer, shape (n, size), each value in (-1, 1)."""
    states: Floats = np.tanh(features @ _wide(head, "hidden.weight").T + _wide(head, "hidden.bias"))
    return states


def pair_scores(head: Head, features: Floats) -> Floats:
    """The sigmoid of the output, shape (n,)."""
    logits = pair_states(head, features) @ _wide(head, "out.weight")[0] + _wide(head, "out.bias")[0]
    scores: Floats = 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
    return scores


def minus_distances(head: Head, features: Floats) -> Floats:
    """Minus the Mahalanobis distance of the hidden layer to that of true responses in training, shape (n,)."""
    apart = pair_states(head, features) - _wide(head, "centre")
    distances: Floats = np.linalg.norm(apart @ _wide(head, "whitening").T, axis=1)
    return -distances


def whitening(states: Floats, *, ridge: float = 1e-2) -> tuple[Floats, Floats]:
    """The mean of states (n, size), and W such that |W (x - mean)| is the Mahalanobis distance of x to them.

    ``ridge`` times the mean variance is added to each variance, so that directions in which the states hardly vary do
    not decide everything.
    """
    centre: Floats = states.mean(axis=0)
    covariance = np.cov(states, rowvar=False, ddof=0)
    floor = ridge * float(np.trace(covariance)) / len(covariance)
    lower = np.linalg.cholesky(covariance + max(floor, 1e-12) * np.eye(len(covariance)))
    return centre, np.linalg.inv(lower)


def _wide(head: Head, name: str) -> Floats:
    return head[name].astype(np.float64)


REACH: Final = 4
"""Turns to either side with which a turn is connected."""
RELATIONS: Final = ("earlier_other", "earlier_same", "later_other", "later_same")
"""Kinds of edges: where the neighbour stands, and whether its speaker is another or the same."""


def edges(speakers: Sequence[str]) -> Integers:
    """The distance of each turn's neighbours by relation, 0 if there is no edge, shape (relations, n, n)."""
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
