"""METEOR 1.5 for English (Denkowski and Lavie, 2014) as its jar computes it, without Java."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.metrics.meteor.lexicon import Lexicon, numbers_of
from dialeval.metrics.meteor.tables import RESOURCE, load_tables
from dialeval.metrics.rows import NeedsReferences, require_references
from dialeval.resources import locate

ALPHA: Final = 0.85
BETA: Final = 0.2
GAMMA: Final = 0.6
DELTA: Final = 0.75
WEIGHTS: Final = (1.0, 0.6, 0.8, 0.6)
"""Of matches that are exact, by stem, by synonym, by paraphrase."""

EXAMPLES_AT_ONCE: Final = 4096
"""What the aligner knows of texts takes some 100 bytes a word."""
_CHUNKS: Final = 20
_COUNT: Final = 23


@dataclass(frozen=True, slots=True)
class Meteor(NeedsReferences):
    """Words aligned with a reference exactly or by stem, synonym or paraphrase, in [0, 1].

    A weighted harmonic mean of precision and recall in which function words count a third of content words, lowered
    where the matches lie in many chunks. Of several references the one of the highest score counts, the first of
    equals. The corpus score pools the counts of those, so it is not the mean of the examples' scores. Texts without
    a common word score 0, empty ones too, even against an empty reference.
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __post_init__(self) -> None:
        # Found now, verified on first use: who lacks the tables should hear of it before a long run begins.
        locate(RESOURCE)

    @property
    def signature(self) -> Signature:
        """All that could move the number."""
        tables = f"{RESOURCE.name}:{(RESOURCE.sha256 or '')[:12]}"
        facts = (
            ("profile", "1.5"),
            ("language", "en"),
            ("tokens", "norm"),
            ("case", "lower"),
            ("tables", tables),
        )
        return Signature("meteor", (), facts)

    @property
    def resources(self) -> Mapping[str, str]:
        """METEOR's jar and paraphrases."""
        return {RESOURCE.name: RESOURCE.sha256 or ""}

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the jar's 23 numbers for the best reference (see ``aggregate``), and 1 for the example."""
        require_references("meteor", examples)
        counts = np.array([len(example.references) for example in examples], np.int64)
        pairs = np.zeros((int(counts.sum()), _COUNT))
        first = 0
        for start in range(0, len(examples), EXAMPLES_AT_ONCE):
            block = slice(start, start + EXAMPLES_AT_ONCE)
            last = first + int(counts[block].sum())
            _fill_pair_rows(examples[block], counts[block], pairs[first:last])
            first = last
        # One chunk of all words is not a fragment: the jar exempts it from the penalty, and from the corpus's chunks.
        whole = (pairs[:, 0] == pairs[:, 21]) & (pairs[:, 1] == pairs[:, 22]) & (pairs[:, _CHUNKS] == 1)
        pairs[whole, _CHUNKS] = 0
        rows = np.ones((len(examples), _COUNT + 1))
        rows[:, :_COUNT] = pairs[_first_best(_score(pairs), counts)]
        return rows

    def aggregate(self, totals: Floats) -> Floats:
        """METEOR of summed rows: parameterised F-mean times one minus the fragmentation penalty; NaN of no example."""
        return np.where(totals[..., _COUNT] > 0, _score(totals), np.nan)


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon of METEOR's tables, with the words that were met since."""
    return Lexicon(load_tables())


def _fill_pair_rows(examples: Sequence[Example], counts: NDArray[np.int64], rows: Floats) -> None:
    """Put the jar's statistics of every example with each of its references into zeros, shape (references, 23)."""
    from dialeval.metrics.meteor._kernels import align, scratch

    texts = chain.from_iterable((example.response.text, *example.references) for example in examples)
    encoded = lexicon().encode(list(texts))
    first = np.cumsum(counts + 1) - counts - 1
    pairs = np.empty((int(counts.sum()), 2), np.int32)
    pairs[:, 0] = np.repeat(first, counts)
    pairs[:, 1] = np.setdiff1d(np.arange(len(encoded.ends) - 1), first, assume_unique=True)
    tables = load_tables()
    trie = tuple(
        numbers_of(tables[name]) for name in ("node_words", "first_child", "first_target", "targets")
    )
    facts = tuple(encoded.facts)
    align(encoded.words, encoded.ends, pairs, facts, trie, scratch(), rows)


def _first_best(scores: Floats, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position of the first of the highest scores of each group, given the sizes of the groups."""
    starts = np.cumsum(counts) - counts
    if not len(counts):
        return starts
    best = np.repeat(np.maximum.reduceat(scores, starts), counts)
    winners = np.flatnonzero(scores == best)
    return winners[np.searchsorted(winners, starts)]


def _score(rows: Floats) -> Floats:
    """The jar's formula, in its order of operations; 0 where nothing matched."""
    content = np.zeros((*rows.shape[:-1], 2))
    function = np.zeros_like(content)
    for module, weight in enumerate(WEIGHTS):
        index = 4 + 4 * module
        content += rows[..., index : index + 2] * weight * DELTA
        function += rows[..., index + 2 : index + 4] * weight * (1 - DELTA)
    lengths = DELTA * (rows[..., 0:2] - rows[..., 2:4]) + (1 - DELTA) * rows[..., 2:4]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (content + function) / lengths
        mean = 1 / ((1 - ALPHA) / shares[..., 0] + ALPHA / shares[..., 1])
        fragmentation = rows[..., _CHUNKS] / ((rows[..., 21] + rows[..., 22]) / 2)
        score = mean * (1 - GAMMA * fragmentation**BETA)
    return np.where(np.isnan(score), 0.0, np.maximum(score, 0.0))
