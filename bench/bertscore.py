"""BERTScore against the bert-score package: the same encoder, layer and real pairs, one thread each."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path

import numpy as np

from bench.result import BenchResult
from dialeval.core import Floats
from dialeval.data.types import Example, Response
from dialeval.encoder.files import find_encoder
from dialeval.metrics.bertscore import BertScore

LAYER, EXAMPLES, REPEATS = 6, 300, 3


def run() -> Iterator[BenchResult]:
    """One reference each, then four."""
    import torch
    from bert_score import BERTScorer  # type: ignore[import-untyped]

    folder = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
    path = folder / "dailydialog-plusplus" / "data_positives.json"
    if not path.is_file():
        print(f"bertscore: skipped, no such file: {path}; set DIALEVAL_DATA", file=sys.stderr)
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with redirect_stderr(io.StringIO()):
        peer = BERTScorer(model_type=str(find_encoder("minilm").folder), num_layers=LAYER)
    for references in (1, 4):
        yield _against(_examples(path, references), peer.score, references)
    torch.set_num_threads(threads)


def _against(
    examples: list[Example],
    score: Callable[[list[str], list[list[str]]], tuple[object, ...]],
    references: int,
) -> BenchResult:
    metric = BertScore(layer=LAYER)
    metric.statistics(examples[:8])  # loads the encoder
    texts, others = [e.response.text for e in examples], [list(e.references) for e in examples]
    ours, rows = _best(lambda: metric.statistics(examples)[:, 0])
    theirs, f1 = _best(lambda: np.asarray(score(texts, others)[2], np.float64))
    apart = int((np.abs(rows - f1) > 1e-5).sum())
    name = f"bertscore, {len(examples)} items, {references} reference{'s' if references > 1 else ''}"
    return BenchResult(
        name, ours, theirs, f"bert-score; {apart} of {len(examples)} values differ by over 1e-5"
    )


def _examples(path: Path, references: int) -> list[Example]:
    with path.open(encoding="utf-8") as file:
        rows = [
            json.loads(line)["positive_responses"] for _, line in zip(range(EXAMPLES), file, strict=False)
        ]
    return [
        Example(str(at), "s", (), Response(first), tuple(rest[:references]))
        for at, (first, *rest) in enumerate(rows)
    ]


def _best(work: Callable[[], Floats]) -> tuple[float, Floats]:
    """The best time of several, which other work on the machine disturbs least, and what came of it."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        done = work()
        times.append(time.perf_counter() - start)
    return min(times), done
