"""The three metrics spelled out in float64, text by text, with nothing in common with ours but the definition."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

Vector = np.ndarray
Words = Sequence[Vector]


def cosine(left: Vector, right: Vector) -> float:
    size = math.sqrt(left @ left) * math.sqrt(right @ right)
    return float(left @ right) / size if size else 0.0


def average(response: Words, reference: Words) -> float:
    return cosine(np.sum(response, axis=0), np.sum(reference, axis=0))


def extrema(response: Words, reference: Words) -> float:
    return cosine(_extreme(response), _extreme(reference))


def greedy(response: Words, reference: Words) -> float:
    cosines = [[cosine(one, other) for other in reference] for one in response]
    rows = [max(row) for row in cosines]
    columns = [max(column) for column in zip(*cosines, strict=True)]
    return (math.fsum(rows) / len(rows) + math.fsum(columns) / len(columns)) / 2


ORACLES: dict[str, Callable[[Words, Words], float]] = {
    "embedding_average": average,
    "vector_extrema": extrema,
    "greedy_matching": greedy,
}


def _extreme(words: Words) -> Vector:
    highest, lowest = np.max(words, axis=0), np.min(words, axis=0)
    return np.where(highest > np.abs(lowest), highest, lowest)
