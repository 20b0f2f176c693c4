"""Self-BLEU (Zhu et al., 2018): how much a system's responses repeat one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from dialeval.core import Floats, Integers, LeaveOneOut, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.diversity.rivals import Losses, closest_lengths, match_rivals
from dialeval.metrics.diversity.varieties import number_responses
from dialeval.text.ngrams.symbols import Symbols, number_ngrams
from dialeval.text.tokenisers.table import Tokens, token_facts

# What the first of nltk's smoothing methods puts in place of no match; the authors' code takes that method.
_EPSILON: Final = 0.1


@dataclass(frozen=True, slots=True)
class SelfBleu:
    """BLEU of each response with all the others as its references, averaged, from 0 to 1.

    Lower is more varied. BLEU as nltk's ``sentence_bleu`` with smoothing method 1: an n-gram length without a match
    counts as a tenth of one, a response that shares no word scores 0. It rises as responses become more, so compare
    systems on the same items. Undefined of fewer than two responses.
    """

    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    order: int = 4
    tokens: Tokens = "whitespace"

    def __post_init__(self) -> None:
        if not 1 <= self.order <= 10:
            needed = "a whole number from 1 to 10"
            raise DialevalError(f"The parameter 'order' of self_bleu: found {self.order!r}, needed {needed}.")

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        parameters = (("order", self.order), ("tokens", self.tokens))
        facts = (*token_facts(self.tokens), ("smoothing", "method1"), ("case", "mixed"))
        return Signature("self_bleu", parameters, facts)

    def unscorable(self, example: Example) -> None:
        """None: every response counts."""

    def measure(self, examples: Sequence[Example], groups: Integers) -> LeaveOneOut:
        """The mean BLEU of each response against the others, and the mean without each group."""
        # Responses of one group side by side, which the search for the best rivals wants.
        order = np.argsort(groups, kind="stable")
        return _measure(
            number_responses([examples[index] for index in order], self.tokens), groups[order], self.order
        )


def _measure(responses: Symbols, groups: Integers, order: int) -> LeaveOneOut:
    sizes = np.bincount(groups)
    lengths = np.diff(responses.begin)
    if len(lengths) < 2:
        return LeaveOneOut(float("nan"), np.full(len(sizes), np.nan))
    matched = [match_rivals(ngrams, groups) for ngrams in number_ngrams(responses, order)]
    matches = np.stack([rivals.matches for rivals in matched], axis=1)
    closest = closest_lengths(lengths, groups)
    scores = _bleu(matches, lengths, closest.closest)
    # Without a group, only some responses lose matches or their closest length: those pairs are scored again.
    affected = np.flatnonzero(closest.group >= 0)
    pairs, losses = _pairs(
        [rivals.losses for rivals in matched], closest.group[affected], affected, len(lengths)
    )
    group, response = np.divmod(pairs, len(lengths))
    length = np.where(closest.group[response] == group, closest.without[response], closest.closest[response])
    again = _bleu(matches[response] - losses, lengths[response], length)
    left = (
        scores.sum() - np.bincount(groups, scores) + np.bincount(group, again - scores[response], len(sizes))
    )
    others = len(lengths) - sizes
    without = np.divide(left, others, out=np.full(len(sizes), np.nan), where=others > 1)
    return LeaveOneOut(float(scores.mean()), without)


def _pairs(
    losses: Sequence[Losses], groups: Integers, responses: Integers, total: int
) -> tuple[Integers, Integers]:
    """Each pair of a group and a response that is affected by its absence, and the matches it loses, by n."""
    keys = [*(loss.group * total + loss.response for loss in losses), groups * total + responses]
    pairs, index = np.unique(np.concatenate(keys), return_inverse=True)
    lost = np.zeros((len(pairs), len(losses)), np.int64)
    begin = 0
    for n, loss in enumerate(losses):
        np.add.at(lost[:, n], index[begin : begin + len(loss.lost)], loss.lost)
        begin += len(loss.lost)
    return pairs, lost


def _bleu(matches: Integers, lengths: Integers, references: Integers) -> Floats:
    """BLEU of each response from its matches by n, its length, and the closest length of a reference."""
    order = matches.shape[1]
    ngrams = np.maximum(lengths[:, None] - np.arange(order), 1)
    precisions = np.where(matches > 0, matches, _EPSILON) / ngrams
    penalty = np.exp(np.minimum(1 - references / np.maximum(lengths, 1), 0))
    return np.where(matches[:, 0] > 0, penalty * np.exp(np.log(precisions).sum(axis=1) / order), 0.0)
