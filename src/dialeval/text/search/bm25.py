"""Okapi BM25 in the form Lucene computes it (Robertson and Zaragoza, 2009, section 3.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dialeval.text.search.postings import Hit, Postings


class Bm25:
    """An exact index that ranks documents by BM25.

    A word's weight is ln(1 + (N - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * (1 - b + b * length / mean)). As in
    Lucene since version 8, the constant factor k1 + 1 is left out, which moves no rank. A word asked for twice
    counts twice.
    """

    __slots__ = ("_postings", "_weights")

    def __init__(
        self, documents_tokens: Iterable[Sequence[str]], *, k1: float = 1.2, b: float = 0.75
    ) -> None:
        self._postings = postings = Postings.of(documents_tokens)
        frequencies = postings.frequencies
        idf = np.log1p((postings.size - frequencies + 0.5) / (frequencies + 0.5))
        mean = postings.lengths.mean() if postings.size else 1.0
        # All documents may be empty; then no posting reads this array.
        saturation = k1 * (1 - b + b * postings.lengths / (mean or 1.0))
        self._weights = (
            postings.spread(idf) * postings.counts / (postings.counts + saturation[postings.documents])
        )

    def __len__(self) -> int:
        return self._postings.size

    def top(self, query_tokens: Iterable[str], k: int) -> list[Hit]:
        """At most ``k`` documents that share a word with the query, best first, ties by document number."""
        query = self._postings.query(query_tokens)
        return self._postings.top(self._weights, dict(query), k)
