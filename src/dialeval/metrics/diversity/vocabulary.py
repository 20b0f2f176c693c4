"""Vocabulary size: how many different words a system's responses have, taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dialeval.core import Integers, LeaveOneOut, Signature
from dialeval.data.types import Example
from dialeval.metrics.diversity.varieties import count_varieties
from dialeval.text.tokenisers.table import Tokens, token_facts


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
