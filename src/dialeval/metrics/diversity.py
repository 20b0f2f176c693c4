"""Variety of all of a system's responses together.

Distinct-n (Li et al., 2016), the size of the vocabulary, and self-BLEU (Zhu et al., 2018).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Integers, LeaveOneOut, Metric
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.text.symbols import Numbering, Symbols, number_ngrams, number_words
from dialeval.text.tokenisers import TOKENISERS, Tokens, token_facts

if TYPE_CHECKING:
    from dialeval.metrics._diversity_kernels import Ngrams, Room


TEXTS_AT_ONCE: Final = 256


@dataclass(frozen=True, slots=True)
class Distinct(Metric[Example]):
    """Distinct n-grams over all n-grams of a system's responses, from 0 to 1.

    Higher is more varied. It falls as responses become more or longer, so compare systems on the same items, and look
    at `length` too. Undefined if no response has ``n`` words.
    """

    name: ClassVar[str] = "distinct"
    per_item: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    n: int = 1
    tokens: Tokens = "whitespace"

    def __post_init__(self) -> None:
        if not 1 <= self.n <= 10:
            expected = "a whole number from 1 to 10"
            raise DialevalError(f"The parameter 'n' of distinct: found {self.n!r}, expected {expected}.")

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The tokeniser's own facts, and that case matters."""
        return (*token_facts(self.tokens), ("case", "mixed"))

    def without(self, examples: Sequence[Example], groups: Integers) -> LeaveOneOut:
        """The share of distinct n-grams, and the share without each group."""
        counts = count_varieties(examples, groups, self.n, self.tokens)
        total = np.append(counts.total - counts.totals, counts.total).astype(np.float64)
        distinct = np.append(counts.distinct - counts.only, counts.distinct)
        shares = np.divide(distinct, total, out=np.full(len(total), np.nan), where=total > 0)
        return LeaveOneOut(float(shares[-1]), shares[:-1])


@dataclass(frozen=True, slots=True)
class Vocabulary(Metric[Example]):
    """Number of different words in all of a system's responses; neither direction is better.

    It grows with the number and the length of responses. `distinct(n=1)` is the same over the number of words, the
    type-token ratio. Responses without a word have a vocabulary of 0.
    """

    name: ClassVar[str] = "vocabulary"
    per_item: ClassVar[bool] = False
    higher_is_better: ClassVar[None] = None
    limits: ClassVar[tuple[float, float]] = (0.0, np.inf)
    tokens: Tokens = "whitespace"

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The tokeniser's own facts, and that case matters."""
        return (*token_facts(self.tokens), ("case", "mixed"))

    def without(self, examples: Sequence[Example], groups: Integers) -> LeaveOneOut:
        """The number of different words, and the number without each group."""
        counts = count_varieties(examples, groups, 1, self.tokens)
        return LeaveOneOut(float(counts.distinct), (counts.distinct - counts.only).astype(np.float64))


class Varieties(NamedTuple):
    """Counts of n-grams over all responses, and by group."""

    distinct: int
    total: int
    only: Integers
    """Of each group, the distinct n-grams that no other group has."""
    totals: Integers


def number_responses(examples: Sequence[Example], tokens: Tokens) -> Symbols:
    """The words of the responses by number."""
    # Few texts at a time, for their words as strings take many times the memory of their numbers.
    parts = (examples[at : at + TEXTS_AT_ONCE] for at in range(0, len(examples), TEXTS_AT_ONCE))
    words = (TOKENISERS[tokens]([e.response.text for e in part]) for part in parts)
    return number_words(chain.from_iterable(words), Numbering())


def count_varieties(examples: Sequence[Example], groups: Integers, n: int, tokens: Tokens) -> Varieties:
    """Distinct n-grams and all of them; ``groups`` has the group of each example, counted from 0."""
    *_, (numbers, begin) = number_ngrams(number_responses(examples, tokens), n)
    of_group = np.repeat(groups, np.diff(begin))
    distinct, size = int(numbers.max(initial=-1)) + 1, int(groups.max(initial=-1)) + 1
    lowest, highest = np.full(distinct, size, np.int64), np.full(distinct, -1, np.int64)
    np.minimum.at(lowest, numbers, of_group)
    np.maximum.at(highest, numbers, of_group)
    only = np.bincount(lowest[lowest == highest], minlength=size)
    return Varieties(distinct, len(numbers), only, np.bincount(of_group, minlength=size))


# What the first of nltk's smoothing methods puts in place of no match; the authors' code takes that method.
_EPSILON: Final = 0.1
PLACES_AT_ONCE: Final = 1 << 17
"""N-grams that are numbered together: their table fits into the processor's cache."""
PAIRS_AT_ONCE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class SelfBleu(Metric[Example]):
    """BLEU of each response with all the others as its references, averaged, from 0 to 1.

    Lower is more varied. BLEU as nltk's ``sentence_bleu`` with smoothing method 1: an n-gram length without a match
    counts as a tenth of one, a response that shares no word scores 0. It rises as responses become more, so compare
    systems on the same items. Undefined of fewer than two responses.
    """

    name: ClassVar[str] = "self_bleu"
    per_item: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    order: int = 4
    tokens: Tokens = "whitespace"

    def __post_init__(self) -> None:
        if not 1 <= self.order <= 10:
            expected = "a whole number from 1 to 10"
            raise DialevalError(
                f"The parameter 'order' of self_bleu: found {self.order!r}, expected {expected}."
            )

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """The tokeniser's own facts, the smoothing, and that case matters."""
        return (*token_facts(self.tokens), ("smoothing", "method1"), ("case", "mixed"))

    def without(self, examples: Sequence[Example], groups: Integers) -> LeaveOneOut:
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
    for n, (matched, lost) in enumerate(match_rivals(responses, groups, order)):
        matches[:, n] = matched
        losses.append(lost)
    closest = closest_lengths(lengths, groups)
    scores = _bleu(matches, lengths, closest.closest)
    known = _Known(matches, lengths, closest, scores)
    left = scores.sum() - np.bincount(groups, scores) + _moves(known, losses, len(sizes))
    others = len(lengths) - sizes
    without = np.divide(left, others, out=np.full(len(sizes), np.nan), where=others > 1)
    return LeaveOneOut(float(scores.mean()), without)


class _Known(NamedTuple):
    """Facts about each response with all the others there."""

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


def match_rivals(texts: Symbols, groups: Integers, order: int) -> Iterator[tuple[Integers, Losses]]:
    """Yield the matches of each text's n-grams with the other texts', and all there is to lose, for n up to ``order``.

    ``groups`` must ascend. One n is in memory at a time: 4 bytes for each word, and 24 for each n-gram that comes more
    than once.
    """
    from dialeval.metrics._diversity_kernels import lengthen, room

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


def _match(ngrams: Ngrams, starts: Integers, work: Room, different: int) -> tuple[Integers, Losses]:
    from dialeval.metrics._diversity_kernels import BEST, match_texts, rank_groups

    numbers, begin, _ = ngrams
    best = np.empty((different, len(BEST)), np.int32)
    best[:] = BEST
    rank_groups(ngrams, starts, work, best)
    matches = np.zeros(len(begin) - 1, np.int64)
    pairs, lost = np.empty(len(numbers), np.int64), np.empty(len(numbers), np.int32)
    found = match_texts(ngrams, starts, work, best, (matches, pairs, lost))
    return matches, ascending(pairs[:found], lost[:found])


def ascending(pairs: Integers, lost: NDArray[np.int32]) -> Losses:
    """The losses in order of their pairs."""
    bits = int(lost.max(initial=0)).bit_length()
    if int(pairs.max(initial=0)).bit_length() + bits > 63:
        order = np.argsort(pairs)
        return Losses(pairs[order], lost[order])
    # Both in one number: sorting numbers takes half the time of finding their order.
    both = np.sort((pairs << bits) | lost)
    return Losses(both >> bits, (both & ((1 << bits) - 1)).astype(np.int32))


class ClosestLengths(NamedTuple):
    """For each text, of two equally close lengths the shorter."""

    closest: Integers
    group: Integers
    """The one group, not its own, that holds every other text of the closest length; -1 if none does."""
    without: Integers
    """The closest length without that group; the same if there is no such group."""


def closest_lengths(lengths: Integers, groups: Integers) -> ClosestLengths:
    """The closest length to each text's own among the other texts, of which there must be one."""
    known, counts = np.unique(lengths, return_counts=True)
    index = np.searchsorted(known, lengths)
    closest, group = lengths.copy(), np.full(len(lengths), -1, np.int64)
    without = lengths.copy()
    holders, holding = _holders(known, index, groups)
    held: dict[int, list[int]] = {}
    for length, holder in holders:
        held.setdefault(length, []).append(holder)
    # With three groups of one's own length, neither leaving oneself out nor leaving a group out moves anything.
    several = holding[index] > 2
    for text in np.flatnonzero(~several).tolist():
        own_length, mine = int(lengths[text]), int(groups[text])
        outwards = _outwards(known, int(index[text]))
        nearest = next(length for length in outwards if length != own_length or counts[index[text]] > 1)
        closest[text] = without[text] = nearest
        rivals = [g for g in held[nearest] if g != mine]
        mine_too = holders[nearest, mine] - (nearest == own_length) > 0
        if len(rivals) != 1 or mine_too:
            continue
        group[text] = rivals[0]
        left = (
            x
            for x in _outwards(known, int(index[text]))
            if _others(holders, held[x], x, own_length, mine, rivals[0])
        )
        without[text] = next(left, 0)
    return ClosestLengths(closest, group, without)


def _holders(known: Integers, index: Integers, groups: Integers) -> tuple[Counter[tuple[int, int]], Integers]:
    """Count the texts of each length in each group, and the groups that have each length.

    Four groups of each length are enough: without oneself and without another group, two are left.
    """
    size = int(groups.max()) + 1
    pairs, counts = np.unique(index * size + groups, return_counts=True)
    length, group = np.divmod(pairs, size)
    few = np.arange(len(pairs)) - np.searchsorted(length, length) < 4
    texts = zip(known[length[few]].tolist(), group[few].tolist(), counts[few].tolist(), strict=True)
    return Counter({(of, holder): count for of, holder, count in texts}), np.bincount(length)


def _others(
    holders: Counter[tuple[int, int]], held: list[int], length: int, own_length: int, mine: int, gone: int
) -> bool:
    """Whether a text of that length is left, other than oneself, when a group is gone."""
    return any(g != gone and holders[length, g] > (length == own_length and g == mine) for g in held)


def _outwards(known: Integers, start: int) -> Iterator[int]:
    """The known lengths from ``known[start]`` on, closest first, the shorter of two equally close."""
    below, above, middle = start - 1, start + 1, int(known[start])
    yield middle
    while below >= 0 or above < len(known):
        if above >= len(known) or (below >= 0 and middle - known[below] <= known[above] - middle):
            yield int(known[below])
            below -= 1
        else:
            yield int(known[above])
            above += 1
