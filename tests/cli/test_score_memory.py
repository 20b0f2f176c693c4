"""``dialeval score`` of many responses: little memory for each, and the bytes of results held whole."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import repeat
from pathlib import Path

import pytest

from dialeval.catalogue import build
from dialeval.cli.run import BIG, tell_of_memory
from dialeval.cli.score import result_row
from dialeval.cli.scoring import MANY, telling
from dialeval.data import Example, Response, read, write
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.study import load_study

SCORE = """
import re, sys
from pathlib import Path
from dialeval.cli.main import main
try:
    main()
finally:
    print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""
ROWS = 96
"""Bytes of an item's statistics: ten columns of bleu and two of rouge_l."""
BEYOND = 150
"""Bytes that an item may take beyond them: id, values, the table of ids seen, what intervals need."""


def responses(path: Path, count: int, *, words: int = 5) -> Path:
    with path.open("w") as file:
        for place in range(count):
            text = " ".join(f"w{place * step % 211}" for step in range(1, words + 1))
            context = [{"role": "user", "content": text[::-1]}]
            row = {"id": f"item-{place}", "system": "bot", "context": context, "response": text}
            file.write(json.dumps({**row, "references": [f"{text[6:]} and so on"]}) + "\n")
    return path


def score(file: Path, *options: object) -> tuple[str, int]:
    """What the command prints, and the most memory that its process held, in bytes."""
    given = ["score", file, "-m", "bleu", "-m", "rouge_l", "--cache", file.parent / "cache", *options]
    done = subprocess.run(
        [sys.executable, "-c", SCORE, *map(str, given)], capture_output=True, text=True, check=True
    )
    return done.stdout, 1024 * int(done.stderr.split()[-1])


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_item_takes_little_more_memory_than_its_statistics(tmp_path):
    few, many = 40_000, 120_000
    files = [responses(tmp_path / f"{count}.jsonl", count) for count in (few, many)]
    peaks = [score(file, "--per-item", tmp_path / "judged.jsonl", "--json")[1] for file in files]
    assert (peaks[1] - peaks[0]) / (many - few) < ROWS + BEYOND


def test_what_is_written_is_what_results_held_whole_in_memory_say(tmp_path):
    file = responses(tmp_path / "answers.jsonl", 2_500)
    printed, _ = score(file, "--per-item", tmp_path / "streamed.jsonl", "--json")
    metrics = {name: build(name) for name in ("bleu", "rouge_l")}
    whole = evaluate(metrics, list(read(file, "example")), Plan())
    write(
        tmp_path / "whole.jsonl", [judgement for result in whole.values() for judgement in result.judgements]
    )
    assert (tmp_path / "streamed.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert json.loads(printed)["results"] == [result_row(*key, result) for key, result in whole.items()]


def test_a_measure_that_holds_everything_is_named_once_there_is_much(capsys):
    example = Example("1", "s", (), Response("yes"))
    for holding, told in (([], 0), (["distinct", "--data"], 1)):
        assert sum(1 for _ in telling(repeat(example, MANY + 5), holding)) == MANY + 5
        assert capsys.readouterr().err.count("distinct, --data: all responses are held in memory") == told
    for _ in telling(repeat(example, MANY - 1), ["distinct"]):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("size", "measures", "told"),
    [
        (BIG - 1, "[length, distinct]", ""),
        (BIG, "[length]", ""),
        (BIG, "[length, distinct]", "1.0 GiB, and all texts are held in memory for distinct;"),
    ],
)
def test_a_run_of_a_big_file_says_what_holds_everything(tmp_path, capsys, size, measures, told):
    with (tmp_path / "data.jsonl").open("wb") as file:
        file.truncate(size)  # a hole, which takes no room on the disk
    system = "{name: s, kind: transcript, path: s.jsonl}"
    (tmp_path / "s.jsonl").write_text('{"id": "1", "response": "yes"}\n')
    (tmp_path / "study.yaml").write_text(f"data: data.jsonl\nsystems: [{system}]\nmeasures: {measures}\n")
    tell_of_memory(load_study(tmp_path / "study.yaml"))
    printed = capsys.readouterr().err
    assert told in printed
    assert bool(printed) is bool(told)
