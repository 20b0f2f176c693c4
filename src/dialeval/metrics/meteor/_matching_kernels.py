"""Compiled search for every match of single words between a response and a reference.

A match is a row of the columns below: where it starts in the reference and how many words it has there, where it
comes from in the response and how many words it takes there, and the module that found it. The last column is not of
the match: it lists all matches in order of start. Of the matches that start at one word the order is METEOR's, because
the search among them breaks ties by it. Where there is no room for a match it is counted all the same, and the caller
makes room. There are only plain loops over given arrays, which numba compiles quickly, and no array is returned or cut
out in a loop, for that costs more than the loop.
"""

from __future__ import annotations

from typing import Final, TypeAlias, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int32]
Facts: TypeAlias = tuple[Integers, ...]
"""The fields of `dialeval.metrics.meteor.lexicon.Words`."""
Span: TypeAlias = tuple[int, int]
"""Beginning and end of a text among the words of all texts."""

# Numbers that are passed on are numpy's: numba compiles a function again for each plain constant it is given.
# They are declared plain ones, which is what the functions take them for.
START: Final[int] = cast(int, np.int64(0))
LENGTH: Final[int] = cast(int, np.int64(1))
FROM: Final[int] = cast(int, np.int64(2))
TAKEN: Final[int] = cast(int, np.int64(3))
MODULE: Final[int] = cast(int, np.int64(4))
ORDER: Final[int] = cast(int, np.int64(5))
COLUMNS: Final = 6

EXACT: Final[int] = cast(int, np.int64(0))
STEM: Final[int] = cast(int, np.int64(1))
SYNONYM: Final[int] = cast(int, np.int64(2))
PARAPHRASE: Final[int] = cast(int, np.int64(3))
ZERO: Final[int] = cast(int, np.int64(0))
ONE: Final[int] = cast(int, np.int64(1))
LAST_BIT: Final[int] = cast(int, np.int64(63))

SLOTS: Final = 4096
"""A power of two, dozens of times the synsets of a usual text."""


@njit(cache=True)
def same_words(keys: Integers, ours: Span, theirs: Span) -> bool:
    """Whether both texts are the same word for word."""
    if ours[1] - ours[0] != theirs[1] - theirs[0]:
        return False
    same = True
    for index in range(ours[1] - ours[0]):
        same &= keys[ours[0] + index] == keys[theirs[0] + index]
    return same


@njit(cache=True)
def note(matches: Integers, count: int, start: int, position: int, module: int) -> int:
    """Add a match of two single words; how many there are."""
    if count < len(matches):
        matches[count, START], matches[count, LENGTH] = start, 1
        matches[count, FROM], matches[count, TAKEN] = position, 1
        matches[count, MODULE] = module
    return count + 1


@njit(cache=True)
def bits_of(hashes: Integers, text: Span) -> int:
    """Bits of which one is set for each hash of the text."""
    bits = ZERO
    for index in range(text[0], text[1]):
        bits |= ONE << (hashes[index] & LAST_BIT)
    return bits


@njit(cache=True)
def match_exact(keys: Integers, ours: Span, theirs: Span, bits: int, matches: Integers, count: int) -> int:
    """Add the matches of equal words; how many there are.

    ``bits`` are those of our hashes: most words meet no equal, and need not be compared with each.
    """
    for start in range(theirs[0], theirs[1]):
        key = keys[start]
        if (bits >> (key & LAST_BIT)) & 1:
            for position in range(ours[0], ours[1]):
                if keys[position] == key:
                    count = note(matches, count, start - theirs[0], position - ours[0], EXACT)
    return count


@njit(cache=True)
def match_stems(
    forms: Integers, keys: Integers, ours: Span, theirs: Span, bits: int, matches: Integers, count: int
) -> int:
    """Add the matches of different words of equal stem, given the hashes of the stems; how many there are."""
    for start in range(theirs[0], theirs[1]):
        stem = forms[start]
        if (bits >> (stem & LAST_BIT)) & 1:
            for position in range(ours[0], ours[1]):
                if forms[position] == stem and keys[position] != keys[start]:
                    count = note(matches, count, start - theirs[0], position - ours[0], STEM)
    return count


@njit(cache=True)
def count_synsets(words: Integers, text: Span, first_synset: Integers) -> int:
    """Count the synsets of the words of the text, with repetitions."""
    count = ZERO
    for index in range(text[0], text[1]):
        count += first_synset[words[index] + 1] - first_synset[words[index]]
    return count


@njit(cache=True)
def link_synsets(
    words: Integers,
    ours: Span,
    first_synset: Integers,
    synsets: Integers,
    last: Integers,
    links: Integers,
) -> None:
    """Link each synset of the response to the words that have it, last word first.

    A link is a word's position, the link before it of the same slot, and the synset. ``last`` has -1 for every slot
    before, and then its last link.
    """
    size = ZERO
    for position in range(ours[0], ours[1]):
        word = words[position]
        for index in range(first_synset[word], first_synset[word + 1]):
            slot = synsets[index] & (SLOTS - 1)
            links[size, 0], links[size, 1], links[size, 2] = position - ours[0], last[slot], synsets[index]
            last[slot] = size
            size += 1


@njit(cache=True)
def unlink_synsets(links: Integers, size: int, last: Integers) -> None:
    """Put -1 into ``last`` again."""
    for link in range(size):
        last[links[link, 2] & (SLOTS - 1)] = -1


@njit(cache=True)
def match_synonyms(
    words: Integers,
    keys: Integers,
    ours: Span,
    theirs: Span,
    first_synset: Integers,
    synsets: Integers,
    last: Integers,
    links: Integers,
    shares: Integers,
    matches: Integers,
    count: int,
) -> int:
    """Add the matches of words that share a synset, given the links of the response's synsets; how many there are."""
    for position in range(ours[1] - ours[0]):
        shares[position] = -1
    for start in range(theirs[0], theirs[1]):
        word = words[start]
        shared = False
        for index in range(first_synset[word], first_synset[word + 1]):
            link = last[synsets[index] & (SLOTS - 1)]
            while link >= 0:
                if links[link, 2] == synsets[index]:
                    shares[links[link, 0]] = start
                    shared = True
                link = links[link, 1]
        if shared:
            for position in range(ours[1] - ours[0]):
                if shares[position] == start and keys[ours[0] + position] != keys[start]:
                    count = note(matches, count, start - theirs[0], position, SYNONYM)
    return count


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
    """Every stretch of a text that leads along the trie, and the end of each text's."""
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
    """Add the matches in which a phrase of the sources has one of the targets as its paraphrase; how many there are.

    ``source_side`` is ``START`` if the sources are the reference's, ``FROM`` if they are the response's.
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
