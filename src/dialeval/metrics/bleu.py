"""BLEU (Papineni et al., 2002) as nlg-eval computes it (Sharma et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.references import lacks_references, require_references
from dialeval.text.ngrams import clipped_matches, count_ngrams, most_generous
from dialeval.text.words import split_white_space

# nlg-eval adds these to every numerator and denominator in place of any other smoothing.
_TINY: Final = 1e-15
_SMALL: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Bleu:
    """Overlap of a response's word n-grams with its references, in [0, 1].

    The geometric mean of the clipped precisions of 1- to ``order``-grams, times a brevity penalty. Counts are clipped
    by the most generous reference; the penalty takes the reference closest in length, the shorter one of two. The
    corpus score pools counts and lengths, so it is not the mean of the examples' scores. A length of n-grams without
    a match does not make the score 0 but tiny (about 1e-4 for one of four), and a response shorter than ``order``
    words scores little (0.03 at most for three words of order 4). An empty response scores 0.
    """

    higher_is_better: ClassVar[bool] = True
    order: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.order <= 4:
            raise DialevalError(f"The parameter 'order' of bleu: found {self.order!r}, needed 1, 2, 3 or 4.")

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        facts = (("profile", "nlgeval"), ("tokens", "whitespace"), ("case", "mixed"))
        return Signature("bleu", (("order", self.order),), facts)

    def unscorable(self, example: Example) -> str | None:
        """``no references``, or None."""
        return lacks_references(example)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of clipped matches by n, n-grams by n, closest reference length, and 1 for the example."""
        require_references("bleu", examples)
        return np.array([self._row(example) for example in examples], np.float64).reshape(
            -1, 2 * self.order + 2
        )

    def aggregate(self, totals: Floats) -> Floats:
        """BLEU of summed rows; NaN of no example."""
        matches, ngrams = totals[..., : self.order], totals[..., self.order : 2 * self.order]
        reference_length, examples = totals[..., -2], totals[..., -1]
        precisions = (matches + _TINY) / (ngrams + _SMALL)
        ratio = (ngrams[..., 0] + _TINY) / (reference_length + _SMALL)
        penalty = np.exp(np.minimum(1 - 1 / ratio, 0))
        score = precisions.prod(axis=-1) ** (1 / self.order) * penalty
        return np.where(examples > 0, score, np.nan)

    def _row(self, example: Example) -> list[int]:
        words = split_white_space(example.response.text)
        references = [split_white_space(text) for text in example.references]
        limits = most_generous([count_ngrams(reference, self.order) for reference in references])
        matches = clipped_matches(count_ngrams(words, self.order), limits, self.order)
        ngrams = [max(len(words) - n, 0) for n in range(self.order)]
        _, closest = min((abs(len(reference) - len(words)), len(reference)) for reference in references)
        return [*matches, *ngrams, closest, 1]
