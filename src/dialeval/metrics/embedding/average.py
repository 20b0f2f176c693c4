"""Embedding average (Sharma et al., 2017, section 3; after Wieting et al., 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialeval.core import Floats
from dialeval.metrics.embedding.encoding import Encoded, Integers
from dialeval.metrics.embedding.metric import EmbeddingMetric


@dataclass(frozen=True, slots=True)
class EmbeddingAverage(EmbeddingMetric):
    """Cosine of the mean word vectors of a response and its closest reference, in [-1, 1].

    Higher is better. The corpus score is the mean. With ``profile="nlgeval"`` unknown words get the mean vector of
    the table; by default they are skipped and counted, and a response or references without any known word are
    not scored. An empty response scores 0, and so do vectors that sum to 0.
    """

    name: ClassVar[str] = "embedding_average"

    def _similarities(self, encoded: Encoded, owners: Integers) -> Floats:
        from dialeval.metrics.embedding._kernels import best_averages

        best = np.full(len(owners) - 1, np.nan)
        response, reference = np.empty((2, encoded.matrix.shape[1]))
        best_averages(encoded.matrix, encoded.words, encoded.starts, owners, response, reference, best)
        return best
