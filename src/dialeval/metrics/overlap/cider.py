"""CIDEr (Vedantam et al., 2015) as nlg-eval and pycocoevalcap compute it, known as CIDEr-D there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.errors import Unsuitable
from dialeval.metrics.rows import (
    MeanOfValues,
    NeedsReferences,
    item_texts,
    require_references,
    rows_of_values,
)
from dialeval.text.symbols import Integers, Numbering, Symbols, number_words
from dialeval.text.tokenisers.words import split_whitespace

Rows = NDArray[np.int32]

ORDER: Final = 4
SIGMA: Final = 6.0
DOCUMENTS_AT_ONCE: Final = 1024


@dataclass(frozen=True, slots=True)
class Cider(NeedsReferences, MeanOfValues[Example]):
    """Overlap of n-grams with the references, rare ones weighing more, from 0 to 10.

    Higher is better. The mean over 1- to 4-grams and over references of a cosine of tf-idf vectors, clipped and with a
    penalty for another length, times 10. How rare an n-gram is comes from the references of all items, so an item's
    value depends on the corpus it stands in: `fit` the metric to it first, as evaluate() does. With one item every
    n-gram is as common as can be, and the score is 0. The corpus score is the mean. An empty response scores 0.
    """

    name: ClassVar[str] = "cider"
    facts: ClassVar[tuple[tuple[str, str], ...]] = (
        *(("profile", "nlgeval"), ("order", "4"), ("sigma", "6"), ("idf", "references")),
        *(("tokens", "whitespace"), ("case", "mixed")),
    )
    """All but the corpus, whose digest is among the resources once the metric is fitted."""
    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 10.0)

    def fit(self, examples: Sequence[Example]) -> FittedCider:
        """CIDEr with weights from the references of ``examples``; several systems' responses to an item count once."""
        require_references("cider", examples)
        return FittedCider(_weigh(_documents(examples)))

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Unsuitable: there are no weights yet."""
        raise Unsuitable(
            "cider weighs n-grams by how rare they are in the references of the whole corpus, and it has seen none. "
            "Score with evaluate(), which fits it, or call fit(examples) and use what it returns."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights of the n-grams of a reference corpus."""

    numbers: Mapping[str, int]
    """The number of each word."""
    tables: tuple[Rows, Rows, Rows, Rows]
    """In how many documents each n-gram is: of words by number, of longer ones as tables of pairs."""
    weights: Floats
    """Of an n-gram by the number of its documents, first that of n-grams in no reference."""
    digest: str
    """sha256 of the documents, whatever their order."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedCider(NeedsReferences, MeanOfValues[Example]):
    """CIDEr with the weights of one reference corpus: what `Cider.fit` returns."""

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 10.0)
    weights: Weights

    @property
    def signature(self) -> Signature:
        """That of `Cider`."""
        return Cider().signature

    @property
    def resources(self) -> Mapping[str, str]:
        """The digest of the reference corpus, which moves every value."""
        return {"cider reference corpus": self.weights.digest}

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Rows of the example's score and 1."""
        from dialeval.metrics.overlap._kernels import score_cider, scratch, weighed

        require_references("cider", examples)
        texts, first = item_texts(examples)
        words = number_words(map(split_whitespace, texts), Numbering(self.weights.numbers))
        similarities, scores = np.zeros(len(texts)), np.zeros(len(examples))
        nodes = ORDER * int(np.diff(words.begin[first]).max(initial=0)) + 1
        score_cider(
            (words.symbols, words.begin),
            first,
            SIGMA,
            (*self.weights.tables, self.weights.weights),
            scratch(nodes),
            weighed(nodes),
            np.zeros((3, ORDER)),
            similarities,
            scores,
        )
        return rows_of_values((10.0 * scores).tolist())


def _documents(examples: Iterable[Example]) -> Iterator[tuple[str, ...]]:
    """The references of each item, once; of an item with several sets of references, each of them once."""
    known: dict[str, tuple[str, ...]] = {}
    more: set[tuple[str, tuple[str, ...]]] = set()
    for example in examples:
        before = len(known) + len(more)
        # Few items have more than one set, so hardly any pair is ever made.
        if known.setdefault(example.item, example.references) != example.references:
            more.add((example.item, example.references))
        if len(known) + len(more) > before:
            yield example.references


def _weigh(documents: Iterable[tuple[str, ...]]) -> Weights:
    numbering, count, digests = Numbering(), 0, bytearray()
    counts = _Counts()
    for chunk in _chunks(documents):
        digests += b"".join(map(_digest, chunk))
        texts = number_words((split_whitespace(text) for item in chunk for text in item), numbering)
        counts.add(texts, np.cumsum([0, *map(len, chunk)]).astype(np.int64), len(numbering))
        count += len(chunk)
    weights = np.log(max(count, 1)) - np.log(np.maximum(np.arange(count + 1), 1))
    # As numpy sorts them, bytes of one length come in the order of Python's.
    ascending = np.sort(np.frombuffer(digests, "S32")).tobytes()
    tables = (counts.words[: len(numbering)], counts.bigrams, counts.trigrams, counts.fourgrams)
    return Weights(dict(numbering), tables, weights, hashlib.sha256(ascending).hexdigest())


class _Counts:
    """In how many documents each n-gram is."""

    def __init__(self) -> None:
        from dialeval.text._pair_kernels import empty_table

        self.words: Rows = np.zeros(0, np.int32)
        self.bigrams, self.trigrams, self.fourgrams = empty_table(4), empty_table(), empty_table()
        self._used = [0, 0, 0]

    def add(self, texts: Symbols, first: Integers, words: int) -> None:
        """Count some documents, each the texts from one of ``first`` to the next; there are this many words by now."""
        from dialeval.metrics.overlap._kernels import count_words

        symbols, begin = texts
        self.words = _longer(self.words, words)
        touched = np.zeros(int(np.diff(begin[first]).max(initial=0)), np.int64)
        count_words((symbols, begin), first, self.words, touched)
        pairs = np.zeros(len(symbols), np.int64)
        room = (begin, first, pairs, touched)
        self.bigrams = self._count(2, self.bigrams, (symbols, symbols, 1), room)
        self.trigrams = self._count(3, self.trigrams, (pairs, symbols, 2), room)
        self.fourgrams = self._count(4, self.fourgrams, (pairs, pairs, 2), room)

    def _count(
        self,
        n: int,
        table: Rows,
        parts: tuple[Integers, Integers, int],
        room: tuple[Integers, Integers, Integers, Integers],
    ) -> Rows:
        from dialeval.metrics.overlap._kernels import count_pairs
        from dialeval.text._pair_kernels import warm, with_room

        lefts, rights, shift = parts
        begin, first, pairs, touched = room
        table = with_room(table, self._used[n - 2], len(lefts))
        warm(table, lefts, rights[shift:], 0, len(lefts) - shift)
        self._used[n - 2] = count_pairs(parts, n, begin, first, table, pairs, touched, self._used[n - 2])
        return table


def _chunks(documents: Iterable[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    stream = iter(documents)
    while chunk := list(islice(stream, DOCUMENTS_AT_ONCE)):
        yield chunk


def _digest(references: Sequence[str]) -> bytes:
    # Lengths stand before the texts, so that no two documents run together into the same bytes.
    texts = [text.encode("utf-8", "surrogatepass") for text in sorted(set(references))]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(text), text) for text in texts)).digest()


def _longer(values: Rows, size: int) -> Rows:
    if len(values) >= size:
        return values
    longer = np.zeros(max(size, 2 * len(values)), np.int32)
    longer[: len(values)] = values
    return longer
