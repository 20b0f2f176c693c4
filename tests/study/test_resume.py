"""A run killed with SIGKILL at any moment resumes and ends with the same bytes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SYSTEMS = 3
PROMPTS = 3000
SAME_BYTES = ("results.parquet", "summary.json", "examples.jsonl", "study.yaml")


@pytest.fixture
def long_study(tmp_path) -> Path:
    """A study that takes some seconds, so that there are moments to kill it at."""
    words = [
        "the",
        "a",
        "train",
        "bus",
        "station",
        "left",
        "right",
        "over",
        "under",
        "please",
        "thank",
        "you",
        "where",
        "is",
        "my",
        "red",
        "blue",
        "ticket",
    ]
    generator = random.Random(3)

    def sentence() -> str:
        return " ".join(generator.choices(words, k=generator.randint(3, 25)))

    with (tmp_path / "prompts.jsonl").open("w") as prompts:
        for at in range(PROMPTS):
            context = [{"role": "user", "content": sentence()}]
            line = {"id": f"p{at}", "context": context, "references": [sentence(), sentence()]}
            prompts.write(json.dumps(line) + "\n")
    systems = ["  - {name: echo, kind: echo}"]
    for name in ("one", "two")[: SYSTEMS - 1]:
        systems.append(f"  - {{name: {name}, kind: transcript, path: {name}.jsonl}}")
        with (tmp_path / f"{name}.jsonl").open("w") as transcript:
            for at in range(PROMPTS):
                line = {"id": f"p{at}", "system": name, "context": [], "response": sentence()}
                transcript.write(json.dumps(line) + "\n")
    study = ["name: long", "data: prompts.jsonl", "trials: 200", "systems:", *systems]
    study.append("measures: [bleu(order=4), bleu(order=2), rouge_l, length]")
    (tmp_path / "study.yaml").write_text("\n".join(study) + "\n")
    return tmp_path


def start(folder: Path, out: str, cache: str, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "dialeval", "run", "study.yaml", "-o", out, "--cache", cache, *options]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def finish(process: subprocess.Popen[bytes]) -> None:
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err.decode()


def kept(cache: Path) -> int:
    return sum(path.is_file() for path in cache.rglob("*")) if cache.exists() else 0


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_killed_at_random_moments_ends_with_the_same_bytes(long_study, jobs):
    began = time.monotonic()
    finish(start(long_study, "calm", "calm-cache", "--jobs", jobs))
    seconds = time.monotonic() - began
    moments = random.Random(int(jobs)).choices([share / 20 for share in range(4, 20)], k=4)
    kills, progress = 0, []
    for moment in moments:
        process = start(long_study, "stormy", "stormy-cache", "--jobs", jobs)
        try:
            process.wait(timeout=moment * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate()
        progress.append(kept(long_study / "stormy-cache"))
    assert kills >= 1, "the run was too short to be killed"
    assert progress[-1] > 0, "nothing was kept at any kill"
    finish(start(long_study, "stormy", "stormy-cache", "--jobs", jobs))
    for name in SAME_BYTES:
        assert (long_study / "stormy" / name).read_bytes() == (long_study / "calm" / name).read_bytes(), name
    assert not list((long_study / "stormy").glob(".*")), "a scratch file was left behind"


@pytest.mark.slow
def test_what_was_kept_is_used_again_and_an_altered_file_is_not(long_study):
    finish(start(long_study, "first", "cache"))
    files = sorted(path for path in (long_study / "cache").rglob("*") if path.is_file())
    stamps = {path: path.stat().st_mtime_ns for path in files}
    damaged = files[len(files) // 2]
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\x00")
    process = start(long_study, "second", "cache")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0
    assert b"warning: " in err
    assert damaged.name.encode() in err.replace(b"\n", b"")
    for name in SAME_BYTES:
        assert (long_study / "first" / name).read_bytes() == (long_study / "second" / name).read_bytes()
    rewritten = [path for path in files if path.stat().st_mtime_ns != stamps[path]]
    assert rewritten == [damaged]
