"""Search by words (BM25 in tantivy) and by meaning (cosines of unit vectors in faiss)."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from dialeval.engine import SILENT, Progress
from dialeval.files.atomic import atomic_path
from dialeval.resources import require_library
from dialeval.selection.repository.sentence_vectors import Vectors, units_without
from dialeval.selection.repository.words import words
from dialeval.text.search import Hit

if TYPE_CHECKING:
    import faiss
    import tantivy


_WORDS: Final = "words"
_ID: Final = "id"
_HEAP_BYTES: Final = 128_000_000
_COUNTED_AT_ONCE: Final = 10_000
# Tantivy's scores have the constant factor k1 + 1, which Lucene left out in version 8.
_FACTOR: Final = 2.2
_DECIMALS: Final = 4
FLAT_UP_TO: Final = 200_000
"""Repositories up to this size are searched exactly."""
_AT_ONCE: Final = 16_384
_SPARE: Final = 16
_SEEN_PER_CELL: Final = 40
_SEED: Final = 7


class WordIndex(Protocol):
    """Something that finds utterances by their words."""

    def search(self, queries: Sequence[Sequence[str]], k: int) -> list[list[Hit]]:
        """For each query, at most ``k`` utterances with one of its words or more, best first, ties by id."""


@dataclass(frozen=True, slots=True, eq=False)
class LexicalIndex:
    """A folder of tantivy's that ranks utterances by BM25 with k1 = 1.2 and b = 0.75.

    Equal to ``text.search.bm25`` but for two things: scores are 32-bit floats, so those that agree to four decimals
    are ties; and like Lucene it rounds the lengths of utterances of more than 40 words.
    """

    index: tantivy.Index

    @classmethod
    def open(cls, folder: Path) -> LexicalIndex:
        """The index in this folder."""
        require_library("tantivy", "Search by words")
        import tantivy

        return cls(tantivy.Index.open(str(folder)))

    def search(self, queries: Sequence[Sequence[str]], k: int) -> list[list[Hit]]:
        """For each query, at most ``k`` utterances with one of its words or more, best first, ties by id."""
        searcher = self.index.searcher()
        return [self._search(searcher, list(dict.fromkeys(query)), k) for query in queries]

    def _search(self, searcher: tantivy.Searcher, query: Sequence[str], k: int) -> list[Hit]:
        import tantivy

        if not query or k < 1:
            return []
        limit = k + 8
        terms = [tantivy.Query.term_query(self.index.schema, _WORDS, word) for word in query]
        asked = tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])
        while True:
            found = searcher.search(asked, limit, count=False).hits
            # Where the last one found ties with the k-th, others may tie too, with lower ids.
            if len(found) < limit or _rounded(found[-1][0]) < _rounded(found[k - 1][0]):
                break
            limit *= 4
        ids = searcher.fast_field_values(_ID, [address for _, address in found])
        hits = [Hit(int(at or 0), _rounded(score)) for (score, _), at in zip(found, ids, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.document))[:k]


def build_lexical(utterances: Iterable[str], folder: Path, *, progress: Progress = SILENT) -> LexicalIndex:
    """An index of these utterances, numbered from 0, in a folder that appears when all of it is written."""
    require_library("tantivy", "Search by words")
    import tantivy

    scratch = folder.with_name(folder.name + ".part")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    schema = tantivy.SchemaBuilder()
    # Our words joined by spaces, so that tantivy's idea of a word is ours; counts, but no positions, are kept.
    schema.add_text_field(_WORDS, tokenizer_name="whitespace", index_option="freq")
    schema.add_integer_field(_ID, fast=True)
    index = tantivy.Index(schema.build(), path=str(scratch))
    writer, done = index.writer(_HEAP_BYTES, 1), 0
    for done, text in enumerate(utterances, start=1):
        writer.add_document(tantivy.Document(id=done - 1, words=" ".join(words(text))))
        if done % _COUNTED_AT_ONCE == 0:
            progress.advance(_COUNTED_AT_ONCE)
    writer.commit()
    writer.wait_merging_threads()
    progress.advance(done % _COUNTED_AT_ONCE)
    scratch.replace(folder)
    return LexicalIndex.open(folder)


def _rounded(score: float) -> float:
    return round(score / _FACTOR, _DECIMALS)


class VectorIndex(Protocol):
    """Something that finds utterances by the cosine of their vectors."""

    def search(self, vectors: Vectors, k: int) -> list[list[Hit]]:
        """For each unit vector, at most ``k`` utterances, the nearest first, ties by id; none for a zero vector."""


@dataclass(frozen=True, slots=True, eq=False)
class NearestIndex:
    """An index of faiss over unit vectors, by inner product; cosines that agree to four decimals are ties."""

    index: faiss.Index

    def search(self, vectors: Vectors, k: int) -> list[list[Hit]]:
        """For each unit vector, at most ``k`` utterances, the nearest first, ties by id; none for a zero vector."""
        # A few more than asked for: utterances of the same words tie, and faiss keeps any of them.
        fetched = min(k + _SPARE, self.index.ntotal)
        if k < 1 or fetched < 1 or not len(vectors):
            return [[] for _ in vectors]
        scores, ids = self.index.search(np.ascontiguousarray(vectors, np.float32), fetched)
        empty = [not vector.any() for vector in vectors]
        return [
            [] if nothing else sorted(_hits(row, result), key=lambda hit: (-hit.score, hit.document))[:k]
            for row, result, nothing in zip(scores, ids, empty, strict=True)
        ]


def flat_index(averages: Vectors, component: Vectors) -> NearestIndex:
    """The exact index over SIF averages, shape (n, dimensions), less the component."""
    require_library("faiss", "Search by meaning", install="faiss-cpu")
    import faiss

    index = faiss.IndexFlatIP(averages.shape[1])
    for start in range(0, len(averages), _AT_ONCE):
        index.add(units_without(averages[start : start + _AT_ONCE], component))
    return NearestIndex(index)


def build_cells(averages: Vectors, component: Vectors, path: Path, *, progress: Progress = SILENT) -> None:
    """Write the index that parts unit vectors into cells and keeps a byte per number (IVF, SQ8).

    About 2 sqrt(n) cells, of which a query looks into one in 32; they are found on an even sample.
    """
    require_library("faiss", "Search by meaning", install="faiss-cpu")
    import faiss

    cells = cells_for(len(averages))
    quantiser = faiss.IndexFlatIP(averages.shape[1])
    index = faiss.IndexIVFScalarQuantizer(
        quantiser, averages.shape[1], cells, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.seed = _SEED
    index.train(units_without(averages[even_sample(len(averages), _SEEN_PER_CELL * cells)], component))
    for start in range(0, len(averages), _AT_ONCE):
        index.add(units_without(averages[start : start + _AT_ONCE], component))
        progress.advance(min(_AT_ONCE, len(averages) - start))
    index.nprobe = cells_searched(len(averages))
    with atomic_path(path) as scratch:
        faiss.write_index(index, str(scratch))


def open_cells(path: Path) -> NearestIndex:
    """The index that ``build_cells`` wrote."""
    require_library("faiss", "Search by meaning", install="faiss-cpu")
    import faiss

    return NearestIndex(faiss.read_index(str(path)))


def cells_for(count: int) -> int:
    """Into how many cells this many vectors are divided: about 2 sqrt(n), a power of two."""
    return 1 << round(math.log2(max(2 * math.sqrt(count), 1)))


def cells_searched(count: int) -> int:
    """Number of them that a query looks into: one in 32, and 16 at the least."""
    return max(16, cells_for(count) // 32)


def even_sample(n: int, enough: int) -> slice:
    """About ``enough`` of n places, rather more than fewer, evenly spaced from the first."""
    return slice(0, n, max(1, n // enough))


def _hits(scores: Sequence[float], ids: Sequence[int]) -> list[Hit]:
    # faiss pads with -1 where the cells it looked into hold too few.
    return [
        Hit(int(at), round(float(score), _DECIMALS)) for score, at in zip(scores, ids, strict=True) if at >= 0
    ]
