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
    """Which documents have which words, and how often: parallel arrays sorted by word, then document."""

    vocabulary: Mapping[str, int]
    starts: Integers
    """Where each word's postings begin, and at the end where the last one's stop; shape (words + 1,)."""
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
        """How many documents there are."""
        return len(self.lengths)

    @property
    def frequencies(self) -> Integers:
        """How many documents have each word."""
        return np.diff(self.starts)

    def spread(self, per_word: Floats) -> Floats:
        """A value of each word, repeated for each of its postings."""
        return np.repeat(per_word, self.frequencies)

    def query(self, tokens: Iterable[str]) -> dict[int, int]:
        """How often each word of the index is asked for; words the index has not are left out."""
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
