"""Variety of all of a system's responses together: distinct-n (Li et al., 2016) and the size of the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Final, NamedTuple

import numpy as np

from dialeval.core import Integers, LeaveOneOut, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.text.ngrams.symbols import Numbering, Symbols, number_ngrams, number_words
from dialeval.text.tokenisers import TOKENISERS, Tokens, token_facts

TEXTS_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True)
class Distinct:
    """Distinct n-grams over all n-grams of a system's responses, from 0 to 1.

    Higher is more varied. It falls as responses become more or longer, so compare systems on the same items, and look
    at `length` too. Undefined where no response has ``n`` words.
    """

    higher_is_better: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    n: int = 1
    tokens: Tokens = "whitespace"

    def __post_init__(self) -> None:
        if not 1 <= self.n <= 10:
            expected = "a whole number from 1 to 10"
            raise DialevalError(f"The parameter 'n' of distinct: found {self.n!r}, expected {expected}.")

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature(
            "distinct",
            (("n", self.n), ("tokens", self.tokens)),
            (*token_facts(self.tokens), ("case", "mixed")),
        )

    def unscorable(self, example: Example) -> None:
        """None: every response counts."""

    def measure(self, examples: Sequence[Example], groups: Integers) -> LeaveOneOut:
        """The share of distinct n-grams, and the share without each group."""
        counts = count_varieties(examples, groups, self.n, self.tokens)
        total = np.append(counts.total - counts.totals, counts.total).astype(np.float64)
        distinct = np.append(counts.distinct - counts.only, counts.distinct)
        shares = np.divide(distinct, total, out=np.full(len(total), np.nan), where=total > 0)
        return LeaveOneOut(float(shares[-1]), shares[:-1])


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Number of different words in all of a system's responses; neither direction is better.

    It grows with the number and the length of responses. `distinct(n=1)` is the same over the number of words, the
    type-token ratio. Responses without a word have a vocabulary of 0.
    """

    higher_is_better: ClassVar[None] = None
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)
    tokens: Tokens = "whitespace"

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        return Signature(
            "vocabulary", (("tokens", self.tokens),), (*token_facts(self.tokens), ("case", "mixed"))
        )

    def unscorable(self, example: Example) -> None:
        """None: every response counts."""

    def measure(self, examples: Sequence[Example], groups: Integers) -> LeaveOneOut:
        """The number of different words, and the number without each group."""
        counts = count_varieties(examples, groups, 1, self.tokens)
        return LeaveOneOut(float(counts.distinct), (counts.distinct - counts.only).astype(np.float64))


class Varieties(NamedTuple):
    """Counts of n-grams over all responses, and by group."""

    distinct: int
    total: int
    only: Integers
    """Of each group, the distinct n-grams that no other group has."""
    totals: Integers


def number_responses(examples: Sequence[Example], tokens: Tokens) -> Symbols:
    """The words of the responses by number."""
    # Few texts at a time, for their words as strings take many times the memory of their numbers.
    parts = (examples[at : at + TEXTS_AT_ONCE] for at in range(0, len(examples), TEXTS_AT_ONCE))
    words = (TOKENISERS[tokens]([e.response.text for e in part]) for part in parts)
    return number_words(chain.from_iterable(words), Numbering())


def count_varieties(examples: Sequence[Example], groups: Integers, n: int, tokens: Tokens) -> Varieties:
    """Distinct n-grams and all of them; ``groups`` has the group of each example, counted from 0."""
    *_, (numbers, begin) = number_ngrams(number_responses(examples, tokens), n)
    of_group = np.repeat(groups, np.diff(begin))
    distinct, size = int(numbers.max(initial=-1)) + 1, int(groups.max(initial=-1)) + 1
    lowest, highest = np.full(distinct, size, np.int64), np.full(distinct, -1, np.int64)
    np.minimum.at(lowest, numbers, of_group)
    np.maximum.at(highest, numbers, of_group)
    only = np.bincount(lowest[lowest == highest], minlength=size)
    return Varieties(distinct, len(numbers), only, np.bincount(of_group, minlength=size))
