"""Metrics that compare the vectors of words, and the vectors they rest on.

``EmbeddingAverage``, ``VectorExtrema`` and ``GreedyMatching`` (Sharma et al., 2017, section 3) take their vectors by
name or path; ``Source(...).load()`` gives those vectors themselves.
"""

from dialeval.metrics.embedding.metric import EmbeddingAverage, GreedyMatching, VectorExtrema
from dialeval.metrics.embedding.sources import Source
from dialeval.metrics.embedding.vectors import WordVectors

__all__ = ["EmbeddingAverage", "GreedyMatching", "Source", "VectorExtrema", "WordVectors"]
