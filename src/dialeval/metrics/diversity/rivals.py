"""Matches and closest lengths of each text among the other texts, with and without each group of them.

A text's n-gram matches at most as often as in the rival that has it most often. So only the most generous groups
matter, and all of it takes one sort of the n-grams and not a look at every pair of texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dialeval.core import Integers
from dialeval.text.ngrams.symbols import Symbols


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
