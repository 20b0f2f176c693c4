"""Distinct-n (Li et al., 2016): how varied a system's responses are, taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialeval.core import Integers, LeaveOneOut, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.diversity.varieties import count_varieties
from dialeval.text.tokenisers.table import Tokens, token_facts


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
            needed = "a whole number from 1 to 10"
            raise DialevalError(f"The parameter 'n' of distinct: found {self.n!r}, needed {needed}.")

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
