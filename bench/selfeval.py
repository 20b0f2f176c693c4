"""Dialogues scored at once against one by one, and how fast scorers are trained.

Seconds are of the processor, so that other work on the machine disturbs them least: two cores do up to twice as much.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from bench.result import BenchResult
from bench.scorers.sets import DATA, read_set
from dialeval.catalogue import build_any
from dialeval.core import Floats
from dialeval.data import Dialogue
from dialeval.selfeval.scorer import Scorer

DIALOGUES: Final = 60
SCORERS: Final = ("selfeval", "quality", "density", "dynaeval", "quantidce")
LEARNT: Final = 400
"""Dialogues that are trained on."""


def run() -> Iterator[BenchResult]:
    """Every scorer of the base install, then the training of each that is trained on vectors of turns."""
    if not (DATA / "fed").is_dir():
        print(f"selfeval: skipped, no such folder: {DATA / 'fed'}; set DIALEVAL_DATA", file=sys.stderr)
        return
    subjects = [
        each for each in read_set("fed-dialogue").first(DIALOGUES).subjects if isinstance(each, Dialogue)
    ]
    for name in SCORERS:
        yield _scoring(build_any(name), subjects)  # type: ignore[arg-type]
    yield from _training(subjects)


def _scoring(metric: Scorer, subjects: list[Dialogue]) -> BenchResult:
    metric.values(subjects[:2])
    start = time.process_time()
    together = metric.values(subjects)
    middle = time.process_time()
    alone: Floats = np.concatenate([metric.values([subject]) for subject in subjects])
    seconds, peer = middle - start, time.process_time() - middle
    apart = float(np.abs(together - alone).max())
    note = f"one by one; {len(subjects) / seconds:.0f} dialogues a second of one core, values at most {apart:.0e} apart"
    return BenchResult(f"{metric.signature.name}, {len(subjects)} dialogues", seconds, peer, note)


def _training(subjects: list[Dialogue]) -> Iterator[BenchResult]:
    from dialeval.encoder.files import EMBEDDED, find_encoder
    from dialeval.selfeval.corruption import material_of
    from dialeval.selfeval.trained.trainer import RIVALS, RivalConfig, train_encoded
    from dialeval.selfeval.turnwise_trainer import encode

    weights, made = find_encoder(EMBEDDED), material_of(subjects * (LEARNT // len(subjects) + 1))
    start = time.process_time()
    data = encode(made, weights)
    seconds = time.process_time() - start
    turns = len(data.units) - 1
    yield BenchResult(f"encoding {turns} turns", seconds, math.nan, f"{turns / seconds:.0f} turns a second")
    for kind in RIVALS:
        base = RivalConfig(kind)
        config = replace(base, schedule=replace(base.schedule, epochs=2))
        with TemporaryDirectory() as folder:
            start = time.process_time()
            train_encoded(data, None, config, weights, Path(folder), digest="bench")
            seconds = time.process_time() - start
        rate = 2 * len(data.rows) / seconds
        yield BenchResult(
            f"training of {kind}", seconds, math.nan, f"{rate:.0f} dialogues a second, encoded before"
        )
