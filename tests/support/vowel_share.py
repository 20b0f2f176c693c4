"""A metric for tests, in a module that worker processes can import by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data import Example


@dataclass(frozen=True, slots=True)
class VowelShare:
    """Vowels among letters, pooled over responses: a ratio whose corpus score is not the mean of its items'."""

    higher_is_better: bool = True

    @property
    def signature(self) -> Signature:
        return Signature("vowel_share")

    def unscorable(self, example: Example) -> str | None:
        return "silent" if example.response.text == "..." else None

    def statistics(self, examples: Sequence[Example]) -> Floats:
        texts = [e.response.text for e in examples]
        counts = [(sum(c in "aeiou" for c in text), sum(c.isalpha() for c in text)) for text in texts]
        return np.array(counts, dtype=np.float64).reshape(-1, 2)

    def aggregate(self, totals: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return totals[..., 0] / totals[..., 1]
