"""Cosine similarity of tf-idf vectors (Salton and Buckley, 1988), with scikit-learn's default weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dialeval.text.search.postings import Hit, Postings


class TfIdf:
    """An exact index that ranks documents by the cosine of their tf-idf vector with the query's, in (0, 1].

    A word's weight is tf * (1 + ln((1 + N) / (1 + df))). The query's vector leaves out words no document has.
    """

    __slots__ = ("_idf", "_postings", "_weights")

    def __init__(self, documents_tokens: Iterable[Sequence[str]]) -> None:
        self._postings = postings = Postings.of(documents_tokens)
        self._idf = 1 + np.log((1 + postings.size) / (1 + postings.frequencies))
        raw = postings.spread(self._idf) * postings.counts
        norms = np.sqrt(np.bincount(postings.documents, raw * raw, minlength=postings.size))
        self._weights = raw / norms[postings.documents]

    def __len__(self) -> int:
        return self._postings.size

    def top(self, query_tokens: Iterable[str], k: int) -> list[Hit]:
        """At most ``k`` documents that share a word with the query, best first, ties by document number."""
        query = self._postings.query(query_tokens)
        raw = {word: count * float(self._idf[word]) for word, count in query.items()}
        norm = sum(weight * weight for weight in raw.values()) ** 0.5
        return self._postings.top(self._weights, {word: weight / norm for word, weight in raw.items()}, k)
