"""Compiled search for every match of words and phrases between a response and a reference.

A match is a row of the columns below: where it starts in the reference and how many words it has there, where it
comes from in the response and how many words it takes there, and the module that found it. Of the matches that start
at one word the order is METEOR's, because the search among them breaks ties by it. There are only plain loops over
given arrays, which numba compiles quickly, and plain tuples, which its cache on disk can read again.
"""

from __future__ import annotations

from typing import Final, TypeAlias, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int32]
Facts: TypeAlias = tuple[Integers, ...]
"""The fields of `dialeval.metrics.meteor.lexicon.Words`."""
Forms: TypeAlias = tuple[Integers, Integers]
"""The hashes of a text's words, and of their stems."""
Trie: TypeAlias = tuple[Integers, ...]
"""The word of each node, its first child, its first paraphrase; the nodes of all paraphrases.

The first nodes are the single words, and the words of the trie are numbered as their nodes.
"""

# Numbers that are passed on are numpy's: numba compiles a function again for each plain constant it is given.
# They are declared plain ones, which is what the functions take them for.
START: Final[int] = cast(int, np.int64(0))
LENGTH: Final[int] = cast(int, np.int64(1))
FROM: Final[int] = cast(int, np.int64(2))
TAKEN: Final[int] = cast(int, np.int64(3))
MODULE: Final[int] = cast(int, np.int64(4))

EXACT: Final[int] = cast(int, np.int64(0))
STEM: Final[int] = cast(int, np.int64(1))
SYNONYM: Final[int] = cast(int, np.int64(2))
PARAPHRASE: Final[int] = cast(int, np.int64(3))
ZERO: Final[int] = cast(int, np.int64(0))

MARKS: Final = 4096
"""A power of two, several times the phrases of a usual text."""


@njit(cache=True)
def grown(rows: Integers, count: int) -> Integers:
    """The rows, or a larger array that begins with them where all are in use."""
    if count < rows.shape[0]:
        return rows
    larger = np.empty((2 * count, rows.shape[1]), np.int32)
    for index in range(count):
        for column in range(rows.shape[1]):
            larger[index, column] = rows[index, column]
    return larger


@njit(cache=True)
def same_words(ours: Forms, theirs: Forms) -> bool:
    """Whether both texts are the same word for word."""
    if len(ours[0]) != len(theirs[0]):
        return False
    same = True
    for index in range(len(ours[0])):
        same &= ours[0][index] == theirs[0][index]
    return same


@njit(cache=True)
def match_word(start: int, position: int, module: int, matches: Integers, count: int) -> tuple[Integers, int]:
    """The matches with one of two single words added, and how many there are."""
    matches = grown(matches, count)
    matches[count, START] = start
    matches[count, LENGTH] = 1
    matches[count, FROM] = position
    matches[count, TAKEN] = 1
    matches[count, MODULE] = module
    return matches, count + 1


@njit(cache=True)
def match_forms(
    ours: Forms, theirs: Forms, module: int, matches: Integers, count: int
) -> tuple[Integers, int]:
    """The matches with those of equal words added (exact), or of different words of equal stem."""
    our_keys, our_stems = ours
    their_keys, their_stems = theirs
    for start in range(len(their_keys)):
        for position in range(len(our_keys)):
            if module == EXACT:
                match = our_keys[position] == their_keys[start]
            else:
                match = our_stems[position] == their_stems[start] and our_keys[position] != their_keys[start]
            if match:
                matches, count = match_word(start, position, module, matches, count)
    return matches, count


@njit(cache=True)
def link_synsets(response: Integers, facts: Facts, last: Integers, links: Integers) -> Integers:
    """Links from each synset of the response to the words that have it, last word first.

    ``last`` has -1 for every synset before, and then the last link of each.
    """
    _, _, _, first_synset, synsets = facts
    size = ZERO
    for position in range(len(response)):
        word = response[position]
        for index in range(first_synset[word], first_synset[word + 1]):
            links = grown(links, size)
            links[size, 0] = position
            links[size, 1] = last[synsets[index]]
            last[synsets[index]] = size
            size += 1
    return links


@njit(cache=True)
def unlink_synsets(response: Integers, facts: Facts, last: Integers) -> None:
    """Put -1 into ``last`` again."""
    _, _, _, first_synset, synsets = facts
    for word in response:
        for index in range(first_synset[word], first_synset[word + 1]):
            last[synsets[index]] = -1


@njit(cache=True)
def match_synonyms(
    response: Integers,
    reference: Integers,
    facts: Facts,
    last: Integers,
    links: Integers,
    matches: Integers,
    count: int,
) -> tuple[Integers, int]:
    """The matches with those of words that share a synset added, given the links of the response's synsets."""
    key, _, _, first_synset, synsets = facts
    shares = np.empty(len(response), np.int32)
    for position in range(len(response)):
        shares[position] = -1
    for start in range(len(reference)):
        word = reference[start]
        shared = False
        for index in range(first_synset[word], first_synset[word + 1]):
            link = last[synsets[index]]
            while link >= 0:
                shares[links[link, 0]] = start
                shared = True
                link = links[link, 1]
        if shared:
            for position in range(len(response)):
                if shares[position] == start and key[response[position]] != key[word]:
                    matches, count = match_word(start, position, SYNONYM, matches, count)
    return matches, count


@njit(cache=True)
def find_phrases(words: Integers, ends: Integers, trie: Trie) -> tuple[Integers, Integers]:
    """Rows of start, length and node of every stretch of a text that leads along the trie, and each text's end."""
    phrases = np.empty((4 * len(words) + 16, 3), np.int32)
    phrase_ends = np.empty(len(ends), np.int32)
    phrase_ends[0] = 0
    count = ZERO
    # The nodes of single words end where the first of them has its children.
    known = trie[1][0]
    for text in range(len(ends) - 1):
        begin, end = ends[text], ends[text + 1]
        for start in range(begin, end):
            node = ZERO + words[start] if words[start] < known else ZERO - 1
            length = 1
            while node >= 0:
                phrases = grown(phrases, count)
                phrases[count, 0] = start - begin
                phrases[count, 1] = length
                phrases[count, 2] = node
                count += 1
                if start + length == end:
                    break
                node = child(node, words[start + length], trie)
                length += 1
        phrase_ends[text + 1] = count
    return phrases, phrase_ends


@njit(cache=True)
def child(node: int, word: int, trie: Trie) -> int:
    """The node that a word leads to from a node, or -1."""
    node_words, first_child, _, _ = trie
    low, end = ZERO + first_child[node], ZERO + first_child[node + 1]
    high = end
    while low < high:
        middle = (low + high) // 2
        if node_words[middle] < word:
            low = middle + 1
        else:
            high = middle
    if low < end and node_words[low] == word:
        return int(low)
    return ZERO - 1


@njit(cache=True)
def match_phrases(
    sources: Integers,
    targets: Integers,
    trie: Trie,
    source_side: int,
    marks: NDArray[np.bool_],
    matches: Integers,
    count: int,
) -> tuple[Integers, int]:
    """The matches with those added where a phrase of the sources has one of the targets as its paraphrase.

    ``source_side`` is ``START`` where the sources are the reference's, ``FROM`` where they are the response's.
    ``marks`` are all off, before and after.
    """
    _, _, first_target, paraphrases = trie
    target_side = START + FROM - source_side
    # A paraphrase whose mark is off is none of the targets: this spares nearly all comparisons.
    for other in range(len(targets)):
        marks[targets[other, 2] & (MARKS - 1)] = True
    for index in range(len(sources)):
        node = sources[index, 2]
        for position in range(first_target[node], first_target[node + 1]):
            wanted = paraphrases[position]
            if not marks[wanted & (MARKS - 1)]:
                continue
            for other in range(len(targets)):
                if targets[other, 2] == wanted:
                    matches = grown(matches, count)
                    matches[count, source_side] = sources[index, 0]
                    matches[count, source_side + 1] = sources[index, 1]
                    matches[count, target_side] = targets[other, 0]
                    matches[count, target_side + 1] = targets[other, 1]
                    matches[count, MODULE] = PARAPHRASE
                    count += 1
    for other in range(len(targets)):
        marks[targets[other, 2] & (MARKS - 1)] = False
    return matches, count
