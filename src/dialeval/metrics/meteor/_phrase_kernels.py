"""Compiled search for phrases of the paraphrase table, and for paraphrases between a response and a reference.

Only plain loops over given arrays, which numba compiles quickly.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.metrics.meteor._matching_kernels import (
    FROM,
    MODULE,
    PARAPHRASE,
    START,
    ZERO,
    Integers,
    Span,
)

Trie: TypeAlias = tuple[Integers, ...]
"""The word of each node, its first child, its first paraphrase; the nodes of all paraphrases.

The first nodes are the single words, and the words of the trie are numbered as their nodes.
"""
Marks: TypeAlias = NDArray[np.bool_]

# Columns of a phrase: where it starts in its text, how many words it has, its node, and where the paraphrases of that
# begin and end.
AT: Final = 0
WORDS: Final = 1
NODE: Final = 2
FIRST: Final = 3
END: Final = 4

MARKS: Final = 4096
"""A power of two, several hundred times the phrases of a usual text."""


@njit(cache=True)
def find_phrases(words: Integers, ends: Integers, trie: Trie) -> tuple[Integers, Integers]:
    """Every stretch of a text that leads along the trie, and where each text's end."""
    phrases, phrase_ends = np.empty((2 * len(words), 5), np.int32), np.empty(len(ends), np.int32)
    count = enter_phrases(words, ends, trie, phrases, phrase_ends)
    if count > len(phrases):
        phrases = np.empty((count, 5), np.int32)
        enter_phrases(words, ends, trie, phrases, phrase_ends)
    return phrases, phrase_ends


@njit(cache=True)
def enter_phrases(
    words: Integers, ends: Integers, trie: Trie, phrases: Integers, phrase_ends: Integers
) -> int:
    """Enter the phrases as far as there is room; how many there are."""
    node_words, first_child, first_target, _ = trie
    phrase_ends[0] = 0
    count = ZERO
    # The nodes of single words end where the first of them has its children.
    known = first_child[0]
    for text in range(len(ends) - 1):
        begin, end = ends[text], ends[text + 1]
        for start in range(begin, end):
            node = ZERO + words[start] if words[start] < known else ZERO - 1
            length = 1
            while node >= 0:
                if count < len(phrases):
                    phrases[count, AT], phrases[count, WORDS], phrases[count, NODE] = (
                        start - begin,
                        length,
                        node,
                    )
                    phrases[count, FIRST], phrases[count, END] = first_target[node], first_target[node + 1]
                count += 1
                if start + length == end or words[start + length] >= known:
                    break
                node = child(
                    ZERO + first_child[node], ZERO + first_child[node + 1], words[start + length], node_words
                )
                length += 1
        phrase_ends[text + 1] = count
    return count


@njit(cache=True)
def child(low: int, end: int, word: int, node_words: Integers) -> int:
    """The node of that word among the nodes from ``low`` to before ``end``, or -1."""
    high = end
    while low < high:
        middle = (low + high) // 2
        if node_words[middle] < word:
            low = middle + 1
        else:
            high = middle
    if low < end and node_words[low] == word:
        return low
    return ZERO - 1


@njit(cache=True)
def mark(phrases: Integers, phrase_ends: Integers, text: int, marks: Marks, on: bool) -> None:
    """Switch the marks of the nodes of a text's phrases."""
    for index in range(phrase_ends[text], phrase_ends[text + 1]):
        marks[phrases[index, NODE] & (MARKS - 1)] = on


@njit(cache=True)
def match_phrases(
    phrases: Integers,
    sources: Span,
    targets: Span,
    paraphrases: Integers,
    source_side: int,
    marks: Marks,
    matches: Integers,
    count: int,
) -> int:
    """Add the matches where a phrase of the sources has one of the targets as its paraphrase; how many there are.

    ``source_side`` is ``START`` where the sources are the reference's, ``FROM`` where they are the response's.
    ``marks`` are those of the targets: a paraphrase whose mark is off is none of them, which spares nearly all
    comparisons.
    """
    target_side = START + FROM - source_side
    for index in range(sources[0], sources[1]):
        for position in range(phrases[index, FIRST], phrases[index, END]):
            wanted = paraphrases[position]
            if not marks[wanted & (MARKS - 1)]:
                continue
            for other in range(targets[0], targets[1]):
                if phrases[other, NODE] == wanted:
                    if count < len(matches):
                        matches[count, source_side] = phrases[index, AT]
                        matches[count, source_side + 1] = phrases[index, WORDS]
                        matches[count, target_side] = phrases[other, AT]
                        matches[count, target_side + 1] = phrases[other, WORDS]
                        matches[count, MODULE] = PARAPHRASE
                    count += 1
    return count
