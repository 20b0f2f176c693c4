"""N-grams and subsequences that texts share, in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

Ngram: TypeAlias = tuple[str, ...]


def count_ngrams(words: Sequence[str], order: int) -> Counter[Ngram]:
    """How often each n-gram of 1 to ``order`` words occurs."""
    counts: Counter[Ngram] = Counter()
    for n in range(1, order + 1):
        counts.update(zip(*(words[start:] for start in range(n)), strict=False))
    return counts


def most_generous(counts: Sequence[Mapping[Ngram, int]]) -> Mapping[Ngram, int]:
    """The largest count of each n-gram over several texts."""
    if len(counts) == 1:
        return counts[0]
    best: dict[Ngram, int] = {}
    for text_counts in counts:
        for ngram, count in text_counts.items():
            if count > best.get(ngram, 0):
                best[ngram] = count
    return best


def clipped_matches(counts: Mapping[Ngram, int], limits: Mapping[Ngram, int], order: int) -> list[int]:
    """How many n-grams of each length, 1 to ``order``, ``limits`` has too, each at most as often as there."""
    matches = [0] * order
    for ngram in counts.keys() & limits.keys():
        matches[len(ngram) - 1] += min(counts[ngram], limits[ngram])
    return matches


def lcs_length(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """How many elements the longest sequence has that can be read, in order, in both ``a`` and ``b``."""
    if len(a) > len(b):
        a, b = b, a
    where: dict[Hashable, int] = {}
    for index, element in enumerate(a):
        where[element] = where.get(element, 0) | 1 << index
    # Bit i of `row` is 0 where the subsequence grows by one at a[i]: one addition fills a row of the table.
    full = (1 << len(a)) - 1
    row = full
    for element in b:
        matched = row & where.get(element, 0)
        if matched:
            row = (row + matched | row - matched) & full
    return len(a) - row.bit_count()
