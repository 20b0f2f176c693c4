"""Compiled counting of n-grams of one item for chrF and CIDEr, exact: no n-gram is taken for another.

An n-gram is a path of symbols from the root of a trie. The trie is an open-addressing table from a node and a symbol,
packed into one key, to the next node, key and node side by side in one array; node 0 is the root. Texts come as one
array of symbols and where each of them begins, with the end of the last. The texts of an item, its response first and
then its references, follow one another from ``first[item]``. There are only plain loops over given arrays, because
numba takes seconds to compile array expressions.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

FREE: Final = 0
"""The key of a place that is not taken."""
# Fibonacci hashing: an odd number near 2**64 / golden ratio, as a signed one.
_SPREAD: Final = -7046029254386353131


# Plain tuples: numba's cache on disk cannot be read again once a named tuple it mentions has moved or changed its name.
Texts: TypeAlias = tuple[Integers, Integers]
"""The symbols of many texts, and where each begins (`dialeval.text.ngrams.symbols.Symbols`)."""
Scratch: TypeAlias = tuple[Integers, Integers, Integers, Integers]
"""The trie of one item at a time; of each node its place there, its count in the response, and in a reference."""


def empty_trie(nodes: int) -> Integers:
    """A trie with room for so many nodes."""
    return np.zeros(max(32, 1 << (4 * nodes - 1).bit_length()), np.int64)


def scratch(nodes: int) -> Scratch:
    """Room for items of at most so many nodes."""
    slots, own, theirs = (np.zeros(nodes, np.int64) for _ in range(3))
    return empty_trie(nodes), slots, own, theirs


@njit(cache=True)
def item_key(node: int, symbol: int) -> int:
    """What a trie has for a node and the symbol that follows it."""
    return (node << 32) | (symbol + 1)


@njit(cache=True)
def item_slot(trie: Integers, mask: int, key: int) -> int:
    """Where ``key`` stands among the first places of the trie, or the free place where it would."""
    spread = key * _SPREAD
    index = (spread ^ (spread >> 31)) & mask
    while trie[index] != key and trie[index] != FREE:
        index = (index + 2) & mask
    return index


@njit(cache=True)
def item_mask(nodes: int) -> int:
    """One that picks an even place of as many as leave half of them free."""
    size = 32
    while size < 4 * nodes:
        size *= 2
    return size - 2


@njit(cache=True)
def count_matches(texts: Texts, first: Integers, order: int, room: Scratch, counts: Floats) -> None:
    """Fill the row of each reference with n-grams of its response, its own, and matches, by n.

    ``counts`` has a row for every text, three columns for every n; responses' own rows stay as they are.
    """
    symbols, begin = texts
    trie, slots, response_counts, reference_counts = room
    for item in range(len(first) - 1):
        response = first[item]
        length = begin[response + 1] - begin[response]
        mask, used = item_mask(order * length + 1), 1
        for start in range(begin[response], begin[response + 1]):
            node = 0
            for index in range(start, min(start + order, begin[response + 1])):
                key = item_key(node, symbols[index])
                slot = item_slot(trie, mask, key)
                if trie[slot] == FREE:
                    trie[slot], trie[slot + 1], slots[used], response_counts[used] = key, used, slot, 0
                    used += 1
                node = trie[slot + 1]
                response_counts[node] += 1
        for text in range(response + 1, first[item + 1]):
            for node in range(used):
                reference_counts[node] = 0
            for n in range(order):
                total = max(begin[text + 1] - begin[text] - n, 0)
                # Where the reference has no n-gram of this length, the response's do not count either.
                counts[text, 3 * n] = max(length - n, 0) if total else 0
                counts[text, 3 * n + 1] = total
            for start in range(begin[text], begin[text + 1]):
                node = 0
                for index in range(start, min(start + order, begin[text + 1])):
                    slot = item_slot(trie, mask, item_key(node, symbols[index]))
                    if trie[slot] == FREE:
                        break  # nor does any longer n-gram from here match
                    node = trie[slot + 1]
                    if reference_counts[node] < response_counts[node]:
                        counts[text, 3 * (index - start) + 2] += 1
                    reference_counts[node] += 1
        for node in range(1, used):
            trie[slots[node]] = FREE


@njit(cache=True)
def choose_references(counts: Floats, first: Integers, weight: float, best: Integers) -> None:
    """Fill ``best`` with the reference of each item that has the highest F-score, the first of several."""
    for item in range(len(first) - 1):
        highest = -1.0
        for text in range(first[item] + 1, first[item + 1]):
            precision = recall = score = 0.0
            effective = 0
            for index in range(0, counts.shape[1], 3):
                if counts[text, index] > 0 and counts[text, index + 1] > 0:
                    precision += counts[text, index + 2] / counts[text, index]
                    recall += counts[text, index + 2] / counts[text, index + 1]
                    effective += 1
            if precision + recall > 0:
                precision, recall = precision / effective, recall / effective
                # In percent, as sacrebleu compares them: its rounding makes ties that are none without.
                score = 100 * ((1 + weight) * precision * recall / (weight * precision + recall))
            if score > highest:
                highest, best[item] = score, text
