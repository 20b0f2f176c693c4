"""Exact self-BLEU with its jackknife, against nltk over every pair on the same real text.

``python -m bench.self_bleu`` by itself shows how time grows to a million responses, and memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu  # type: ignore[import-untyped]

from bench.fresh import fresh
from bench.real_text import absent, growth, many, responses, timed
from bench.result import HEADING, BenchResult, line
from dialeval import SelfBleu
from dialeval.data.types import Example
from dialeval.evaluation.runner import evaluate

FEW: Final = 300
SIZES: Final = (10_000, 100_000, 1_000_000)
WEIGHTS: Final = (0.25,) * 4


def run() -> Iterator[BenchResult]:
    """As many responses as the quadratic way can bear, then growing corpora."""
    if absent("self_bleu"):
        return
    few = responses(1)[:FEW]
    ours, found = timed(lambda: score(few), repeats=5)
    peer, theirs = timed(lambda: _quadratic(few), repeats=1)
    note = f"nltk, every response against all others, no interval; {abs(found - theirs):.0e} apart"
    yield BenchResult(f"self_bleu with interval, {FEW} responses", ours, peer, note)
    yield from growth("self_bleu", lambda examples: score(list(examples)), SIZES[:2])


def full() -> Iterator[BenchResult]:
    """Growth to a million responses, and the memory they take."""
    yield from growth("self_bleu", lambda examples: score(list(examples)), SIZES)
    done = fresh("bench.self_bleu", "million")
    note = "wall time of both, the text made on the way and among the memory, which is to stay below 2,000 MB"
    yield BenchResult(f"self_bleu, {SIZES[-1]:,} responses", done.seconds, done.seconds, note, done.peak_mb)


def million() -> None:
    score(list(many(SIZES[-1])))


def score(examples: Sequence[Example]) -> float:
    return evaluate(SelfBleu(), examples).score


def _quadratic(examples: Sequence[Example]) -> float:
    words, smooth = [e.response.text.split() for e in examples], SmoothingFunction().method1
    others = ((one, [*words[:at], *words[at + 1 :]]) for at, one in enumerate(words))
    return float(np.mean([sentence_bleu(rest, one, WEIGHTS, smooth) for one, rest in others]))


if __name__ == "__main__":
    print(HEADING)
    for result in full():
        print(line(result), flush=True)
