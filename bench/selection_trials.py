"""A hundred trials with random candidates against one: every candidate of a question's pool is scored once."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, cast

from bench.real_text import DATA
from bench.result import BenchResult
from dialeval.catalogue.building import build_system
from dialeval.core import LikelihoodModel
from dialeval.data import Question, read
from dialeval.engine import Cache
from dialeval.selection.asking.choices import choose
from dialeval.selection.asking.trials import candidates_of, run_trials
from dialeval.systems.huggingface import EMBEDDED

QUESTIONS: Final = 16
TRIALS: Final = 100
REPEATS: Final = 2


def run() -> Iterator[BenchResult]:
    """With the embedded language model, which is what costs; a single trial scores the three candidates it draws."""
    source = DATA / "mutual" / "dev.jsonl"
    if not source.is_file():
        print(
            f"selection_trials: no questions at {source}; set DIALEVAL_DATA to the folder that holds mutual"
        )
        return
    asked, model = _questions(source), cast(LikelihoodModel, build_system(EMBEDDED))
    one, many = (min(took) for took in zip(*(_both(model, asked) for _ in range(REPEATS)), strict=True))
    note = (
        f"{TRIALS} single trials, of which one was run; all of ours cost {many / one:.2f} times one of them"
    )
    yield BenchResult(f"{TRIALS} RANDOM trials, {QUESTIONS} questions", many, TRIALS * one, note)


def _both(model: LikelihoodModel, asked: Sequence[Question]) -> tuple[float, float]:
    """Seconds of one trial, and of all."""
    with tempfile.TemporaryDirectory() as folder:
        # The questions' own candidates are scored in either case, and are no part of what trials cost.
        cache = Cache(Path(folder))
        choose(model, asked, cache=cache)
        one = _seconds(model, asked, cache, trials=1, pool=3)
        return one, _seconds(model, asked, cache, trials=TRIALS, pool=None)


def _seconds(
    model: LikelihoodModel, asked: Sequence[Question], cache: Cache, *, trials: int, pool: int | None
) -> float:
    # Time of this process alone: with a neighbour on the machine, seconds on the wall measure the neighbour.
    start = time.process_time()
    run_trials([model], asked, candidates_of(asked), trials=trials, pool=pool, cache=cache)
    return time.process_time() - start


def _questions(path: Path) -> list[Question]:
    return list(islice(read(path, "question", format="mutual"), QUESTIONS))
