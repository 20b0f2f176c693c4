"""chrF (Popović, 2015) and chrF++ (Popović, 2017) as sacrebleu computes them (Post, 2018)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from dialeval.core import Floats
from dialeval.data.types import Example
from dialeval.errors import DialevalError
from dialeval.metrics.rows import NeedsReferences, item_texts, require_references
from dialeval.text.symbols import Integers, Numbering, Symbols, number_characters, number_words

PUNCTUATION: Final = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True, slots=True)
class Chrf(NeedsReferences):
    """Overlap of a response's character n-grams with its best reference, as an F-measure in [0, 1].

    Higher is better. Precision and recall are means over 1- to ``char_order``-grams of characters without whitespace,
    and over 1- to ``word_order``-grams of words (2 for chrF++); lengths of n-grams that either text is too short for
    are left out of the means. Recall weighs ``beta`` squared times as much as precision. Of several references the
    one with the highest score counts, the first of equals. The corpus score pools these counts, so it is not the mean
    of the examples' scores. It is sacrebleu's divided by 100. An empty response or reference scores 0.
    """

    name: ClassVar[str] = "chrf"
    facts: ClassVar[tuple[tuple[str, str], ...]] = (("profile", "sacrebleu"), ("whitespace", "no"))
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    char_order: int = 6
    word_order: int = 0
    beta: float = 2.0
    lowercase: bool = False

    def __post_init__(self) -> None:
        for name, value, least in (("char_order", self.char_order, 1), ("word_order", self.word_order, 0)):
            if not least <= value <= 10:
                expected = f"a whole number from {least} to 10"
                raise DialevalError(f"The parameter {name!r} of chrf: found {value!r}, expected {expected}.")
        if not 0 < self.beta <= 1000:
            expected = "a number above 0 and at most 1000"
            raise DialevalError(f"The parameter 'beta' of chrf: found {self.beta!r}, expected {expected}.")

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the response's n-grams, the best reference's, and matches, for each length, and 1 for the example."""
        from dialeval.metrics.overlap._kernels import choose_references

        require_references("chrf", examples)
        texts, first = item_texts(examples)
        if self.lowercase:
            texts = [text.lower() for text in texts]
        parts = [_matches(number_characters(texts), first, self.char_order)]
        if self.word_order:
            words = number_words(map(_words, texts), Numbering())
            parts.append(_matches(words, first, self.word_order))
        counts = np.concatenate(parts, axis=1)
        best = np.zeros(len(examples), np.int64)
        choose_references(counts, first, self.beta**2, best)
        return np.concatenate([counts[best], np.ones((len(examples), 1))], axis=1)

    def aggregate(self, totals: Floats) -> Floats:
        """The score of summed rows; NaN of no example."""
        ours, theirs, matches = (totals[..., index:-1:3] for index in range(3))
        effective = (ours > 0) & (theirs > 0)
        orders = np.maximum(effective.sum(axis=-1), 1)
        precision = np.where(effective, matches / np.where(effective, ours, 1), 0).sum(axis=-1) / orders
        recall = np.where(effective, matches / np.where(effective, theirs, 1), 0).sum(axis=-1) / orders
        weight, matched = self.beta**2, precision + recall > 0
        score = (1 + weight) * precision * recall / np.where(matched, weight * precision + recall, 1)
        return np.where(totals[..., -1] > 0, score, np.nan)


def _matches(texts: Symbols, first: Integers, order: int) -> Floats:
    """For each reference, and for each n: n-grams of its response, its own, and how many of them match."""
    from dialeval.metrics.overlap._kernels import count_matches, scratch

    counts = np.zeros((len(texts.begin) - 1, 3 * order))
    longest = int(np.diff(texts.begin)[first[:-1]].max(initial=0))
    count_matches((texts.symbols, texts.begin), first, order, scratch(order * longest + 1), counts)
    return counts


def _words(text: str) -> list[str]:
    return [part for word in text.split() for part in _parts(word)]


def _parts(word: str) -> Iterator[str]:
    """A word with one punctuation mark taken off its end, else off its start."""
    if len(word) > 1 and word[-1] in PUNCTUATION:
        yield from (word[:-1], word[-1])
    elif len(word) > 1 and word[0] in PUNCTUATION:
        yield from (word[0], word[1:])
    else:
        yield word
