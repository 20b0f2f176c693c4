"""Compiled alignment of many pairs of texts as METEOR does it, and its counts of them.

Among all matches a beam search chooses, whose every tie is broken the same way.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dialeval.metrics.meteor._matching_kernels import (
    COLUMNS,
    EXACT,
    FROM,
    LENGTH,
    MARKS,
    MODULE,
    ONE,
    ORDER,
    SLOTS,
    START,
    TAKEN,
    ZERO,
    Facts,
    Integers,
    Marks,
    Span,
    Trie,
    bits_of,
    count_synsets,
    find_phrases,
    link_synsets,
    mark,
    match_exact,
    match_phrases,
    match_stems,
    match_synonyms,
    same_words,
    unlink_synsets,
)

BEAM: Final = 40

# A beam is two tables. The first has a row per path, from best to worst: what paths are ranked by (the weight of the
# matches and the closed chunks, in one number, then the distance), and the path's row in the second table.
RANK: Final = 0
DISTANCE: Final = 1
SLOT: Final = 2
# There, in any order: where the open chunk ends in the response (-1 where none is open), the word of the reference
# that comes next, the last step of the path, and from there on the words of the response it uses, as bits.
OPEN: Final = 0
NEXT: Final = 1
STEP: Final = 2
USED: Final = 3

# One unit of weight outweighs any number of chunks.
WEIGHT: Final = 1 << 32

Paths: TypeAlias = NDArray[np.int64]
Ranking: TypeAlias = NDArray[np.int64]


@njit(cache=True)
def cost(opened: int, matches: Integers, row: int) -> int:
    """Return what taking the match adds to a path's rank: a chunk if the response jumps, less the weight."""
    # METEOR keeps weights in whole numbers: what is not exact counts half its words, rounded down.
    halved = 0 if matches[row, MODULE] == EXACT else 1
    jump = 1 if opened != -1 and opened != matches[row, FROM] else 0
    weight = (matches[row, LENGTH] >> halved) + (matches[row, TAKEN] >> halved)
    return int(jump - WEIGHT * weight)


@njit(cache=True)
def take(paths: Paths, slot: int, matches: Integers, row: int) -> None:
    """Lengthen the path by the match."""
    begin, end = matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]
    paths[slot, OPEN] = end
    paths[slot, NEXT] = matches[row, START] + matches[row, LENGTH]
    for index in range(begin, end):
        paths[slot, USED + (index >> 6)] |= np.int64(1) << np.int64(index & 63)


@njit(cache=True)
def skip(paths: Paths, slot: int) -> int:
    """Lead the path past a word without a match; what that adds to its rank: the chunk that was open."""
    if paths[slot, OPEN] == -1:
        return 0
    paths[slot, OPEN] = -1
    return 1


@njit(cache=True)
def is_free(paths: Paths, slot: int, matches: Integers, row: int) -> bool:
    """Whether the path uses no word of the response that the match takes."""
    for index in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
        if (paths[slot, USED + (index >> 6)] >> np.int64(index & 63)) & 1:
            return False
    return True


@njit(cache=True)
def copy(paths: Paths, slot: int, others: Paths, place: int, width: int) -> None:
    for column in range(width):
        others[place, column] = paths[slot, column]


@njit(cache=True)
def lift(ranking: Ranking, rank: int) -> None:
    """Move the path at ``rank`` before those it is better than; the ones before it are in order."""
    key, distance, slot = ranking[rank, RANK], ranking[rank, DISTANCE], ranking[rank, SLOT]
    while rank > 0:
        other = ranking[rank - 1, RANK]
        if other < key or (other == key and ranking[rank - 1, DISTANCE] <= distance):
            break
        for column in range(3):
            ranking[rank, column] = ranking[rank - 1, column]
        rank -= 1
    ranking[rank, RANK], ranking[rank, DISTANCE], ranking[rank, SLOT] = key, distance, slot


@njit(cache=True)
def enter(key: int, distance: int, ranking: Ranking, size: int) -> int:
    """Rank a new path behind its equals: its slot in the beam, or -1 if it is not among the best."""
    slot, last = size, size
    if size == BEAM:
        last = size - 1
        worst = ranking[last, RANK]
        if worst < key or (worst == key and ranking[last, DISTANCE] <= distance):
            return -ONE
        slot = ranking[last, SLOT]
    ranking[last, RANK], ranking[last, DISTANCE], ranking[last, SLOT] = key, distance, slot
    lift(ranking, last)
    return slot


# Rows of the room that a pair is given: words that share a synset, picks, first matches, covers of both texts.
PICKS: Final = 1
_FIRST: Final = 2
_OURS: Final = 3
_THEIRS: Final = 4

Beam: TypeAlias = tuple[Paths, Paths, Ranking, Ranking]
"""Both tables, now and after the next word."""


@njit(cache=True)
def empty_beam(longest: int) -> Beam:
    """Room for paths through responses of at most so many words."""
    width = USED + (longest + 63) // 64
    now, then = np.empty((BEAM, width), np.int64), np.empty((BEAM, width), np.int64)
    return now, then, np.empty((BEAM, 3), np.int64), np.empty((BEAM, 3), np.int64)


@njit(cache=True)
def choose(matches: Integers, count: int, ours: int, theirs: int, spare: Integers, beam: Beam) -> None:
    """Put into row ``PICKS`` of ``spare`` the match that the best alignment takes at each word of the reference, or -1.

    ``ours`` and ``theirs`` are the numbers of words of the response and of the reference.
    """
    picks, first = spare[PICKS, :theirs], spare[_FIRST, : theirs + 2]
    by_start(matches, count, first)
    settled = settle(matches, count, first, spare[_OURS, :ours], spare[_THEIRS, :theirs], picks)
    if settled < count:
        search(matches, count, first, ours, picks, beam)


@njit(cache=True)
def by_start(matches: Integers, count: int, first: Integers) -> None:
    """List the matches in order of start, otherwise as they were found, and the first of each start."""
    for index in range(len(first)):
        first[index] = 0
    for row in range(count):
        first[matches[row, START] + 2] += 1
    for index in range(2, len(first)):
        first[index] += first[index - 1]
    for row in range(count):
        slot = matches[row, START] + 1
        matches[first[slot], ORDER] = row
        first[slot] += 1


@njit(cache=True)
def settle(
    matches: Integers,
    count: int,
    first: Integers,
    ours_covered: Integers,
    theirs_covered: Integers,
    picks: Integers,
) -> int:
    """Pick the matches that no other match overlaps, which are in every alignment; how many there are."""
    for index in range(len(ours_covered)):
        ours_covered[index] = 0
    for index in range(len(theirs_covered)):
        theirs_covered[index] = 0
    for row in range(count):
        for index in range(matches[row, START], matches[row, START] + matches[row, LENGTH]):
            theirs_covered[index] += 1
        for index in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
            ours_covered[index] += 1
    settled = 0
    for start in range(len(picks)):
        picks[start] = -1
        if first[start + 1] - first[start] == 1:
            row = matches[first[start], ORDER]
            alone = True
            for index in range(start, start + matches[row, LENGTH]):
                alone = alone and theirs_covered[index] == 1
            for index in range(matches[row, FROM], matches[row, FROM] + matches[row, TAKEN]):
                alone = alone and ours_covered[index] == 1
            if alone:
                picks[start] = row
                settled += 1
    return settled


@njit(cache=True)
def search(matches: Integers, count: int, first: Integers, ours: int, picks: Integers, beam: Beam) -> None:
    """Complete the settled ``picks`` by those of the best path that the beam finds."""
    now, then, ranking, next_ranking = beam
    width = USED + (ours + 63) // 64
    steps = np.empty((BEAM * count, 2), np.int32)
    for column in range(width):
        now[0, column] = 0
    now[0, OPEN], now[0, STEP] = -1, -1
    ranking[0, RANK], ranking[0, DISTANCE], ranking[0, SLOT] = 0, 0, 0
    size, taken, closed = ONE, ZERO, True
    for current in range(len(picks)):
        if first[current] == first[current + 1]:
            closed = closed or close(now, ranking, size, current)
            continue
        closed = False
        if picks[current] >= 0:
            follow(now, ranking, size, matches, picks[current])
            continue
        room = ZERO
        for rank in range(size):
            slot = ranking[rank, SLOT]
            if current >= now[slot, NEXT]:
                for position in range(first[current], first[current + 1]):
                    row = matches[position, ORDER]
                    if not is_free(now, slot, matches, row):
                        continue
                    key = ranking[rank, RANK] + cost(now[slot, OPEN], matches, row)
                    place = enter(key, ranking[rank, DISTANCE], next_ranking, room)
                    # METEOR charges the distance to the path that goes on without the match, not to the longer one.
                    ranking[rank, DISTANCE] += abs(matches[row, START] - matches[row, FROM])
                    if place >= 0:
                        copy(now, slot, then, place, width)
                        take(then, place, matches, row)
                        then[place, STEP] = taken
                        steps[taken, 0], steps[taken, 1] = now[slot, STEP], row
                        taken += 1
                        room = min(room + 1, BEAM)
                ranking[rank, RANK] += skip(now, slot)
            place = enter(ranking[rank, RANK], ranking[rank, DISTANCE], next_ranking, room)
            if place >= 0:
                copy(now, slot, then, place, width)
                room = min(room + 1, BEAM)
        size = room
        now, then = then, now
        ranking, next_ranking = next_ranking, ranking
    pick_best(matches, now, ranking, size, steps, picks)


@njit(cache=True)
def close(paths: Paths, ranking: Ranking, size: int, current: int) -> bool:
    """Lead all paths past a word without a match; whether no chunk is open any more."""
    closed = True
    for rank in range(size):
        slot = ranking[rank, SLOT]
        if paths[slot, OPEN] != -1:
            if current >= paths[slot, NEXT]:
                ranking[rank, RANK] += skip(paths, slot)
            else:
                closed = False
        lift(ranking, rank)
    return closed


@njit(cache=True)
def follow(paths: Paths, ranking: Ranking, size: int, matches: Integers, row: int) -> None:
    """Lengthen all paths by a settled match, except those that are inside a longer one."""
    for rank in range(size):
        slot = ranking[rank, SLOT]
        if matches[row, START] >= paths[slot, NEXT]:
            ranking[rank, DISTANCE] += abs(matches[row, START] - matches[row, FROM])
            ranking[rank, RANK] += cost(paths[slot, OPEN], matches, row)
            take(paths, slot, matches, row)
        lift(ranking, rank)


@njit(cache=True)
def pick_best(
    matches: Integers, paths: Paths, ranking: Ranking, size: int, steps: Integers, picks: Integers
) -> None:
    """Close all chunks, and pick the matches of the best path."""
    for rank in range(size):
        ranking[rank, RANK] += skip(paths, ranking[rank, SLOT])
        lift(ranking, rank)
    step = paths[ranking[0, SLOT], STEP]
    while step >= 0:
        row = steps[step, 1]
        picks[matches[row, START]] = row
        step = steps[step, 0]


Scratch: TypeAlias = tuple[Integers, Marks, Marks]
"""The last link of each slot of synsets, and marks of the phrases of a response and of a reference."""
Texts: TypeAlias = tuple[Integers, Integers, Integers, Integers, Integers]
"""The words of all texts, their hashes, those of their stems; the phrases, and the end of each text's."""
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
