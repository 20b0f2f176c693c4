"""Vector extrema (Forgues et al., 2014; Sharma et al., 2017, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialeval.core import Floats
from dialeval.metrics.embedding.encoding import Encoded, Integers
from dialeval.metrics.embedding.metric import EmbeddingMetric


@dataclass(frozen=True, slots=True)
class VectorExtrema(EmbeddingMetric):
    """Cosine of the most extreme word values, dimension by dimension, of a response and a reference, in [-1, 1].

    Higher is better; the closest reference counts and the corpus score is the mean. In each dimension a text takes
    the value farthest from 0 among its words, and of two equally far the negative one. With ``profile="nlgeval"``
    unknown words get the mean vector of the table; by default they are skipped and counted, and a response or
    references without any known word are not scored. An empty response scores 0.
    """

    name: ClassVar[str] = "vector_extrema"

    def _similarities(self, encoded: Encoded, owners: Integers) -> Floats:
        from dialeval.metrics.embedding._kernels import best_extrema

        best = np.full(len(owners) - 1, np.nan)
        response, reference = np.empty((2, encoded.matrix.shape[1]), np.float32)
        best_extrema(encoded.matrix, encoded.words, encoded.starts, owners, response, reference, best)
        return best
