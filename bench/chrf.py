"""chrF and chrF++ end to end from strings, against sacrebleu on the same real text.

``python -m bench.chrf`` by itself shows how time grows to a million pairs, and memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

import numpy as np
from sacrebleu.metrics.chrf import CHRF

from bench.fresh import fresh
from bench.real_text import absent, growth, many, responses, timed
from bench.result import HEADING, BenchResult, line
from dialeval import Chrf
from dialeval.core import Floats
from dialeval.data.types import Example

BATCH: Final = 1024
SIZES: Final = (10_000, 100_000, 1_000_000)


def run() -> Iterator[BenchResult]:
    """One and four references, chrF and chrF++, then growing corpora."""
    if absent("chrf"):
        return
    for word_order in (0, 2):
        for references in (1, 4):
            yield _against_sacrebleu(word_order, responses(references))
    yield from growth("chrf", partial(rows, Chrf()), SIZES[:2])


def full() -> Iterator[BenchResult]:
    """Growth to a million pairs, and the memory they take when streamed."""
    yield from growth("chrf", partial(rows, Chrf()), SIZES)
    done = fresh("bench.chrf", "million")
    note = "wall time of both, the text made on the way"
    yield BenchResult(f"chrf, {SIZES[-1]:,} pairs", done.seconds, done.seconds, note, done.peak_mb)


def million() -> None:
    rows(Chrf(), many(SIZES[-1]))


def rows(metric: Chrf, examples: Iterable[Example]) -> Floats:
    stream = iter(examples)
    batches = []
    while batch := list(islice(stream, BATCH)):
        batches.append(metric.statistics(batch))
    return np.concatenate(batches)


def _against_sacrebleu(word_order: int, examples: Sequence[Example]) -> BenchResult:
    metric = Chrf(word_order=word_order)
    rows(metric, examples[:10])  # compiled before it counts
    ours, found = timed(lambda: rows(metric, examples), repeats=5)
    said = [e.response.text for e in examples]
    streams = list(zip(*(e.references for e in examples), strict=True))
    peer, corpus = timed(lambda: CHRF(word_order=word_order).corpus_score(said, streams).score, repeats=3)
    apart = abs(100 * float(metric.aggregate(found.sum(axis=0))) - corpus)
    name = f"chrf{'++' if word_order else ''}, {len(examples):,} items, {len(streams)} references"
    note = f"sacrebleu's corpus score; {len(examples) / ours:,.0f} items/s; {apart:.0e} apart in percent"
    return BenchResult(name, ours, peer, note)


if __name__ == "__main__":
    print(HEADING)
    for result in full():
        print(line(result), flush=True)
