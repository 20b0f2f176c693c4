"""ROUGE-L (Lin, 2004) as nlg-eval (Sharma et al., 2017) and Google's rouge-score compute it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.overlap.words import measure
from dialeval.metrics.rows import MeanOfValues, NeedsReferences, require_references, rows_of_values
from dialeval.text.overlap import Overlap

_BETA: Final = 1.2


@dataclass(frozen=True, slots=True)
class RougeL(NeedsReferences, MeanOfValues[Example]):
    """Longest word sequence a response shares with a reference, as an F-measure in [0, 1].

    With profile ``nlgeval`` recall weighs ``beta`` squared times as much as precision, and each is the best over the
    references, not of one and the same reference. Words are separated by single spaces, so an empty text counts as one
    empty word: it scores 1 against an empty reference, else 0. With profile ``google`` the score is the best plain F1
    over the references; words are runs of a to z and 0 to 9 in lower case, their Porter stems with ``stemmer``, and a
    text without any scores 0. The corpus score is the mean.
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    beta: float = _BETA
    """Only profile ``nlgeval`` has it."""
    profile: Literal["nlgeval", "google"] = "nlgeval"
    stemmer: bool = False
    """Only profile ``google`` has one."""

    def __post_init__(self) -> None:
        if not 0 < self.beta <= 1000:
            expected = "a number above 0 and at most 1000"
            raise DialevalError(f"The parameter 'beta' of rouge_l: found {self.beta!r}, expected {expected}.")
        if self.profile == "google" and self.beta != _BETA:
            raise DialevalError("The parameter 'beta' of rouge_l: profile 'google' has none; leave it out.")
        if self.profile == "nlgeval" and self.stemmer:
            raise DialevalError("The parameter 'stemmer' of rouge_l: only profile 'google' has one.")

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        if self.profile == "nlgeval":
            facts = (("profile", "nlgeval"), ("tokens", "blanks"), ("case", "mixed"))
            return Signature("rouge_l", (("beta", self.beta),), facts)
        stemmed = (("stemmer", True),) if self.stemmer else ()
        facts = (("profile", "google"), ("tokens", self._tokens), ("case", "lower"))
        return Signature("rouge_l", (("profile", "google"), *stemmed), facts)

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the example's score and 1."""
        require_references("rouge_l", examples)
        return self.rows(measure(examples, tokens=self._tokens))

    def rows(self, shared: Overlap) -> Floats:
        """The statistics of examples whose overlap is known."""
        scores = shared.f1
        if self.profile == "nlgeval":
            # Words by whitespace come with the subsequence of words by spaces.
            weight, both = self.beta**2, (1 + self.beta**2) * shared.precision * shared.recall
            among = shared.recall + weight * shared.precision
            scores = both / np.where(shared.precision > 0, among, 1.0)
        return rows_of_values(scores)

    @property
    def _tokens(self) -> Literal["whitespace", "google", "google-stems"]:
        if self.profile == "nlgeval":
            return "whitespace"
        return "google-stems" if self.stemmer else "google"
