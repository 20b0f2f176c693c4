"""Compiled counting of n-grams of one item for chrF and CIDEr, and CIDEr's weights; no n-gram is taken for another.

An n-gram is a path of symbols from the root of a trie. The trie is an open-addressing table from a node and a symbol,
packed into one key, to the next node, key and node side by side in one array; node 0 is the root. Texts come as one
array of symbols and the beginning of each, with the end of the last. The texts of an item, its response first and
then its references, follow one another from ``first[item]``. There are only plain loops over given arrays, because
numba takes seconds to compile array expressions.

In how many documents CIDEr's n-grams are is counted in tables of pairs (`dialeval.text._pair_kernels`), one for
each length: a trigram is a bigram and a word, a 4-gram is two bigrams. So all lookups of one length are independent of
each other, and the processor waits for memory for many of them at once, which it cannot along the path of a trie.
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.text._pair_kernels import LEFT, RIGHT, VALUE, Rows, seek

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

FREE: Final = 0
"""The key of a place that is not taken."""
# Fibonacci hashing: an odd number near 2**64 / golden ratio, as a signed one.
_SPREAD: Final = -7046029254386353131


# Plain tuples: numba's cache on disk cannot be read again once a named tuple it mentions has moved or changed its name.
Texts: TypeAlias = tuple[Integers, Integers]
"""The symbols of many texts, and the beginning of each (`dialeval.text.symbols.Symbols`)."""
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
    """Return the key of a trie for a node and the symbol that follows it."""
    return (node << 32) | (symbol + 1)


@njit(cache=True)
def item_slot(trie: Integers, mask: int, key: int) -> int:
    """Return the place of ``key`` among the first places of the trie, or the free place that it would take."""
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


ORDER: Final = 4
FREQUENCY: Final = 3
"""The column of bigrams; their value is their number, from 1. Longer n-grams have no number: their value it is."""

Corpus: TypeAlias = tuple[Rows, Rows, Rows, Rows, Floats]
"""Frequencies of words; tables of bigrams, trigrams and 4-grams; the weight of each frequency, first that of none."""
Weighed: TypeAlias = tuple[Integers, Integers, Integers, Floats, Integers, Floats]
"""Of each node of an item its depth; the response's nodes; a reference's; weights. Of each word of a text the number
of the bigram there, and the weights of the n-grams there, by n."""


def weighed(nodes: int) -> Weighed:
    """Room for items of at most so many nodes."""
    depth, touched, others, pairs = (np.zeros(nodes, np.int64) for _ in range(4))
    return depth, touched, others, np.zeros(nodes), pairs, np.zeros((nodes, ORDER))


@njit(cache=True)
def count_words(texts: Texts, first: Integers, frequencies: Rows, touched: Integers) -> None:
    """Add to ``frequencies`` in how many documents each word is.

    A document is the texts from ``first[document]`` up to the next. ``touched`` has room for the longest one.
    """
    symbols, begin = texts
    for document in range(len(first) - 1):
        met = 0
        for at in range(begin[first[document]], begin[first[document + 1]]):
            word = symbols[at]
            # Below 0 while the document is at hand: one that has the word twice counts once.
            if frequencies[word] >= 0:
                frequencies[word] = -frequencies[word] - 1
                touched[met] = word
                met += 1
        for index in range(met):
            frequencies[touched[index]] = -frequencies[touched[index]]


@njit(cache=True)
def count_pairs(
    parts: tuple[Integers, Integers, int],
    n: int,
    begin: Integers,
    first: Integers,
    table: Rows,
    numbers: Integers,
    touched: Integers,
    used: int,
) -> int:
    """Add to ``table`` in how many documents each n-gram is; gives how many n-grams are then in it.

    The n-gram at a word is the first of ``parts`` there and the second so many words on. ``numbers`` is filled with the
    numbers of n-grams, if they have any.
    """
    lefts, rights, shift = parts
    column = table.shape[1] - 1
    for document in range(len(first) - 1):
        met = 0
        for text in range(first[document], first[document + 1]):
            for at in range(begin[text], begin[text + 1] - n + 1):
                left, right = lefts[at], rights[at + shift]
                row = seek(table, left, right)
                if table[row, VALUE] == 0:
                    used += 1
                    table[row, LEFT], table[row, RIGHT], table[row, VALUE] = left, right, used
                    table[row, column] = 0
                if column == FREQUENCY:
                    numbers[at] = table[row, VALUE]
                if table[row, column] >= 0:
                    table[row, column] = -table[row, column] - 1
                    touched[met] = row
                    met += 1
        for index in range(met):
            table[touched[index], column] = -table[touched[index], column]
    return used


@njit(cache=True)
def _weigh(texts: Texts, text: int, corpus: Corpus, pairs: Integers, found: Floats) -> None:
    """Fill ``found`` with the weights of a text's n-grams: of each word those that start there, by n."""
    symbols, begin = texts
    frequencies, bigrams, trigrams, fourgrams, weights = corpus
    start, length, words = begin[text], begin[text + 1] - begin[text], len(frequencies)
    for at in range(length):
        word, pairs[at] = symbols[start + at], 0
        found[at, 0] = weights[frequencies[word] if word < words else 0]
        if at + 1 < length and word < words and symbols[start + at + 1] < words:
            row = seek(bigrams, word, symbols[start + at + 1])
            pairs[at] = bigrams[row, VALUE]
            found[at, 1] = weights[bigrams[row, FREQUENCY]]
        else:
            found[at, 1] = weights[0]
    for at in range(length - 2):
        found[at, 2] = weights[0]
        if pairs[at] and symbols[start + at + 2] < words:
            found[at, 2] = weights[trigrams[seek(trigrams, pairs[at], symbols[start + at + 2]), VALUE]]
    for at in range(length - 3):
        found[at, 3] = weights[0]
        if pairs[at] and pairs[at + 2]:
            found[at, 3] = weights[fourgrams[seek(fourgrams, pairs[at], pairs[at + 2]), VALUE]]


@njit(cache=True)
def score_cider(
    texts: Texts,
    first: Integers,
    sigma: float,
    corpus: Corpus,
    room: Scratch,
    items: Weighed,
    norms: Floats,
    similarities: Floats,
    scores: Floats,
) -> None:
    """Fill ``scores`` with the mean over references, kept in ``similarities``, of the mean over n.

    ``norms`` has a row each for response, reference and their products, and a column for each n.
    """
    begin, order = texts[1], norms.shape[1]
    trie, slots, response_counts, reference_counts = room
    depth, touched, others, weights, pairs, found = items
    for item in range(len(first) - 1):
        response, end = first[item], first[item + 1]
        mask, distinct = item_mask(order * (begin[end] - begin[response]) + 1), 0
        slots[0] = 1
        for text in range(response, end):
            counts, nodes, row = (
                (response_counts, touched, 0) if text == response else (reference_counts, others, 1)
            )
            _weigh(texts, text, corpus, pairs, found)
            met = _count(texts, text, order, room, mask, items, counts, nodes)
            _measure(items, counts, nodes, met, norms, row)
            if text == response:
                distinct = met
                continue
            for n in range(order):
                norms[2, n] = 0.0
            for index in range(distinct):
                weight = weights[touched[index]]
                other = reference_counts[touched[index]] * weight
                norms[2, depth[touched[index]]] += (
                    min(response_counts[touched[index]] * weight, other) * other
                )
            total = 0.0
            for n in range(order):
                if norms[0, n] != 0 and norms[1, n] != 0:
                    total += norms[2, n] / (norms[0, n] * norms[1, n])
            # Lengths are in bigrams: those of one word are 0, as those of none.
            gap = max(begin[response + 1] - begin[response], 1) - max(begin[text + 1] - begin[text], 1)
            similarity = total / order * math.exp(-float(gap * gap) / (2 * sigma * sigma))
            # Sorted in, so that the order of the references moves not even the last bit of their sum.
            place = text
            while place > response + 1 and similarities[place - 1] > similarity:
                similarities[place] = similarities[place - 1]
                place -= 1
            similarities[place] = similarity
            for index in range(met):
                reference_counts[others[index]] = 0
        for text in range(response + 1, end):
            scores[item] += similarities[text]
        scores[item] /= end - response - 1
        for index in range(distinct):
            response_counts[touched[index]] = 0
        for node in range(1, slots[0]):
            trie[slots[node]] = FREE


@njit(cache=True)
def _count(
    texts: Texts,
    text: int,
    order: int,
    room: Scratch,
    mask: int,
    items: Weighed,
    counts: Integers,
    touched: Integers,
) -> int:
    """Count a text's n-grams in the trie of its item; gives how many distinct ones it has.

    The root takes no place, so the first of ``slots`` holds how many nodes there are.
    """
    symbols, begin = texts
    trie, slots = room[0], room[1]
    depth, weights, found = items[0], items[3], items[5]
    distinct, used = 0, slots[0]
    for start in range(begin[text], begin[text + 1]):
        node = 0
        for index in range(start, min(start + order, begin[text + 1])):
            key = item_key(node, symbols[index])
            slot = item_slot(trie, mask, key)
            if trie[slot] == FREE:
                trie[slot], trie[slot + 1], slots[used] = key, used, slot
                depth[used] = index - start
                weights[used] = found[start - begin[text], index - start]
                used += 1
            node = trie[slot + 1]
            if counts[node] == 0:
                touched[distinct] = node
                distinct += 1
            counts[node] += 1
    slots[0] = used
    return distinct


@njit(cache=True)
def _measure(
    items: Weighed, counts: Integers, touched: Integers, distinct: int, norms: Floats, row: int
) -> None:
    """Fill a row of ``norms`` with the length of a text's vector of weighted counts, by n."""
    depth, weights = items[0], items[3]
    for n in range(norms.shape[1]):
        norms[row, n] = 0.0
    for index in range(distinct):
        weight = counts[touched[index]] * weights[touched[index]]
        norms[row, depth[touched[index]]] += weight * weight
    for n in range(norms.shape[1]):
        norms[row, n] = math.sqrt(norms[row, n])
