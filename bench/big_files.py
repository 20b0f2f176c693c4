"""Big files: reading examples against ``json.loads``, and the memory that an item takes in ``score`` and in ``run``."""

from __future__ import annotations

import io
import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.fresh import fresh
from bench.result import BenchResult
from dialeval.data import read

LINES: Final = 200_000
FEW, MANY = 200_000, 400_000
RUN_FEW, RUN_MANY = 50_000, 150_000
STATISTICS: Final = 8 * 12
"""Bytes of an item's rows: ten columns of bleu, two of rouge_l."""


def run() -> Iterator[BenchResult]:
    """The best of three for reading, in CPU time; memory from two processes."""
    with TemporaryDirectory() as folder:
        file = write_examples(Path(folder) / "examples.jsonl", LINES)
        ours, peer = _best(lambda: _read(file)), _best(lambda: _load(file))
    speed, bare = (f"{LINES / seconds / 1000:.0f}k" for seconds in (ours, peer))
    note = f"json.loads of the same lines; {speed} lines a second of CPU time against {bare}"
    yield BenchResult(f"reading {LINES:,} examples", ours, peer, note)
    for verb, few, many in (("score", FEW, MANY), ("run", RUN_FEW, RUN_MANY)):
        less, more = fresh("bench.big_files", f"{verb}_few"), fresh("bench.big_files", f"{verb}_many")
        item = (more.peak_mb - less.peak_mb) * 2**20 / (many - few)
        note = (
            f"{item:.0f} bytes more for each of {many - few:,} further items, {STATISTICS} of them statistics"
        )
        yield BenchResult(f"{verb}, bleu and rouge_l, {many:,}", more.seconds, nan, note, more.peak_mb)


def write_examples(path: Path, count: int) -> Path:
    """Responses of 10 words, references of 14 and contexts of 8, from a vocabulary of 20,000."""
    chosen = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chosen.choices(letters, k=chosen.randint(2, 9))) for _ in range(20_000)]
    text = chosen.choices(words, [1 / rank for rank in range(2, 20_002)], k=500_000)
    with path.open("w", encoding="utf-8") as file:
        for place in range(count):
            said, asked, new = (
                text[start : start + 14] for start in chosen.choices(range(len(text) - 14), k=3)
            )
            line = {
                "id": f"item-{place}",
                "system": "bot",
                "context": [{"role": "user", "content": " ".join(asked[:8])}],
                "response": " ".join(new[:4] + said[3:9]),
                "references": [" ".join(said)],
            }
            file.write(json.dumps(line) + "\n")
    return path


def score_few() -> None:
    _score(FEW)


def score_many() -> None:
    _score(MANY)


def run_few() -> None:
    _run(RUN_FEW)


def run_many() -> None:
    _run(RUN_MANY)


def _run(count: int) -> None:
    """A study of one transcript, whose file has the contexts and references, too."""
    with TemporaryDirectory() as folder:
        write_examples(Path(folder) / "examples.jsonl", count)
        study = Path(folder) / "study.yaml"
        system = "{name: bot, kind: transcript, path: examples.jsonl}"
        study.write_text(
            f"data: examples.jsonl\nsystems: [{system}]\nmeasures: [bleu, rouge_l]\n", encoding="utf-8"
        )
        _command("run", str(study), "-o", f"{folder}/run", "--cache", f"{folder}/cache")


def _score(count: int) -> None:
    """The command itself, with all that it can write."""
    with TemporaryDirectory() as folder:
        file = write_examples(Path(folder) / "examples.jsonl", count)
        options = ["-m", "bleu", "-m", "rouge_l", "--json", "--per-item", f"{folder}/items.jsonl"]
        _command("score", str(file), *options, "--cache", f"{folder}/cache")


def _command(*arguments: str) -> None:
    from dialeval.cli.main import main

    sys.argv = ["dialeval", *arguments]
    with redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise


def _read(file: Path) -> None:
    for _ in read(file, "example"):
        pass


def _load(file: Path) -> None:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)


def _best(work: Callable[[], None]) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
