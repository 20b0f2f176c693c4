"""Matching and weighing of tokens in BERTScore (Zhang et al., 2020, section 3), on vectors of any origin."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log
from typing import NamedTuple

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.model import Vectors


class Tokens(NamedTuple):
    """A text as matching sees it."""

    units: Vectors
    """One vector of length 1 per token, special ones included, shape (tokens, size)."""
    weights: Floats
    """How much each token counts; 0 for special ones, which can be matched but ask for no match."""


class Match(NamedTuple):
    """How well a response and a reference cover each other."""

    precision: float
    recall: float
    f1: float


NO_MATCH = Match(0.0, 0.0, 0.0)


def match(response: Tokens, reference: Tokens) -> Match:
    """Each token's best cosine with the other text's tokens, averaged by weight.

    All three are 0 where either text has no token of any weight, as an empty one.
    """
    if not response.weights.any() or not reference.weights.any():
        return NO_MATCH
    cosines = response.units @ reference.units.T
    precision = float(np.average(cosines.max(axis=1), weights=response.weights))
    recall = float(np.average(cosines.max(axis=0), weights=reference.weights))
    both = precision + recall
    return Match(precision, recall, 2 * precision * recall / both if both else 0.0)


def best(matches: list[Match]) -> Match:
    """The best precision, recall and F1, each taken by itself, as the bert-score package does."""
    return Match(*map(max, zip(*matches, strict=True)))


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
