"""Aligns many pairs of texts and counts what METEOR counts."""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.metrics.meteor._alignment_kernels import choose
from dialeval.metrics.meteor._matching_kernels import (
    EXACT,
    FROM,
    LENGTH,
    MODULE,
    STEM,
    SYNONYM,
    TAKEN,
    Facts,
    Integers,
    Trie,
    find_phrases,
    match_phrases,
    match_words,
    same_words,
)

WIDTH: Final = 23
"""Numbers in a line of the jar's statistics."""


@njit(cache=True)
def align(words: Integers, ends: Integers, pairs: Integers, facts: Facts, trie: Trie, rows: NDArray[np.float64]) -> None:
    """Fill ``rows``, zeros so far, with the statistics of each pair of texts (response, reference).

    A row is the jar's own: the words of both, their function words, then for each module its matched content words
    and function words of both, then chunks and all matched words of both.
    """
    matches = np.empty((256, 5), np.int32)
    our_phrases, their_phrases = np.empty((256, 3), np.int32), np.empty((256, 3), np.int32)
    node_of_word = facts[3]
    for at in range(len(pairs)):
        a, b = pairs[at, 0], pairs[at, 1]
        response, reference = words[ends[a] : ends[a + 1]], words[ends[b] : ends[b + 1]]
        matches, count = match_words(response, reference, facts, EXACT, matches, 0)
        if not same_words(response, reference, facts):
            matches, count = match_words(response, reference, facts, STEM, matches, count)
            matches, count = match_words(response, reference, facts, SYNONYM, matches, count)
            our_phrases, ours = find_phrases(response, node_of_word, trie, our_phrases)
            their_phrases, theirs = find_phrases(reference, node_of_word, trie, their_phrases)
            matches, count = match_phrases(
                their_phrases, theirs, our_phrases, ours, trie, False, matches, count
            )
            matches, count = match_phrases(
                our_phrases, ours, their_phrases, theirs, trie, True, matches, count
            )
        picks = np.empty(len(reference), np.int32)
        choose(matches, count, len(response), len(reference), picks)
        tally(matches, picks, response, reference, facts[2], rows[at])


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
    for word in response:
        row[2] += is_function[word]
    for word in reference:
        row[3] += is_function[word]
    at, open_end = 0, -1
    while at < len(reference):
        if picks[at] < 0:
            open_end = -1
            at += 1
            continue
        match = matches[picks[at]]
        # Chunks are counted where they begin: after a gap in the reference, or a jump in the response.
        row[20] += match[FROM] != open_end
        open_end = match[FROM] + match[TAKEN]
        module = 4 + 4 * match[MODULE]
        for word in response[match[FROM] : open_end]:
            row[module + 2 * is_function[word]] += 1
        for word in reference[at : at + match[LENGTH]]:
            row[module + 1 + 2 * is_function[word]] += 1
        row[21] += match[TAKEN]
        row[22] += match[LENGTH]
        at += match[LENGTH]
