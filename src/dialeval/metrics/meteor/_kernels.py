"""Compiled alignment of many pairs of texts, and METEOR's counts of them.

Numba keeps what it compiled as long as this file stays the same: touch it when you change the kernels beside it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.metrics.meteor._alignment_kernels import choose
from dialeval.metrics.meteor._matching_kernels import (
    EXACT,
    FROM,
    LENGTH,
    MARKS,
    MODULE,
    START,
    STEM,
    TAKEN,
    ZERO,
    Facts,
    Integers,
    Trie,
    find_phrases,
    link_synsets,
    match_forms,
    match_phrases,
    match_synonyms,
    same_words,
    unlink_synsets,
)

Scratch: TypeAlias = tuple[Integers, Integers, Integers, NDArray[np.bool_]]
"""Room for matches, for links between synsets, for the last link of each synset, and for marks of phrases."""


def scratch(facts: Facts) -> Scratch:
    """Room to begin with, given the words that will be met."""
    last = np.full(facts[4].max(initial=-1) + 1, -1, np.int32)
    return np.empty((256, 5), np.int32), np.empty((256, 2), np.int32), last, np.zeros(MARKS, np.bool_)


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
    matches, links, last, marks = room
    phrases, phrase_ends = find_phrases(words, ends, trie)
    keys, stems = np.empty(len(words), np.int32), np.empty(len(words), np.int32)
    for index in range(len(words)):
        keys[index], stems[index] = facts[0][words[index]], facts[1][words[index]]
    linked = words[:0]
    for index in range(len(pairs)):
        a, b = pairs[index, 0], pairs[index, 1]
        response, reference = words[ends[a] : ends[a + 1]], words[ends[b] : ends[b + 1]]
        if index == 0 or pairs[index - 1, 0] != a:  # a response comes with all of its references
            unlink_synsets(linked, facts, last)
            links = link_synsets(response, facts, last, links)
            linked = response
        ours = keys[ends[a] : ends[a + 1]], stems[ends[a] : ends[a + 1]]
        theirs = keys[ends[b] : ends[b + 1]], stems[ends[b] : ends[b + 1]]
        matches, count = match_forms(ours, theirs, EXACT, matches, ZERO)
        if not same_words(ours, theirs):
            matches, count = match_forms(ours, theirs, STEM, matches, count)
            matches, count = match_synonyms(response, reference, facts, last, links, matches, count)
            our_phrases = phrases[phrase_ends[a] : phrase_ends[a + 1]]
            their_phrases = phrases[phrase_ends[b] : phrase_ends[b + 1]]
            matches, count = match_phrases(their_phrases, our_phrases, trie, START, marks, matches, count)
            matches, count = match_phrases(our_phrases, their_phrases, trie, FROM, marks, matches, count)
        picks = np.empty(len(reference), np.int32)
        choose(matches, count, len(response), len(reference), picks)
        tally(matches, picks, response, reference, facts[2], rows[index])
    unlink_synsets(linked, facts, last)


@njit(cache=True)
def tally(
    matches: Integers,
    picks: Integers,
    response: Integers,
    reference: Integers,
    is_function: Integers,
    row: NDArray[np.float64],
) -> None:
    """Count words, matched words and chunks of one alignment into ``row``."""
    row[0], row[1] = len(response), len(reference)
    for index in range(len(response)):
        row[2] += is_function[response[index]]
    for index in range(len(reference)):
        row[3] += is_function[reference[index]]
    index, open_end = 0, -1
    while index < len(reference):
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
            row[module + 2 * is_function[response[position]]] += 1
        for position in range(index, index + matches[match, LENGTH]):
            row[module + 1 + 2 * is_function[reference[position]]] += 1
        row[21] += matches[match, TAKEN]
        row[22] += matches[match, LENGTH]
        index += matches[match, LENGTH]
