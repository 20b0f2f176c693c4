"""CIDEr (Vedantam et al., 2015) as nlg-eval and pycocoevalcap compute it, known as CIDEr-D there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Final

import numpy as np

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
from dialeval.text.ngrams.symbols import Integers, Numbering, number_words
from dialeval.text.tokenisers.words import split_whitespace

ORDER: Final = 4
SIGMA: Final = 6.0
DOCUMENTS_AT_ONCE: Final = 4096


@dataclass(frozen=True, slots=True)
class Cider(NeedsReferences, MeanOfValues):
    """Overlap of n-grams with the references, rare ones weighing more, from 0 to 10.

    Higher is better. The mean over 1- to 4-grams and over references of a cosine of tf-idf vectors, clipped and with a
    penalty for another length, times 10. How rare an n-gram is comes from the references of all items, so an item's
    value depends on the corpus it stands in: `fit` the metric to it first, as evaluate() does. With one item every
    n-gram is as common as can be, and the score is 0. The corpus score is the mean. An empty response scores 0.
    """

    higher_is_better: ClassVar[bool] = True
    limits: ClassVar[tuple[float, float]] = (0.0, 10.0)

    @property
    def signature(self) -> Signature:
        """All that could move the number but the corpus, whose digest is among the resources once fitted."""
        facts = (("profile", "nlgeval"), ("order", "4"), ("sigma", "6"), ("idf", "references"))
        return Signature("cider", (), (*facts, ("tokens", "whitespace"), ("case", "mixed")))

    def fit(self, examples: Sequence[Example]) -> FittedCider:
        """CIDEr with weights from the references of ``examples``; several systems' responses to an item count once."""
        require_references("cider", examples)
        return FittedCider(_weigh({(e.item, e.references): None for e in examples}))

    def statistics(self, examples: Sequence[Example]) -> Floats:
        """Unsuitable: there are no weights yet."""
        raise Unsuitable(
            "cider weighs n-grams by how rare they are in the references of the whole corpus, and it has seen none. "
            "Score with evaluate(), which fits it, or call fit(examples) and use what it returns."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """How much each n-gram of a reference corpus weighs."""

    numbers: Mapping[str, int]
    """The number of each word."""
    trie: Integers
    """Of all n-grams of the references."""
    weights: Floats
    """Of each node; the root's is that of n-grams in no reference."""
    digest: str
    """sha256 of the documents, whatever their order."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedCider(NeedsReferences, MeanOfValues):
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
        from dialeval.metrics.overlap._ngram_kernels import score_cider, scratch, weighed

        require_references("cider", examples)
        texts, first = item_texts(examples)
        words = number_words(map(split_whitespace, texts), Numbering(self.weights.numbers))
        similarities, scores = np.zeros(len(texts)), np.zeros(len(examples))
        nodes = ORDER * int(np.diff(words.begin[first]).max(initial=0)) + 1
        score_cider(
            (words.symbols, words.begin),
            first,
            SIGMA,
            self.weights.trie,
            self.weights.weights,
            scratch(nodes),
            weighed(nodes),
            np.zeros((3, ORDER)),
            similarities,
            scores,
        )
        return rows_of_values((10.0 * scores).tolist())


def _weigh(documents: Iterable[tuple[str, tuple[str, ...]]]) -> Weights:
    from dialeval.metrics.overlap._ngram_kernels import count_documents, empty_trie, move

    numbering = Numbering()
    trie, used, before = empty_trie(1), 1, 0
    frequencies = seen = np.zeros(1, np.int64)
    digests = []
    for chunk in _chunks(reference for _, reference in documents):
        digests += [_digest(references) for references in chunk]
        texts = number_words((split_whitespace(text) for item in chunk for text in item), numbering)
        first = np.cumsum([0, *map(len, chunk)]).astype(np.int64)
        needed = used + ORDER * len(texts.symbols)
        if 4 * needed > len(trie):
            old, trie = trie, empty_trie(max(needed, 2 * used))
            move(old, trie)
        frequencies, seen = (_longer(values, needed) for values in (frequencies, seen))
        used = count_documents(
            (texts.symbols, texts.begin), first, ORDER, trie, frequencies, seen, used, before
        )
        before += len(chunk)
    weights = np.log(max(before, 1)) - np.log(np.maximum(frequencies[:used], 1))
    return Weights(dict(numbering), trie, weights, hashlib.sha256(b"".join(sorted(digests))).hexdigest())


def _chunks(documents: Iterable[tuple[str, ...]]) -> Iterator[list[tuple[str, ...]]]:
    stream = iter(documents)
    while chunk := list(islice(stream, DOCUMENTS_AT_ONCE)):
        yield chunk


def _digest(references: Sequence[str]) -> bytes:
    # Lengths stand before the texts, so that no two documents run together into the same bytes.
    texts = [text.encode("utf-8", "surrogatepass") for text in sorted(set(references))]
    return hashlib.sha256(b"".join(b"%d:%b" % (len(text), text) for text in texts)).digest()


def _longer(values: Integers, size: int) -> Integers:
    if len(values) >= size:
        return values
    longer = np.zeros(max(size, 2 * len(values)), np.int64)
    longer[: len(values)] = values
    return longer
