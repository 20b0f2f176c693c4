"""Greedy matching (Rus and Lintean, 2012; Sharma et al., 2017, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialeval.core import Floats
from dialeval.metrics.embedding.encoding import Encoded, Integers
from dialeval.metrics.embedding.metric import EmbeddingMetric


@dataclass(frozen=True, slots=True)
class GreedyMatching(EmbeddingMetric):
    """Mean cosine of each word with its closest word in the other text, in [-1, 1].

    Higher is better. The mean over the response's words and the mean over the reference's are averaged; the best
    reference counts and the corpus score is the mean. With ``profile="nlgeval"`` unknown words get the mean vector
    of the table; by default they are skipped and counted, and a response or references without any known word are
    not scored. An empty response scores 0.
    """

    name: ClassVar[str] = "greedy_matching"

    def _similarities(self, encoded: Encoded, owners: Integers) -> Floats:
        from dialeval.metrics.embedding._kernels import best_matches

        best = np.full(len(owners) - 1, np.nan)
        longest = int(np.diff(encoded.starts).max(initial=0)) + 3
        rows = np.zeros((longest, encoded.matrix.shape[1]), np.float32)
        row, four = np.empty(encoded.matrix.shape[1], np.float32), np.empty(4, np.float32)
        numbers = (encoded.words, encoded.starts, owners)
        best_matches(encoded.matrix.copy(), *numbers, rows, np.empty(longest), row, four, best)
        return best
