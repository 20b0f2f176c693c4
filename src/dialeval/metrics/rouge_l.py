"""ROUGE-L (Lin, 2004) as nlg-eval computes it (Sharma et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.means import mean_of_rows, rows_of_values
from dialeval.metrics.references import lacks_references, require_references
from dialeval.text.lcs import lcs_length
from dialeval.text.words import split_blanks


@dataclass(frozen=True, slots=True)
class RougeL:
    """Longest word sequence a response shares with a reference, as an F-measure in [0, 1].

    Recall weighs ``beta`` squared times as much as precision. Precision and recall are each the best over the
    references, not of one and the same reference. The corpus score is the mean. Words are parted by single
    blanks, so an empty text counts as one empty word: it scores 1 against an empty reference, else 0.
    """

    higher_is_better: ClassVar[bool] = True
    beta: float = 1.2

    def __post_init__(self) -> None:
        if not 0 < self.beta <= 1000:
            needed = "a number above 0 and at most 1000"
            raise DialevalError(f"The parameter 'beta' of rouge_l: found {self.beta!r}, needed {needed}.")

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        facts = (("profile", "nlgeval"), ("tokens", "blanks"), ("case", "mixed"))
        return Signature("rouge_l", (("beta", self.beta),), facts)

    def unscorable(self, example: Example) -> str | None:
        """``no references``, or None."""
        return lacks_references(example)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the example's score and 1."""
        require_references("rouge_l", examples)
        return rows_of_values([self._score(example) for example in examples])

    def aggregate(self, totals: Floats) -> Floats:
        """The mean score; NaN of no example."""
        return mean_of_rows(totals)

    def _score(self, example: Example) -> float:
        words = split_blanks(example.response.text)
        precision = recall = 0.0
        for reference in map(split_blanks, example.references):
            shared = lcs_length(words, reference)
            precision = max(precision, shared / len(words))
            recall = max(recall, shared / len(reference))
        weight = self.beta**2
        return (1 + weight) * precision * recall / (recall + weight * precision) if precision else 0.0
