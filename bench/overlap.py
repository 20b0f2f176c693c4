"""BLEU-1 to 4 and ROUGE-L together, end to end from Python strings on one core, against nlg-eval's way and sacrebleu.

Pairs are crowd-written DailyDialog responses of multirefeval, one against another of the same context. Times are CPU
seconds of this process, the best of several; peers keep no cache from one repeat to the next. ``python -m bench.overlap
--full`` also shows how ours grows to a million pairs.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeVar

import numpy as np

from bench.fresh import fresh
from bench.result import HEADING, BenchResult, line
from dialeval import Bleu
from dialeval.catalogue import build
from dialeval.core import Floats, Resampling
from dialeval.data.types import Example, Response
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.overlap.words import measure_strings, score_strings
from dialeval.text.tokenisers import Tokens

REPEATS = 3
SIZES: Final = (10_000, 100_000, 1_000_000)
ALL = ("bleu(order=1)", "bleu(order=2)", "bleu(order=3)", "bleu(order=4)", "rouge_l")
DATA = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
SACREBLEU_TOKENS: Final[tuple[Literal["none", "13a"], ...]] = ("none", "13a")
Pairs = tuple[list[str], list[list[str]]]
T = TypeVar("T")


def run() -> Iterator[BenchResult]:
    """One reference, four references, sacrebleu without and with its tokeniser, and the runner's share."""
    if not available("overlap"):
        return
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    one, four = pairs(), four_references()
    score_strings(*one)  # compiles, or loads what was compiled, once
    for name, data in (("1 reference", one), ("4 references", four)):
        ours, scores = _timed(partial(score_strings, *data))
        peer, (bleu, rouge) = _timed(partial(pycocoevalcap, *data))
        apart = max(*abs(scores.corpus_bleu - bleu), abs(scores.corpus_rouge_l - rouge))
        note = f"pycocoevalcap Bleu + Rouge; {len(data[0]):,} items; {apart:.0e} apart"
        yield BenchResult(f"BLEU-1..4 + ROUGE-L, {name}", ours, peer, note)
    ours, _ = _timed(partial(score_strings, *one))
    peer, _ = _timed(partial(_sacrebleu, one, "none"))
    yield BenchResult("BLEU-1..4 + ROUGE-L", ours, peer, "sacrebleu's corpus BLEU-4 alone, tokens none")
    for tokens in SACREBLEU_TOKENS:
        metric = Bleu(profile="sacrebleu", tokens=tokens)
        ours, score = _timed(partial(_bleu, metric, one, tokens))
        peer, other = _timed(partial(_sacrebleu, one, tokens))
        note = f"sacrebleu corpus_score, cold; {len(one[0]):,} pairs; {abs(100 * score - other):.0e} apart"
        yield BenchResult(f"BLEU-4, tokens {tokens}", ours, peer, note)
    yield _through_the_runner(one)


def available(bench: str) -> bool:
    """Whether the pairs are there; says so where they are not."""
    there = (DATA / "multirefeval").is_dir()
    if not there:
        print(f"{bench}: no multirefeval at {DATA}; set DIALEVAL_DATA", file=sys.stderr)
    return there


def growth() -> Iterator[BenchResult]:
    """CPU seconds at 10k, 100k and 1M pairs, against what the size before would make in proportion."""
    expected = None
    for size in SIZES:
        seconds, _ = _timed(partial(score_strings, *many(size)))
        peak = fresh("bench.overlap", "largest").peak_mb if size == SIZES[-1] else None
        note = f"ten times a tenth of the pairs; {size / seconds:,.0f} pairs/s"
        yield BenchResult(f"BLEU-1..4 + ROUGE-L, {size:,} pairs", seconds, expected or seconds, note, peak)
        expected = 10 * seconds


def largest() -> None:
    score_strings(*many(SIZES[-1]))


def many(size: int) -> Pairs:
    """The pairs over and over, a number after each text so that no string comes twice."""
    responses, references = pairs()
    turns = range(-(-size // len(responses)))
    return (
        [f"{text} {turn}" for turn in turns for text in responses][:size],
        [[f"{text} {turn}" for text in texts] for turn in turns for texts in references][:size],
    )


def pairs() -> Pairs:
    """Each crowd-written response against each of the other four of its context."""
    responses, references = four_references()
    return (
        [text for text, texts in zip(responses, references, strict=True) for _ in texts],
        [[other] for texts in references for other in texts],
    )


def four_references() -> Pairs:
    """The first of five crowd-written responses against the other four."""
    rows = (DATA / "multirefeval" / "multireftest.json").read_text(encoding="utf-8").splitlines()
    turns = [turn for row in rows for turn in json.loads(row)["dialogue"]]
    five = [turn["responses"] for turn in turns if len(turn.get("responses", ())) == 5]
    return [texts[0] for texts in five], [texts[1:] for texts in five]


def _through_the_runner(data: Pairs) -> BenchResult:
    """The five metrics by evaluate, which shares their work, against one after the other without sharing."""
    metrics = {name: build(name) for name in ALL}
    times = []
    for _ in range(REPEATS):
        examples = examples_of(data)  # new objects each time, because the metrics cache examples
        start = time.process_time()
        evaluate(metrics, examples, Plan(resampling=Resampling(resamples=0)))
        times.append(time.process_time() - start)
    ours = min(times)
    peer, _ = _timed(lambda: pycocoevalcap(*data))
    note = f"pycocoevalcap; {len(examples):,} examples made before, digest and every value kept, no interval"
    return BenchResult("evaluate of all five", ours, peer, note)


def examples_of(data: Pairs) -> list[Example]:
    """New objects for the pairs."""
    return [
        Example(str(at), "s", (), Response(text), tuple(others))
        for at, (text, others) in enumerate(zip(*data, strict=True))
    ]


def _bleu(metric: Bleu, data: Pairs, tokens: Tokens) -> float:
    rows = metric.rows(measure_strings(*data, tokens=tokens))
    return float(metric.aggregate(rows.sum(axis=0)))


def pycocoevalcap(responses: Sequence[str], references: Sequence[list[str]]) -> tuple[Floats, float]:
    """Corpus BLEU-1 to 4 and ROUGE-L as nlg-eval has them."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.rouge.rouge import Rouge

    known: Mapping[int, list[str]] = dict(enumerate(references))
    given = {at: [text] for at, text in enumerate(responses)}
    bleu, _ = Bleu(4).compute_score(known, given, verbose=0)
    rouge, _ = Rouge().compute_score(known, given)
    return np.array(bleu), float(rouge)


def _sacrebleu(data: Pairs, tokens: str) -> float:
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp

    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()
    responses, references = data
    return float(
        BLEU(tokenize=tokens, force=True).corpus_score(responses, [[one for (one,) in references]]).score
    )


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """The least CPU time of several, which other work on the machine disturbs least, and what came of it."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        done = work()
        times.append(time.process_time() - start)
    return min(times), done


if __name__ == "__main__":
    print(HEADING)
    for result in run():
        print(line(result), flush=True)
    if "--full" in sys.argv[1:]:
        for result in growth():
            print(line(result), flush=True)
