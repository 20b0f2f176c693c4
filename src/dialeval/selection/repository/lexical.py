"""Search by words: BM25 in tantivy (Robertson and Zaragoza, 2009), which computes it as Lucene does."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from dialeval.engine import SILENT, Progress
from dialeval.resources import require_library
from dialeval.selection.repository.words import words
from dialeval.text.search import Hit

if TYPE_CHECKING:
    import tantivy

_WORDS: Final = "words"
_ID: Final = "id"
_HEAP_BYTES: Final = 128_000_000
_COUNTED_AT_ONCE: Final = 10_000
# Tantivy's scores have the constant factor k1 + 1, which Lucene left out in version 8.
_FACTOR: Final = 2.2
_DECIMALS: Final = 4


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
