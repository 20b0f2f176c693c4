"""An inverted index in memory: for each word, the documents that have it and how much it weighs there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


class Hit(NamedTuple):
    """A document that matches a query, by its number, and how well."""

    document: int
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Documents of each word, and counts of it in each: parallel arrays sorted by word, then document."""

    vocabulary: Mapping[str, int]
    starts: Integers
    """Beginning of each word's postings, and at the end the stop of the last one's; shape (words + 1,)."""
    documents: Integers
    counts: Integers
    lengths: Integers
    """Words in each document."""

    @classmethod
    def of(cls, documents_tokens: Iterable[Sequence[str]]) -> Postings:
        """The index of these documents, numbered from 0 in their order."""
        documents = list(documents_tokens)
        lengths = np.fromiter(map(len, documents), np.int64, len(documents))
        vocabulary: dict[str, int] = {}
        words = np.fromiter(
            (vocabulary.setdefault(token, len(vocabulary)) for token in chain.from_iterable(documents)),
            np.int64,
            int(lengths.sum()),
        )
        # One number per word and document, so that a single sort brings equal pairs together.
        size = max(len(documents), 1)
        pairs, counts = np.unique(
            words * size + np.repeat(np.arange(len(documents)), lengths), return_counts=True
        )
        starts = np.searchsorted(pairs // size, np.arange(len(vocabulary) + 1))
        return cls(vocabulary, starts, pairs % size, counts.astype(np.int64), lengths)

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.lengths)

    @property
    def frequencies(self) -> Integers:
        """Number of documents that have each word."""
        return np.diff(self.starts)

    def spread(self, per_word: Floats) -> Floats:
        """A value of each word, repeated for each of its postings."""
        return np.repeat(per_word, self.frequencies)

    def query(self, tokens: Iterable[str]) -> dict[int, int]:
        """Count how often each word of the index is asked for; words the index has not are left out."""
        known = (self.vocabulary[token] for token in tokens if token in self.vocabulary)
        # By word number, so that a query's words in another order give the very same floating-point sums.
        return dict(sorted(Counter(known).items()))

    def top(self, weights: Floats, query: Mapping[int, float], k: int) -> list[Hit]:
        """The ``k`` documents with the largest sums of weight times query weight, ties by document number.

        ``weights`` has one value per posting. Documents that share no word with the query are not hits.
        """
        scores = np.zeros(self.size)
        for word, asked in query.items():
            span = slice(self.starts[word], self.starts[word + 1])
            scores[self.documents[span]] += asked * weights[span]
        matching = np.flatnonzero(scores)
        if 0 < k < len(matching):
            worst_kept = np.partition(scores[matching], -k)[-k]
            matching = matching[scores[matching] >= worst_kept]
        best = matching[np.argsort(-scores[matching], kind="stable")][: max(k, 0)]
        return [Hit(int(document), float(scores[document])) for document in best]


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
