"""Smooth inverse frequency: sentence vectors as weighted means of word vectors (Arora et al., 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dialeval.resources import require_library
from dialeval.selection.repository.words import NEGATIONS

Vectors: TypeAlias = NDArray[np.float32]

_ROWS_AT_ONCE: Final = 8_192

A: Final = 1e-3
"""The constant a of Arora et al. (2017), section 4: between 1e-4 and 1e-3 in their experiments."""


def weight(word: str) -> float:
    """How much a word counts: a / (a + p(w)), with its share p of all running English text; 1 of an unknown word.

    Arora et al. (2017), equation 4; p from wordfreq.
    """
    return A / (A + _shares().get(NEGATIONS.get(word, word), 0.0))


def first_component(vectors: Vectors) -> Vectors:
    """The direction that sentence vectors have most in common, at length 1: their first right singular vector.

    Arora et al. (2017), algorithm 1, line 4: the vectors are not centred. Its sign is such that its sum is not
    negative. All zeros where all vectors are.
    """
    products = np.zeros((vectors.shape[1], vectors.shape[1]))
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        wide = vectors[start : start + _ROWS_AT_ONCE].astype(np.float64)
        products += wide.T @ wide
    _, directions = np.linalg.eigh(products)
    direction = directions[:, -1] if products.any() else np.zeros(len(products))
    return np.asarray(direction * (-1 if direction.sum() < 0 else 1), np.float32)


def units_without(vectors: Vectors, component: Vectors) -> Vectors:
    """The vectors less their projection on the component, at length 1, so that their dot products are cosines.

    Arora et al. (2017), algorithm 1, line 6. What is nothing but the component, or nothing at all, stays zero.
    """
    wide = vectors.astype(np.float32)
    rest = wide - np.outer(wide @ component, component)
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    # Rounding leaves a trace of a vector that is nothing but the component.
    solid = lengths > 1e-4 * np.linalg.norm(wide, axis=1, keepdims=True)
    units: Vectors = np.divide(rest, lengths, out=np.zeros_like(rest), where=solid)
    return units


@lru_cache(maxsize=1)
def _shares() -> Mapping[str, float]:
    require_library("wordfreq", "Weighing words")
    from wordfreq import get_frequency_dict

    return get_frequency_dict("en", wordlist="large")
