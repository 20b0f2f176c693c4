"""CIDEr end to end from strings, against pycocoevalcap on the same real text.

``python -m bench.cider`` by itself shows how time grows to a million pairs, and memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from pycocoevalcap.cider.cider import Cider as Pycocoevalcap

from bench.fresh import fresh
from bench.real_text import absent, growth, many, responses, timed
from bench.result import HEADING, BenchResult, line
from dialeval import Cider
from dialeval.core import Floats
from dialeval.data.types import Example

BATCH: Final = 1024
SIZES: Final = (10_000, 100_000, 1_000_000)


def run() -> Iterator[BenchResult]:
    """One and four references, then growing corpora."""
    if absent("cider"):
        return
    for references in (1, 4):
        yield _against_pycocoevalcap(responses(references))
    yield from growth("cider", lambda examples: scores(list(examples)), SIZES[:2])


def full() -> Iterator[BenchResult]:
    """Growth to a million pairs, and the memory they take."""
    yield from growth("cider", lambda examples: scores(list(examples)), SIZES)
    done = fresh("bench.cider", "million")
    note = "wall time of both, the text made on the way and among the memory, which is to stay below 2,000 MB"
    yield BenchResult(f"cider, {SIZES[-1]:,} pairs", done.seconds, done.seconds, note, done.peak_mb)


def million() -> None:
    scores(list(many(SIZES[-1])))


def scores(examples: Sequence[Example]) -> Floats:
    metric = Cider().fit(examples)
    batches = [metric.statistics(examples[at : at + BATCH]) for at in range(0, len(examples), BATCH)]
    return metric.aggregate(np.concatenate(batches))


def _against_pycocoevalcap(examples: Sequence[Example]) -> BenchResult:
    scores(examples[:10])  # compiled before it counts
    ours, found = timed(lambda: scores(examples), repeats=5)
    references = {e.item: list(e.references) for e in examples}
    hypotheses = {e.item: [e.response.text] for e in examples}
    peer, (_, theirs) = timed(lambda: Pycocoevalcap().compute_score(references, hypotheses), repeats=3)
    name = f"cider, {len(examples):,} items, {len(examples[0].references)} references"
    note = f"pycocoevalcap; {len(examples) / ours:,.0f} items/s; at most {np.abs(found - theirs).max():.0e} apart"
    return BenchResult(name, ours, peer, note)


if __name__ == "__main__":
    print(HEADING)
    for result in full():
        print(line(result), flush=True)
