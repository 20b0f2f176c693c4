"""Embedding metrics given words, against nlg-eval's way on the same real text and vectors; growth and memory.

nlg-eval no longer installs, so its way is acted out here in our own words from the description of its code: it
looks up every word in Python, sums or matches sentence by sentence, and for the average and the extrema has
scikit-learn fill a matrix of N x N cosines, of which it reads the diagonal. Both sides begin with lists of words.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from bench.fresh import fresh
from bench.result import BenchResult
from dialeval.core import Floats, Resampling
from dialeval.data import read
from dialeval.data.types import Example, Response
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.embedding import EmbeddingAverage, GreedyMatching, Source, VectorExtrema, WordVectors
from dialeval.metrics.embedding.metric import lower_words
from dialeval.metrics.embedding.vectors import Vectors, encode

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
METRICS: Final = (EmbeddingAverage, VectorExtrema, GreedyMatching)
PAIRS, MILLION = 5_000, 1_000_000
T = TypeVar("T")


def run() -> Iterator[BenchResult]:
    """All three metrics from words, then end to end from strings at growing sizes, then memory at a million."""
    if not (DATA / "multirefeval").is_dir():
        print(f"embedding: no real text at {DATA}/multirefeval; set DIALEVAL_DATA")
        return
    for vectors in ("minilm", "glove-6b-50d"):
        yield _against_nlgeval(vectors)
    small, large = (_seconds(count) for count in (10_000, 100_000))
    yield BenchResult("all three end to end, 100,000 pairs", large, 10 * small, "ten times 10,000 pairs")
    done = fresh("bench.embedding", "million")
    note = f"ten times 100,000 pairs; {MILLION / done.seconds:,.0f} pairs/s; promised 2,000 MB"
    yield BenchResult(
        f"all three end to end, {MILLION:,} pairs", done.seconds, 10 * large, note, done.peak_mb
    )


def million() -> None:
    score(MILLION)


def score(count: int) -> None:
    metrics = {metric.name: metric() for metric in METRICS}
    evaluate(metrics, examples(count), Plan(resampling=Resampling(resamples=0)))


def examples(count: int) -> Iterator[Example]:
    """Real pairs again and again, each made when it is asked for."""
    pairs = list(_pairs())
    for at in range(count):
        response, reference = pairs[at % len(pairs)]
        yield Example(f"item-{at}", "system", (), Response(response), (reference,))


def _pairs() -> Iterator[tuple[str, str]]:
    """Two people's responses to each turn of DailyDialog's test set."""
    for prompt in read(DATA / "multirefeval" / "multireftest.json", "prompt", format="multirefeval"):
        yield prompt.references[0], prompt.references[1]


def _against_nlgeval(vectors: str) -> BenchResult:
    table = Source(vectors).load()
    words = [lower_words(text) for pair in islice(_pairs(), PAIRS) for text in pair]
    known = [[word for word in text if table.knows(word)] for text in words]
    texts = [
        text
        for one, other in zip(known[::2], known[1::2], strict=True)
        if one and other
        for text in (one, other)
    ]
    owners = np.arange(0, len(texts) + 1, 2)
    metrics = [metric(vectors=vectors) for metric in METRICS]

    def compare() -> list[Floats]:
        encoded = encode(texts, table, unknown="skip")
        return [metric.rows_of(encoded, owners)[:, 0] for metric in metrics]

    ours, rows = _timed(compare, repeats=5)
    peer, theirs = _timed(lambda: _nlgeval(texts[::2], texts[1::2], table), repeats=1)
    apart = max(float(np.abs(one - other).max()) for one, other in zip(rows, theirs, strict=True))
    pairs, length = len(owners) - 1, sum(map(len, texts)) / len(texts)
    note = f"nlg-eval acted out; {length:.1f} words, {pairs / ours:,.0f} pairs/s, at most {apart:.0e} apart"
    return BenchResult(f"all three given words, {table.dimensions}d, {pairs:,}", ours, peer, note)


def _seconds(count: int) -> float:
    start = time.perf_counter()
    score(count)
    return time.perf_counter() - start


def _nlgeval(
    responses: Sequence[list[str]], references: Sequence[list[str]], table: WordVectors
) -> list[Floats]:
    from sklearn.metrics.pairwise import cosine_similarity

    vocabulary = {word for text in (*responses, *references) for word in text}
    found, _ = table.of(list(vocabulary))
    vector_of = dict(zip(vocabulary, found, strict=True))
    left = [[vector_of[word] for word in text] for text in responses]
    right = [[vector_of[word] for word in text] for text in references]
    average = cosine_similarity(
        np.array([_sum(text) for text in left]), np.array([_sum(text) for text in right])
    )
    extrema = cosine_similarity(
        np.array([_extreme(text) for text in left]), np.array([_extreme(text) for text in right])
    )
    greedy = []
    for one, other in zip(left, right, strict=True):
        cosines = cosine_similarity(one, other)
        greedy.append((cosines.max(axis=0).mean() + cosines.max(axis=1).mean()) / 2)
    return [average.diagonal(), extrema.diagonal(), np.array(greedy)]


def _sum(vectors: Sequence[Vectors]) -> Vectors:
    total = np.sum(vectors, axis=0)
    return np.asarray(total / np.linalg.norm(total))


def _extreme(vectors: Sequence[Vectors]) -> Vectors:
    highest, lowest = np.max(vectors, axis=0), np.min(vectors, axis=0)
    return np.array([high if high > abs(low) else low for high, low in zip(highest, lowest, strict=True)])


def _timed(work: Callable[[], T], *, repeats: int) -> tuple[float, T]:
    # Processor time: other work on the machine disturbs it less than the wall's.
    times = []
    for _ in range(repeats):
        start = time.process_time()
        done = work()
        times.append(time.process_time() - start)
    return min(times), done
