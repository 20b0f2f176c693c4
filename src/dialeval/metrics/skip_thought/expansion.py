"""Vocabulary expansion (Kiros et al., 2015, section 2.2): words the model never met, by way of other word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.model import Vectors
from dialeval.errors import Unsuitable
from dialeval.metrics.embedding.vectors import WordVectors


def fit_linear_map(source: Floats, target: Floats) -> Floats:
    """The matrix that takes the rows of ``source`` nearest to those of ``target``, by least squares without penalty."""
    return np.asarray(np.linalg.lstsq(source, target, rcond=None)[0], np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """Word vectors carried over into the space of a model's own."""

    vectors: WordVectors
    matrix: Floats

    def __call__(self, words: Sequence[str]) -> tuple[Vectors, list[bool]]:
        """A vector for each word, and which of the words are known."""
        vectors, known = self.vectors.of(words)
        return np.asarray(vectors @ self.matrix, np.float32), known.tolist()


def expand(vectors: WordVectors, words: Sequence[str], table: Vectors) -> Expansion:
    """The expansion learnt from the words that both have; ``table`` holds the model's vectors, row by row."""
    source, known = vectors.of(words)
    shared = int(known.sum())
    if shared < vectors.dimensions:
        raise Unsuitable(
            f"The model and the word vectors {vectors.name!r} share {shared} words; at least {vectors.dimensions} are "
            "needed to learn how one becomes the other. Give vectors of the language the model was trained on."
        )
    return Expansion(
        vectors, fit_linear_map(source[known].astype(np.float64), table[known].astype(np.float64))
    )
