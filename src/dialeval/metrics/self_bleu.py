"""Self-BLEU (Zhu et al., 2018): how much a system's responses repeat one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers, LeaveOneOut, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics._closest_lengths import ClosestLengths, closest_lengths
from dialeval.metrics.distinct import number_responses
from dialeval.text.ngrams.symbols import Symbols
from dialeval.text.tokenisers import Tokens, token_facts

if TYPE_CHECKING:
    from dialeval.metrics._rival_kernels import Ngrams, Room

# What the first of nltk's smoothing methods puts in place of no match; the authors' code takes that method.
_EPSILON: Final = 0.1
PLACES_AT_ONCE: Final = 1 << 17
"""N-grams that are numbered together: their table fits into the processor's cache."""
PAIRS_AT_ONCE: Final = 1 << 20


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
            expected = "a whole number from 1 to 10"
            raise DialevalError(
                f"The parameter 'order' of self_bleu: found {self.order!r}, expected {expected}."
            )

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
    matches = np.zeros((len(lengths), order), np.int64)
    losses = []
    for n, rivals in enumerate(match_rivals(responses, groups, order)):
        matches[:, n] = rivals.matches
        losses.append(rivals.losses)
    closest = closest_lengths(lengths, groups)
    scores = _bleu(matches, lengths, closest.closest)
    known = _Known(matches, lengths, closest, scores)
    left = scores.sum() - np.bincount(groups, scores) + _moves(known, losses, len(sizes))
    others = len(lengths) - sizes
    without = np.divide(left, others, out=np.full(len(sizes), np.nan), where=others > 1)
    return LeaveOneOut(float(scores.mean()), without)


class _Known(NamedTuple):
    """What is known of each response with all the others there."""

    matches: Integers
    lengths: Integers
    closest: ClosestLengths
    scores: Floats


def _moves(known: _Known, losses: Sequence[Losses], groups: int) -> Floats:
    """By how much the sum of the others' scores moves without each group."""
    total = len(known.lengths)
    # Without a group, only some responses lose matches or their closest length: those pairs are scored again.
    affected = np.flatnonzero(known.closest.group >= 0)
    nearest = np.sort(known.closest.group[affected] * total + affected)
    parts = (sum(len(loss.pairs) for loss in losses) + len(nearest)) // PAIRS_AT_ONCE + 1
    bounds = np.linspace(0, groups, parts + 1).astype(np.int64)
    moves = np.zeros(groups)
    for begin, end in pairwise(bounds.tolist()):
        limits = (begin * total, end * total)
        some = [_between(loss, *limits) for loss in losses]
        first, last = np.searchsorted(nearest, limits)
        pairs, lost = _pairs(some, nearest[first:last])
        group, response = np.divmod(pairs, total)
        length = np.where(
            known.closest.group[response] == group,
            known.closest.without[response],
            known.closest.closest[response],
        )
        again = _bleu(known.matches[response] - lost, known.lengths[response], length)
        moves[begin:end] = np.bincount(group - begin, again - known.scores[response], end - begin)
    return moves


def _between(losses: Losses, low: int, high: int) -> Losses:
    first, last = np.searchsorted(losses.pairs, (low, high))
    return Losses(losses.pairs[first:last], losses.lost[first:last])


def _pairs(losses: Sequence[Losses], others: Integers) -> tuple[Integers, Integers]:
    """Each pair of a group and a response that is affected by its absence, and the matches it loses, by n."""
    pairs = np.unique(np.concatenate([*(loss.pairs for loss in losses), others]))
    lost = np.zeros((len(pairs), len(losses)), np.int64)
    for n, loss in enumerate(losses):
        np.add.at(lost[:, n], np.searchsorted(pairs, loss.pairs), loss.lost)
    return pairs, lost


def _bleu(matches: Integers, lengths: Integers, references: Integers) -> Floats:
    """BLEU of each response from its matches by n, its length, and the closest length of a reference."""
    order = matches.shape[1]
    ngrams = np.maximum(lengths[:, None] - np.arange(order), 1)
    precisions = np.where(matches > 0, matches, _EPSILON) / ngrams
    penalty = np.exp(np.minimum(1 - references / np.maximum(lengths, 1), 0))
    return np.where(matches[:, 0] > 0, penalty * np.exp(np.log(precisions).sum(axis=1) / order), 0.0)


class Losses(NamedTuple):
    """Matches that a response loses without a group, n-gram by n-gram, in ascending order of the pairs."""

    pairs: Integers
    """The group times the number of responses, plus the response."""
    lost: NDArray[np.int32]


class RivalMatches(NamedTuple):
    """The matches of every response with all the others, and all there is to lose."""

    matches: Integers
    losses: Losses


def match_rivals(texts: Symbols, groups: Integers, order: int) -> Iterator[RivalMatches]:
    """Matches of each text's n-grams with the other texts', for n from 1 to ``order``; ``groups`` must ascend.

    One n is in memory at a time: 4 bytes for each word, and 24 for each n-gram that comes more than once.
    """
    from dialeval.metrics._repeat_kernels import lengthen
    from dialeval.metrics._rival_kernels import room

    starts = np.searchsorted(groups, np.arange(int(groups[-1]) + 2))
    work = room(int(np.diff(texts.begin[starts]).max()))
    numbers, used = _repeated(texts.symbols)
    for n in range(1, order + 1):
        if n > 1:
            used = lengthen(numbers, texts.begin, n, PLACES_AT_ONCE)
        yield _match((numbers, texts.begin, n), starts, work, used)


def _repeated(symbols: Integers) -> tuple[NDArray[np.int32], int]:
    """The symbols that come more than once, numbered from 0, the others -1; and how many of them there are."""
    often = np.bincount(symbols) > 1
    numbers = np.where(often, np.cumsum(often) - 1, -1).astype(np.int32)
    return numbers[symbols], int(often.sum())


def _match(ngrams: Ngrams, starts: Integers, work: Room, different: int) -> RivalMatches:
    from dialeval.metrics._rival_kernels import BEST, match_texts, rank_groups

    numbers, begin, _ = ngrams
    best = np.empty((different, len(BEST)), np.int32)
    best[:] = BEST
    rank_groups(ngrams, starts, work, best)
    matches = np.zeros(len(begin) - 1, np.int64)
    pairs, lost = np.empty(len(numbers), np.int64), np.empty(len(numbers), np.int32)
    found = match_texts(ngrams, starts, work, best, (matches, pairs, lost))
    return RivalMatches(matches, ascending(pairs[:found], lost[:found]))


def ascending(pairs: Integers, lost: NDArray[np.int32]) -> Losses:
    """The losses in order of their pairs."""
    bits = int(lost.max(initial=0)).bit_length()
    if int(pairs.max(initial=0)).bit_length() + bits > 63:
        order = np.argsort(pairs)
        return Losses(pairs[order], lost[order])
    # Both in one number: sorting numbers takes half the time of finding their order.
    both = np.sort((pairs << bits) | lost)
    return Losses(both >> bits, (both & ((1 << bits) - 1)).astype(np.int32))
