"""Finds every way in which words and phrases of a response may match those of a reference.

A match is a row of the columns below: where it starts in the reference and how many words it has there, where it
comes from in the response and how many words it takes there, and the module that found it. The order in which
matches are found is METEOR's, because the search among them breaks ties by it. There are only plain loops over given
arrays, which numba compiles quickly, and plain tuples, which its cache on disk can read again.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int32]
Facts: TypeAlias = tuple[Integers, Integers, Integers, Integers, Integers, Integers]
"""The fields of `dialeval.metrics.meteor.lexicon.Words`."""
Trie: TypeAlias = tuple[Integers, Integers, Integers, Integers]
"""The word of each node, its first child, its first paraphrase; the nodes of all paraphrases."""

START: Final = 0
LENGTH: Final = 1
FROM: Final = 2
TAKEN: Final = 3
MODULE: Final = 4

EXACT: Final = 0
STEM: Final = 1
SYNONYM: Final = 2
PARAPHRASE: Final = 3


@njit(cache=True)
def grown(rows: Integers, count: int) -> Integers:
    """The rows, or a larger array that begins with them where all are in use."""
    if count < rows.shape[0]:
        return rows
    larger = np.empty((2 * count, rows.shape[1]), np.int32)
    for at in range(count):
        for column in range(rows.shape[1]):
            larger[at, column] = rows[at, column]
    return larger


@njit(cache=True)
def same_words(response: Integers, reference: Integers, facts: Facts) -> bool:
    """Whether both texts are the same word for word."""
    if len(response) != len(reference):
        return False
    key = facts[0]
    for at in range(len(response)):
        if key[response[at]] != key[reference[at]]:
            return False
    return True


@njit(cache=True)
def match_words(
    response: Integers, reference: Integers, facts: Facts, module: int, matches: Integers, count: int
) -> tuple[Integers, int]:
    """The matches with those of single words by one module added, and how many there are."""
    key, stem, _, _, first_synset, synsets = facts
    for start in range(len(reference)):
        theirs = reference[start]
        for position in range(len(response)):
            ours = response[position]
            match = key[ours] == key[theirs]
            # Words that are the same match exactly and in no other way.
            if module != EXACT:
                if match:
                    continue
                if module == STEM:
                    match = stem[ours] == stem[theirs]
                else:
                    match = share_a_synset(ours, theirs, first_synset, synsets)
            if match:
                matches = grown(matches, count)
                matches[count, START] = start
                matches[count, LENGTH] = 1
                matches[count, FROM] = position
                matches[count, TAKEN] = 1
                matches[count, MODULE] = module
                count += 1
    return matches, count


@njit(cache=True)
def share_a_synset(ours: int, theirs: int, first_synset: Integers, synsets: Integers) -> bool:
    """Whether two words are synonyms in some sense."""
    a, b = first_synset[ours], first_synset[theirs]
    a_end, b_end = first_synset[ours + 1], first_synset[theirs + 1]
    while a < a_end and b < b_end:
        if synsets[a] == synsets[b]:
            return True
        if synsets[a] < synsets[b]:
            a += 1
        else:
            b += 1
    return False


@njit(cache=True)
def find_phrases(text: Integers, node_of_word: Integers, trie: Trie, phrases: Integers) -> tuple[Integers, int]:
    """Rows of start, length and node of every stretch of the text that leads along the trie, and how many."""
    count = 0
    for start in range(len(text)):
        node = node_of_word[text[start]]
        length = 1
        while node >= 0:
            phrases = grown(phrases, count)
            phrases[count, 0] = start
            phrases[count, 1] = length
            phrases[count, 2] = node
            count += 1
            if start + length == len(text):
                break
            node = child(node, node_of_word[text[start + length]], trie)
            length += 1
    return phrases, count


@njit(cache=True)
def child(node: int, word: int, trie: Trie) -> int:
    """The node that a word leads to from a node, or -1."""
    node_words, first_child, _, _ = trie
    low, end = first_child[node], first_child[node + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if node_words[middle] < word:
            low = middle + 1
        else:
            high = middle
    if low < end and node_words[low] == word:
        return low
    return -1


@njit(cache=True)
def match_phrases(
    sources: Integers,
    n_sources: int,
    targets: Integers,
    n_targets: int,
    trie: Trie,
    sources_are_ours: bool,
    matches: Integers,
    count: int,
) -> tuple[Integers, int]:
    """The matches with those added where a phrase of the sources has one of the targets as its paraphrase."""
    _, _, first_target, paraphrases = trie
    # A paraphrase whose mark no target bears is none of them: this spares nearly all comparisons.
    marks = np.uint64(0)
    for at in range(n_targets):
        marks |= np.uint64(1) << np.uint64(targets[at, 2] & 63)
    for at in range(n_sources):
        node = sources[at, 2]
        for position in range(first_target[node], first_target[node + 1]):
            wanted = paraphrases[position]
            if not (marks >> np.uint64(wanted & 63)) & np.uint64(1):
                continue
            for other in range(n_targets):
                if targets[other, 2] == wanted:
                    matches = grown(matches, count)
                    theirs, ours = (START, FROM) if not sources_are_ours else (FROM, START)
                    matches[count, theirs] = sources[at, 0]
                    matches[count, theirs + 1] = sources[at, 1]
                    matches[count, ours] = targets[other, 0]
                    matches[count, ours + 1] = targets[other, 1]
                    matches[count, MODULE] = PARAPHRASE
                    count += 1
    return matches, count
