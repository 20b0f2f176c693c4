"""Search of a repository by words and by meaning, compared with a scan of every utterance; cost of building it.

``DIALEVAL_UTTERANCES`` sets the size, by default a million: real turns of several corpora, then recombined halves of
real turns. The scan by words compares every word of every utterance with the query's in numpy and sums BM25;
the scan by meaning multiplies every unit vector with the query's in float32. Both have their arrays ready in memory.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.fresh import fresh
from bench.real_text import timed
from bench.result import BenchResult
from bench.selection_corpora import CORPORA, absent, dailydialog, recombined, turns
from dialeval.selection.repository.repository import Repository, build_repository
from dialeval.selection.repository.sentence_vectors import Vectors
from dialeval.selection.repository.words import content_words, tidy, words
from dialeval.text.search import Hit

SIZE: Final = int(os.environ.get("DIALEVAL_UTTERANCES", 1_000_000))
FOLDER: Final = Path(
    os.environ.get("DIALEVAL_BENCH_FOLDER", Path(tempfile.gettempdir()) / f"dialeval-retrieval-{SIZE}")
)
QUERIES, SCANNED, BEST = 300, 20, 50


def run() -> Iterator[BenchResult]:
    """Building, opening, then both searches beside a scan."""
    if absent("retrieval"):
        return
    write_source()
    nan = float("nan")
    built = fresh("bench.retrieval", "build")
    note = f"{SIZE / built.seconds:,.0f} utterances/s, static vectors, all of it on disk; no peer"
    yield BenchResult(f"repository, {SIZE:,} utterances", built.seconds, nan, note, built.peak_mb)
    opened = fresh("bench.retrieval", "search_all")
    repository = Repository.open(FOLDER / "repository")
    note = (
        f"opening and {QUERIES} queries of both kinds in a new process, {_size_mb():,.0f} MB on disk; no peer"
    )
    yield BenchResult(f"open and search, {len(repository):,}", opened.seconds, nan, note, opened.peak_mb)
    yield _by_words(repository)
    yield _by_meaning(repository)


def write_source() -> None:
    """The utterances, one a line; real ones first."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "utterances.txt"
    if path.is_file():
        return
    real = [" ".join(turn.split()) for corpus in CORPORA for turn in turns(corpus)]
    made = recombined([text for text in real if len(text.split()) > 5], max(0, 2 * SIZE - len(real)))
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{text}\n" for text in _usable(chain(real, made)))


def build() -> None:
    build_repository([FOLDER / "utterances.txt"], FOLDER / "repository", vectors="static")


def search_all() -> None:
    repository = Repository.open(FOLDER / "repository")
    texts = asked()
    repository.engine.lexical.search([content_words(text) for text in texts], BEST)
    repository.engine.nearest.search(repository.vectors.units(texts), BEST)


def asked() -> list[str]:
    """What was said fourth in DailyDialog's dialogues for validation."""
    found = [tidy(dialogue.turns[3].text) for dialogue in dailydialog() if len(dialogue.turns) > 3]
    return [text for text in found if content_words(text)][:QUERIES]


def _usable(texts: Iterator[str]) -> Iterator[str]:
    from dialeval.selection.repository.utterances import Filters, Sieve

    for at, text in enumerate(Sieve(Filters(tidy=False)).pass_through(texts), start=1):
        yield text
        if at == SIZE:
            return


def _by_words(repository: Repository) -> BenchResult:
    queries = [content_words(text) for text in asked()]
    ours, hits = timed(lambda: repository.engine.lexical.search(queries, BEST), repeats=2)
    scan = _word_scan(repository)
    peer, scores = timed(lambda: [scan(query) for query in queries[:SCANNED]], repeats=1)
    apart = max(_apart(own, found) for own, found in zip(scores, hits, strict=False))
    mean = sum(map(len, queries)) / len(queries)
    note = (
        f"{len(queries)} queries of {mean:.1f} words, {len(queries) / ours:,.0f}/s; scan of all words in numpy; scores "
        f"at most {apart:.0e} apart"
    )
    return BenchResult(f"search by words, {len(repository):,}", ours, peer / SCANNED * len(queries), note)


def _by_meaning(repository: Repository) -> BenchResult:
    vectors = repository.vectors.units(asked())
    ours, hits = timed(lambda: repository.engine.nearest.search(vectors, BEST), repeats=2)
    units = np.concatenate(list(repository.vectors.stored_units()))
    peer, _ = timed(lambda: [units @ vector for vector in vectors[:SCANNED]], repeats=2)
    recall = np.mean([_recall(units @ vector, found) for vector, found in zip(vectors, hits, strict=True)])
    speed = f"{len(vectors)} queries, {len(vectors) / ours:,.0f}/s"
    note = f"{speed}; exact dot products one query at a time; recall@10 {recall:.3f}"
    return BenchResult(f"search by meaning, {len(repository):,}", ours, peer / SCANNED * len(vectors), note)


def _word_scan(repository: Repository) -> Callable[[Sequence[str]], NDArray[np.float64]]:
    """BM25 of every utterance for a query, by looking at every word of every utterance."""
    numbers: dict[str, int] = {}
    split = [
        [numbers.setdefault(word, len(numbers)) for word in words(text)] for text in repository.all_texts()
    ]
    lengths = np.fromiter(map(len, split), np.int64, len(split))
    flat = np.fromiter(chain.from_iterable(split), np.int32, int(lengths.sum()))
    owners = np.repeat(np.arange(len(split), dtype=np.int32), lengths)
    damping = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())

    def scan(query: Sequence[str]) -> NDArray[np.float64]:
        scores = np.zeros(len(lengths))
        for word in query:
            counts = np.bincount(owners[flat == numbers.get(word, -1)], minlength=len(lengths))
            having = np.count_nonzero(counts)
            scores += np.log1p((len(lengths) - having + 0.5) / (having + 0.5)) * counts / (counts + damping)
        return scores

    return scan


def _apart(scores: NDArray[np.float64], hits: Sequence[Hit]) -> float:
    """How far the scores of the hits are from the best of the scan."""
    best = np.sort(scores)[::-1][: len(hits)]
    return float(np.abs(best - [hit.score for hit in hits]).max(initial=0))


def _recall(cosines: Vectors, hits: Sequence[Hit]) -> float:
    best = set(np.argpartition(-cosines, 10)[:10].tolist())
    return len(best & {hit.document for hit in hits[:10]}) / 10


def _size_mb() -> float:
    return sum(path.stat().st_size for path in (FOLDER / "repository").rglob("*") if path.is_file()) / 1e6
