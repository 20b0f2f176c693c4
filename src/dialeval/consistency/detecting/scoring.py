"""Probabilities of many pairs: each once, in batches that run anywhere and are kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

import numpy as np

from dialeval.consistency.pairs.types import Pair
from dialeval.core import Floats
from dialeval.engine import ROWS, SILENT, Batch, Cache, Executor, InProcess, Job, Progress, run

_AT_ONCE: Final = 256
"""Pairs of a batch: what is lost by an interruption, and scored between two reports of progress."""


class Scorer(Protocol):
    """What gives pairs their probabilities."""

    def probabilities(self, pairs: Sequence[Pair]) -> Floats:
        """One per pair."""
        ...


class Work(NamedTuple):
    """Where pairs are scored, and where their probabilities are kept."""

    executor: Executor = InProcess()
    cache: Cache | None = None
    key: str = ""
    """All that moves a probability but the pair itself; required with a cache."""
    progress: Progress = SILENT
    """Counts pairs."""


HERE: Final = Work()
"""In this process, nothing kept."""


def score_pairs(pairs: Sequence[Pair], scorer: Scorer, work: Work = HERE) -> dict[Pair, float]:
    """The probability of each pair; a batch that the cache holds is not scored again."""
    job = Job(work.key, _Rows(scorer), ROWS)
    rows = run(job, _batches(pairs), executor=work.executor, cache=work.cache, progress=work.progress)
    values = np.concatenate([np.zeros((0, 1)), *rows])[:, 0]
    return dict(zip(pairs, values.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Rows:
    """The scorer as a task of the engine."""

    scorer: Scorer

    def __call__(self, pairs: Sequence[Pair]) -> Floats:
        return np.asarray(self.scorer.probabilities(pairs), dtype=np.float64).reshape(-1, 1)


def _batches(pairs: Sequence[Pair]) -> Iterator[Batch[Pair]]:
    for start in range(0, len(pairs), _AT_ONCE):
        batch = pairs[start : start + _AT_ONCE]
        yield Batch(batch, hashlib.sha256(repr([tuple(pair) for pair in batch]).encode()).hexdigest())
