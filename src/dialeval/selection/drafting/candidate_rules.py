"""What an utterance must not be to stand beside a ground truth: the same again, or told apart by its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CandidateRules:
    """When an utterance found for a ground truth is passed over; the paper states none of these rules."""

    same: float = 0.75
    """Share of words in common (Dice: twice the common words over all words of both) from which two utterances count
    as the same. So do two of which one holds all words of the other and at most as many again, and two with the same
    words in the same order but for their marks."""
    shortest: float = 2 / 3
    """Least length in words, as a share of the ground truth's; 0 lets all through."""
    longest: float = 1.5
    """Greatest length in words, as a multiple of the ground truth's."""

    def fits(self, said: Sequence[str], truth: Sequence[str]) -> bool:
        """Whether an utterance is about as long as the ground truth, both given as words."""
        return self.shortest * len(truth) <= len(said) <= self.longest * len(truth)

    def repeats(self, said: Sequence[str], others: Iterable[Sequence[str]]) -> bool:
        """Whether an utterance is nearly the same as one of the others."""
        return any(self.alike(said, other) for other in others)

    def alike(self, one: Sequence[str], other: Sequence[str]) -> bool:
        """Whether two utterances, given as words, count as the same."""
        common = (Counter(one) & Counter(other)).total()
        fewer, more = sorted((len(one), len(other)))
        if 2 * common >= self.same * (fewer + more):
            return True
        return common == fewer > 0 and more <= 2 * fewer
