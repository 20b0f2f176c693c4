"""Inverse document frequencies of tokens, as BERTScore weighs them (Zhang et al., 2020, section 3)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log


@dataclass(frozen=True, slots=True)
class Idf:
    """In how many documents each token is."""

    documents: int
    counts: Mapping[int, int] = field(hash=False)

    def weight(self, token: int) -> float:
        """log((documents + 1) / (documents with the token + 1)): 0 for a token that is in all."""
        return log((self.documents + 1) / (self.counts.get(token, 0) + 1))

    @property
    def digest(self) -> str:
        """The sha256 of all that the weights depend on."""
        lines = [f"{self.documents}", *(f"{token} {self.counts[token]}" for token in sorted(self.counts))]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def learn_idf(documents: Iterable[Iterable[int]]) -> Idf:
    """The frequencies of the tokens in these documents."""
    counts: Counter[int] = Counter()
    total = 0
    for tokens in documents:
        counts.update(set(tokens))
        total += 1
    return Idf(total, dict(counts))
