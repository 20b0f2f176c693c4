"""Counts of distinct n-grams of responses, all together and without each group of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dialeval.core import Integers
from dialeval.data.types import Example
from dialeval.text.ngrams.symbols import Numbering, Symbols, number_ngrams, number_words
from dialeval.text.tokenisers.table import TOKENISERS, Tokens


class Varieties(NamedTuple):
    """Counts of n-grams over all responses, and by group."""

    distinct: int
    total: int
    only: Integers
    """Of each group, the distinct n-grams that no other group has."""
    totals: Integers


def number_responses(examples: Sequence[Example], tokens: Tokens) -> Symbols:
    """The words of the responses by number."""
    return number_words(TOKENISERS[tokens]([e.response.text for e in examples]), Numbering())


def count_varieties(examples: Sequence[Example], groups: Integers, n: int, tokens: Tokens) -> Varieties:
    """Distinct n-grams and all of them; ``groups`` has the group of each example, counted from 0."""
    *_, (numbers, begin) = number_ngrams(number_responses(examples, tokens), n)
    of_group = np.repeat(groups, np.diff(begin))
    distinct, size = int(numbers.max(initial=-1)) + 1, int(groups.max(initial=-1)) + 1
    lowest, highest = np.full(distinct, size, np.int64), np.full(distinct, -1, np.int64)
    np.minimum.at(lowest, numbers, of_group)
    np.maximum.at(highest, numbers, of_group)
    only = np.bincount(lowest[lowest == highest], minlength=size)
    return Varieties(distinct, len(numbers), only, np.bincount(of_group, minlength=size))
