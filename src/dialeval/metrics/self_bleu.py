"""Self-BLEU (Zhu et al., 2018): how much a system's responses repeat one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

import numpy as np

from dialeval.core import Floats, Integers, LeaveOneOut, Signature
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.distinct import number_responses
from dialeval.text.ngrams.symbols import Symbols, number_ngrams
from dialeval.text.tokenisers import Tokens, token_facts

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


class Losses(NamedTuple):
    """Matches that a response loses without a group, n-gram by n-gram."""

    group: Integers
    response: Integers
    lost: Integers


class RivalMatches(NamedTuple):
    """The matches of every response with all the others, and all there is to lose."""

    matches: Integers
    losses: Losses


class _Best(NamedTuple):
    """Of each n-gram, the three groups that have it most often in one response; 0 and -1 where there are fewer."""

    counts: Integers
    groups: Integers


def match_rivals(ngrams: Symbols, groups: Integers) -> RivalMatches:
    """Matches of each text's n-grams, by number, with the other texts'; ``groups`` must ascend."""
    texts = len(groups)
    of_text = np.repeat(np.arange(texts), np.diff(ngrams.begin))
    keys, count = np.unique(ngrams.symbols * texts + of_text, return_counts=True)
    ngram, text = np.divmod(keys, max(texts, 1))
    group = groups[text]
    # A run is one group's texts that have one n-gram.
    begins = np.flatnonzero(np.diff(ngram, prepend=-1) | np.diff(group, prepend=-1))
    run = np.cumsum(np.bincount(begins, minlength=len(keys))) - 1
    highest, second = _two_highest(count, begins, run)
    in_group = np.where((count == highest[run]), second[run], highest[run])
    best = _best(ngram[begins], group[begins], highest)
    first, next_ = best.groups[ngram, 0], best.groups[ngram, 1]
    rival = np.where(group == first, next_, first)
    rivals = np.where(group == first, best.counts[ngram, 1], best.counts[ngram, 0])
    among = (group == first) | (group == next_)
    others = np.where(among, best.counts[ngram, 2], best.counts[ngram, 1])
    matched = np.minimum(count, np.maximum(in_group, rivals))
    lost = matched - np.minimum(count, np.maximum(in_group, others))
    some = lost > 0
    matches = np.bincount(text, matched, texts).astype(np.int64)
    return RivalMatches(matches, Losses(rival[some], text[some], lost[some]))


def _two_highest(count: Integers, begins: Integers, run: Integers) -> tuple[Integers, Integers]:
    """The highest count of each run and the second highest, equal where two texts share it, 0 where there is one."""
    if not len(count):
        return count, count
    highest = np.maximum.reduceat(count, begins)
    index = np.flatnonzero(count == highest[run])
    rest = count.copy()
    rest[index[np.unique(run[index], return_index=True)[1]]] = 0
    return highest, np.maximum.reduceat(rest, begins)


def _best(ngram: Integers, group: Integers, highest: Integers) -> _Best:
    order = np.lexsort((-highest, ngram))
    ngram, group, highest = ngram[order], group[order], highest[order]
    size = int(ngram.max(initial=-1)) + 1
    rank = np.arange(len(ngram)) - np.searchsorted(ngram, ngram)
    counts, groups = np.zeros((size, 3), np.int64), np.full((size, 3), -1, np.int64)
    top = rank < 3
    counts[ngram[top], rank[top]], groups[ngram[top], rank[top]] = highest[top], group[top]
    return _Best(counts, groups)


class ClosestLengths(NamedTuple):
    """For each text, of two equally close lengths the shorter."""

    closest: Integers
    group: Integers
    """The one group, not its own, that holds every other text of the closest length; -1 where none does."""
    without: Integers
    """The closest length without that group; the same where there is no such group."""


def closest_lengths(lengths: Integers, groups: Integers) -> ClosestLengths:
    """The closest length to each text's own among the other texts, of which there must be one."""
    known, counts = np.unique(lengths, return_counts=True)
    index = np.searchsorted(known, lengths)
    closest, group = lengths.copy(), np.full(len(lengths), -1, np.int64)
    without = lengths.copy()
    holders = Counter(zip(lengths.tolist(), groups.tolist(), strict=True))
    held: dict[int, list[int]] = {}
    for length, holder in holders:
        held.setdefault(length, []).append(holder)
    # With three groups of one's own length, neither leaving oneself out nor leaving a group out moves anything.
    several = np.array([len(held[length]) for length in known.tolist()])[index] > 2
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
