"""The small network on a response and its context, without torch."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.files import Vectors

Head = Mapping[str, Vectors]


def pair_features(responses: Floats, earlier: Floats) -> Floats:
    """What a response and its context have in common, dimension by dimension, and their cosines.

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
