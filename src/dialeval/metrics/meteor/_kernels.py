"""Compiled alignment of many pairs of texts, and METEOR's counts of them.

Numba keeps what it compiled as long as this file stays the same: touch it when you change the kernels beside it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.metrics.meteor._alignment_kernels import PICKS, choose, empty_beam
from dialeval.metrics.meteor._matching_kernels import (
    COLUMNS,
    FROM,
    LENGTH,
    MODULE,
    SLOTS,
    START,
    TAKEN,
    ZERO,
    Facts,
    Integers,
    Span,
    bits_of,
    count_synsets,
    link_synsets,
    match_exact,
    match_stems,
    match_synonyms,
    same_words,
    unlink_synsets,
)
from dialeval.metrics.meteor._phrase_kernels import (
    MARKS,
    Marks,
    Trie,
    find_phrases,
    mark,
    match_phrases,
)

Scratch: TypeAlias = tuple[Integers, Marks, Marks]
"""The last link of each slot of synsets, and marks of the phrases of a response and of a reference."""
Texts: TypeAlias = tuple[Integers, Integers, Integers, Integers, Integers]
"""The words of all texts, their hashes, those of their stems; the phrases, and where each text's end."""
Known: TypeAlias = tuple[int, int, Integers]
"""Of a response, the bits of its words' hashes, those of its stems', and the links of its synsets."""


def scratch() -> Scratch:
    """Room to begin with: no links, no marks."""
    return np.full(SLOTS, -1, np.int32), np.zeros(MARKS, np.bool_), np.zeros(MARKS, np.bool_)


@njit(cache=True)
def align(
    words: Integers,
    ends: Integers,
    pairs: Integers,
    facts: Facts,
    trie: Trie,
    room: Scratch,
    rows: NDArray[np.float64],
) -> None:
    """Fill ``rows``, zeros so far, with the statistics of each pair of texts (response, reference).

    A row is the jar's own: the words of both, their function words, then for each module its matched content words
    and function words of both, then chunks and all matched words of both.
    """
    phrases, phrase_ends = find_phrases(words, ends, trie)
    keys, functions = look_up(words, facts[0]), look_up(words, facts[2])
    texts = words, keys, look_up(words, facts[1]), phrases, phrase_ends
    longest = ZERO
    for text in range(len(ends) - 1):
        longest = max(longest, ZERO + ends[text + 1] - ends[text])
    beam, spare = empty_beam(longest), np.empty((5, longest + 2), np.int32)
    matches, links = np.empty((256, COLUMNS), np.int32), np.empty((256, 3), np.int32)
    linked, known = ZERO, (ZERO, ZERO, links)
    for index in range(len(pairs)):
        a, b = pairs[index, 0], pairs[index, 1]
        ours, theirs = (ZERO + ends[a], ZERO + ends[a + 1]), (ZERO + ends[b], ZERO + ends[b + 1])
        if index == 0 or pairs[index - 1, 0] != a:  # a response comes with all of its references
            unlink_synsets(links, linked, room[0])
            if index > 0:
                mark(phrases, phrase_ends, pairs[index - 1, 0], room[1], False)
            linked = count_synsets(words, ours, facts[3])
            if linked > len(links):
                links = np.empty((2 * linked, 3), np.int32)
            link_synsets(words, ours, facts[3], facts[4], room[0], links)
            mark(phrases, phrase_ends, a, room[1], True)
            known = bits_of(keys, ours), bits_of(texts[2], ours), links
        while True:
            count = match(texts, (a, b), ours, theirs, known, facts, trie[3], room, spare[0], matches)
            if count <= len(matches):
                break
            matches = np.empty((2 * count, COLUMNS), np.int32)
        choose(matches, count, ours[1] - ours[0], theirs[1] - theirs[0], spare, beam)
        tally(matches, spare[PICKS], functions, ours, theirs, rows[index])


@njit(cache=True)
def match(
    texts: Texts,
    pair: Span,
    ours: Span,
    theirs: Span,
    known: Known,
    facts: Facts,
    paraphrases: Integers,
    room: Scratch,
    shares: Integers,
    matches: Integers,
) -> int:
    """Put all matches of a pair of texts into ``matches``, as far as there is room; how many there are."""
    words, keys, stems, phrases, phrase_ends = texts
    _, _, _, first_synset, synsets = facts
    last, our_marks, their_marks = room
    bits, stem_bits, links = known
    count = match_exact(keys, ours, theirs, bits, matches, ZERO)
    if same_words(keys, ours, theirs):
        return count
    count = match_stems(stems, keys, ours, theirs, stem_bits, matches, count)
    count = match_synonyms(
        words, keys, ours, theirs, first_synset, synsets, last, links, shares, matches, count
    )
    our, their = pair
    ours = ZERO + phrase_ends[our], ZERO + phrase_ends[our + 1]
    theirs = ZERO + phrase_ends[their], ZERO + phrase_ends[their + 1]
    count = match_phrases(phrases, theirs, ours, paraphrases, START, our_marks, matches, count)
    mark(phrases, phrase_ends, their, their_marks, True)
    count = match_phrases(phrases, ours, theirs, paraphrases, FROM, their_marks, matches, count)
    mark(phrases, phrase_ends, their, their_marks, False)
    return count


@njit(cache=True)
def look_up(words: Integers, fact: Integers) -> Integers:
    """A fact of each word."""
    facts = np.empty(len(words), np.int32)
    for index in range(len(words)):
        facts[index] = fact[words[index]]
    return facts


@njit(cache=True)
def tally(
    matches: Integers,
    picks: Integers,
    functions: Integers,
    ours: Span,
    theirs: Span,
    row: NDArray[np.float64],
) -> None:
    """Count words, matched words and chunks of one alignment into ``row``, given 1 for each function word, else 0."""
    row[0], row[1] = ours[1] - ours[0], theirs[1] - theirs[0]
    for index in range(ours[0], ours[1]):
        row[2] += functions[index]
    for index in range(theirs[0], theirs[1]):
        row[3] += functions[index]
    index, open_end = 0, -1
    while index < theirs[1] - theirs[0]:
        if picks[index] < 0:
            open_end = -1
            index += 1
            continue
        match = picks[index]
        # Chunks are counted where they begin: after a gap in the reference, or a jump in the response.
        row[20] += matches[match, FROM] != open_end
        open_end = matches[match, FROM] + matches[match, TAKEN]
        module = 4 + 4 * matches[match, MODULE]
        for position in range(matches[match, FROM], open_end):
            row[module + 2 * functions[ours[0] + position]] += 1
        for position in range(index, index + matches[match, LENGTH]):
            row[module + 1 + 2 * functions[theirs[0] + position]] += 1
        row[21] += matches[match, TAKEN]
        row[22] += matches[match, LENGTH]
        index += matches[match, LENGTH]
