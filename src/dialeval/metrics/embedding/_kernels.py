"""Compiled loops over encoded texts; one example at a time, so that its batch cannot matter.

``owners[i]`` is the beginning of example i's texts: its response, then its references; the last entry ends the last
example. ``best`` keeps its NaN if a response or all its references have no vector. Sums are in float64, but for
the cosines of word pairs, whose float32 moves a greedy score by some 1e-7. Loops are spelled out, without slices or
new arrays, because those take numba seconds to compile.
"""

from __future__ import annotations

from typing import Final

from numba import njit

from dialeval.core import Floats
from dialeval.metrics.embedding.vectors import Integers, Vectors

# Sums may be reordered for the sake of vector instructions; the order is then fixed in the compiled code.
_ANY_ORDER: Final = {"reassoc", "contract"}


@njit(cache=True)
def best_averages(
    matrix: Vectors,
    words: Integers,
    starts: Integers,
    owners: Integers,
    response: Floats,
    reference: Floats,
    best: Floats,
) -> None:
    """Fill ``best`` with the best cosine, over the references, of the sums of the texts' vectors."""
    for example in range(best.size):
        first = owners[example]
        if starts[first] == starts[first + 1]:
            continue
        _add_up(matrix, words, starts[first], starts[first + 1], response)
        for text in range(first + 1, owners[example + 1]):
            if starts[text] < starts[text + 1]:
                _add_up(matrix, words, starts[text], starts[text + 1], reference)
                cosine = _cosine(response, reference)
                if not best[example] >= cosine:
                    best[example] = cosine


@njit(cache=True)
def best_extrema(
    matrix: Vectors,
    words: Integers,
    starts: Integers,
    owners: Integers,
    response: Vectors,
    reference: Vectors,
    best: Floats,
) -> None:
    """Fill ``best`` with the best cosine, over the references, of the extrema of the texts' vectors."""
    for example in range(best.size):
        first = owners[example]
        if starts[first] == starts[first + 1]:
            continue
        _keep_extrema(matrix, words, starts[first], starts[first + 1], response)
        for text in range(first + 1, owners[example + 1]):
            if starts[text] < starts[text + 1]:
                _keep_extrema(matrix, words, starts[text], starts[text + 1], reference)
                cosine = _cosine(response, reference)
                if not best[example] >= cosine:
                    best[example] = cosine


@njit(cache=True)
def best_matches(
    units: Vectors,
    words: Integers,
    starts: Integers,
    owners: Integers,
    response: Vectors,
    closest: Floats,
    row: Vectors,
    four: Vectors,
    best: Floats,
) -> None:
    """Fill ``best`` with the best greedy match over the references.

    ``units`` are the words' vectors, which are scaled in place to length one. ``response`` and ``closest`` are
    scratch for the words of the longest text and three more, ``row`` for one word, ``four`` for as many cosines.
    """
    _scale_to_one(units)
    for example in range(best.size):
        first = owners[example]
        size = starts[first + 1] - starts[first]
        if size == 0:
            continue
        for index in range(size):
            word = words[starts[first] + index]
            for dimension in range(row.size):
                response[index, dimension] = units[word, dimension]
        for text in range(first + 1, owners[example + 1]):
            if starts[text] < starts[text + 1]:
                score = _match(
                    units, words, starts[text], starts[text + 1], response, size, closest, row, four
                )
                if not best[example] >= score:
                    best[example] = score


@njit(cache=True)
def _add_up(matrix: Vectors, words: Integers, start: int, end: int, pooled: Floats) -> None:
    for dimension in range(pooled.size):
        pooled[dimension] = 0.0
    for index in range(start, end):
        word = words[index]
        for dimension in range(pooled.size):
            pooled[dimension] += matrix[word, dimension]


@njit(cache=True)
def _keep_extrema(matrix: Vectors, words: Integers, start: int, end: int, pooled: Vectors) -> None:
    word = words[start]
    for dimension in range(pooled.size):
        pooled[dimension] = matrix[word, dimension]
    for index in range(start + 1, end):
        word = words[index]
        for dimension in range(pooled.size):
            kept, value = pooled[dimension], matrix[word, dimension]
            low = value if value < kept else kept
            high = value if value > kept else kept
            # As in nlg-eval, the lower one stays where both are equally far from 0.
            pooled[dimension] = high if high > -low else low


@njit(cache=True, fastmath=_ANY_ORDER)
def _cosine(left: Floats | Vectors, right: Floats | Vectors) -> float:
    both = left_square = right_square = 0.0
    for index in range(left.size):
        # Through float(): products of float32 would be rounded before they are summed.
        value, other = float(left[index]), float(right[index])
        both += value * other
        left_square += value * value
        right_square += other * other
    if left_square == 0.0 or right_square == 0.0:
        return 0.0
    return float(min(max(both / (left_square**0.5 * right_square**0.5), -1.0), 1.0))


@njit(cache=True, fastmath=_ANY_ORDER)
def _scale_to_one(rows: Vectors) -> None:
    for index in range(rows.shape[0]):
        square = 0.0
        for dimension in range(rows.shape[1]):
            square += float(rows[index, dimension]) * float(rows[index, dimension])
        scale = 1 / square**0.5 if square > 0 else 0.0
        for dimension in range(rows.shape[1]):
            rows[index, dimension] *= scale


@njit(cache=True)
def _match(
    units: Vectors,
    words: Integers,
    start: int,
    end: int,
    response: Vectors,
    size: int,
    closest: Floats,
    row: Vectors,
    four: Vectors,
) -> float:
    """The mean of each word's cosine with the closest word of the other text, averaged over both directions."""
    for other in range(size):
        closest[other] = -1.0
    of_reference = 0.0
    for index in range(start, end):
        word = words[index]
        for dimension in range(row.size):
            row[dimension] = units[word, dimension]
        highest = -1.0
        for first in range(0, size, 4):
            _four_cosines(response, first, row, four)
            for other in range(first, min(first + 4, size)):
                cosine = four[other - first]
                highest = max(highest, cosine)
                closest[other] = max(closest[other], cosine)
        of_reference += highest
    of_response = 0.0
    for other in range(size):
        of_response += closest[other]
    return min((of_response / size + of_reference / (end - start)) / 2, 1.0)


@njit(cache=True, fastmath=_ANY_ORDER)
def _four_cosines(rows: Vectors, start: int, row: Vectors, four: Vectors) -> None:
    """The products of four rows with one, read together so that each number of ``row`` is read once."""
    zero = row[0] * 0
    first = second = third = fourth = zero
    for dimension in range(row.size):
        value = row[dimension]
        first += rows[start, dimension] * value
        second += rows[start + 1, dimension] * value
        third += rows[start + 2, dimension] * value
        fourth += rows[start + 3, dimension] * value
    four[0] = first
    four[1] = second
    four[2] = third
    four[3] = fourth
