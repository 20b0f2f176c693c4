"""BLEU (Papineni et al., 2002) as nlg-eval (Sharma et al., 2017), sacrebleu (Post, 2018) and NLTK compute it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.overlap import bleu_profiles
from dialeval.metrics.overlap.bleu_profiles import SMOOTHINGS, Counts, Profile, Smoothing
from dialeval.metrics.overlap.measuring import measure
from dialeval.metrics.rows import NeedsReferences, require_references
from dialeval.text.ngrams.overlap import CLOSEST, ITEM, LENGTH, ORDERS, Overlap
from dialeval.text.tokenisers import Tokens, token_facts

_COLUMNS: Final = {
    order: np.array([*range(order), *range(LENGTH, LENGTH + order), CLOSEST, ITEM])
    for order in range(1, ORDERS + 1)
}
"""Matches and n-grams of 1 to so many words, the closest length, and 1."""
_TOKENS: Final[Mapping[Profile, Tokens]] = {"nlgeval": "whitespace", "sacrebleu": "13a", "nltk": "whitespace"}


@dataclass(frozen=True, slots=True)
class Bleu(NeedsReferences):
    """Overlap of a response's word n-grams with its references, in [0, 1].

    The geometric mean of the clipped precisions of 1- to ``order``-grams, times a brevity penalty. Counts are clipped
    by the most generous reference; the penalty takes the reference closest in length, the shorter one of two. The
    corpus score pools counts and lengths, so it is not the mean of the examples' scores. Profiles differ in words and
    in what they do where no n-gram of a length matches; sacrebleu's own numbers are 100 times these. With
    ``nlgeval``, a length without a match does not make the score 0 but tiny (about 1e-4 for one of four), and a
    response shorter than ``order`` words scores little (0.03 at most for three words of order 4). NLTK's methods 5
    and 7 can pass 1, and method 6 is undefined (NaN) without a 3-gram match. An empty response scores 0 throughout.
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    order: int = 4
    profile: Profile = "nlgeval"
    tokens: Literal["whitespace", "13a", "none", "intl", "char", "zh", "ja-mecab", "treebank"] | None = None
    """None for the profile's own: ``13a`` of sacrebleu, ``whitespace`` of the others."""
    smoothing: Smoothing | None = None
    """None for the profile's own: ``exp`` of sacrebleu, ``method0`` (none at all) of NLTK."""
    lowercase: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.order <= 4:
            raise DialevalError(
                f"The parameter 'order' of bleu: found {self.order!r}, expected 1, 2, 3 or 4."
            )
        allowed = SMOOTHINGS[self.profile]
        if self.smoothing is not None and self.smoothing not in allowed:
            expected = (
                " or ".join(map(repr, allowed)) or "none, because nlg-eval has its own constants instead"
            )
            found = f"found {self.smoothing!r}, expected {expected}"
            raise DialevalError(f"The parameter 'smoothing' of bleu with profile {self.profile!r}: {found}.")
        if self.smoothing == "method6" and self.order < 3:
            raise DialevalError(f"Smoothing 'method6' of bleu needs order 3 or 4, found order {self.order}.")
        token_facts(self._tokens)  # a tokeniser that is not installed is refused here

    @property
    def signature(self) -> Signature:
        """All that could move the number; parameters at their defaults show as facts only, but for ``order``."""
        smoothing = self._smoothing
        facts = (
            ("profile", self.profile),
            ("tokens", self._tokens),
            *token_facts(self._tokens),
            *((("smoothing", smoothing),) if smoothing else ()),
            *((("effective_order", "of-one-example"),) if self.profile == "sacrebleu" else ()),
            ("case", "lower" if self.lowercase else "mixed"),
        )
        given = (
            *((("profile", self.profile),) if self.profile != "nlgeval" else ()),
            *((("tokens", self.tokens),) if self.tokens else ()),
            *((("smoothing", self.smoothing),) if self.smoothing else ()),
            *((("lowercase", True),) if self.lowercase else ()),
        )
        return Signature("bleu", (("order", self.order), *given), facts)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of clipped matches by n, n-grams by n, closest reference length, and 1 for the example.

        With profile ``nltk`` n is up to 5 whatever the order, and n-grams come twice: as they are, and at least 1.
        """
        require_references("bleu", examples)
        return self.rows(measure(examples, tokens=self._tokens, lowercase=self.lowercase))

    def rows(self, shared: Overlap) -> Floats:
        """The statistics of examples whose overlap is known."""
        if self.profile != "nltk":
            return shared.table.take(_COLUMNS[self.order], axis=1)
        counts = shared.table.take(_COLUMNS[ORDERS], axis=1)
        at_least_one = np.maximum(counts[:, ORDERS : 2 * ORDERS], 1)
        return np.hstack([counts[:, : 2 * ORDERS], at_least_one, counts[:, 2 * ORDERS :]])

    def aggregate(self, totals: Floats) -> Floats:
        """BLEU of summed rows; NaN of no example."""
        counts = self._counts(totals)
        if self.profile == "nlgeval":
            scores = bleu_profiles.nlgeval(counts, self.order)
        elif self.profile == "sacrebleu":
            scores = bleu_profiles.sacrebleu(counts, self.order, self._smoothing or "exp")
        else:
            scores = bleu_profiles.nltk(counts, self.order, self._smoothing or "method0")
        return np.where(counts.examples > 0, scores, np.nan)

    @property
    def _tokens(self) -> Tokens:
        return self.tokens or _TOKENS[self.profile]

    @property
    def _smoothing(self) -> Smoothing | None:
        return self.smoothing or next(iter(SMOOTHINGS[self.profile]), None)

    def _counts(self, totals: Floats) -> Counts:
        orders = ORDERS if self.profile == "nltk" else self.order
        ngrams = totals[..., orders : 2 * orders]
        return Counts(
            matches=totals[..., :orders],
            ngrams=ngrams,
            at_least_one=totals[..., 2 * orders : 3 * orders] if self.profile == "nltk" else ngrams,
            closest=totals[..., -2],
            examples=totals[..., -1],
        )
