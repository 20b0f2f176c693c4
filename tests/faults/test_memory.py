"""Workers that run out of memory: killed as the kernel does, by the kernel itself, or refused more."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support.cgroups import little_memory
from support.fault_studies import contents, make_study, put
from support.faults import Ledger
from support.forked import Forks
from support.processes import environment

pytestmark = pytest.mark.slow

KEPT = ("results.parquet", "summary.json", "examples.jsonl", "study.yaml")
RUN = ("run", "study.yaml", "-o", "out", "--cache", "cache", "--jobs", "2")
LITTLE = 1536 << 20
"""Bytes of memory that are enough for the command and its workers, but not for one that takes more and more."""
ITEMS = 600
"""Three batches for each system."""
METRICS = '''\
"""Measures the length, once ``enough`` is there; before, memory runs out in the second batch of each system."""
import os
import resource
import signal
from pathlib import Path

import numpy as np

from dialeval.core import Signature


class Killed:
    """Killed, as the system does where memory is out."""

    higher_is_better = True
    signature = Signature("killed", ())

    def unscorable(self, example):
        return None

    def statistics(self, examples):
        place = Path(__file__).parent
        with (place / f"{type(self).__name__}.log").open("a") as log:
            log.write(f"{examples[0].system} {examples[0].item}\\n")
        if examples[0].item == "i256" and not (place / "enough").exists():
            self.exhaust()
        return np.array([(len(example.response.text), 1.0) for example in examples])

    def aggregate(self, totals):
        return totals[..., 0] / totals[..., 1]

    def exhaust(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Refused(Killed):
    """Refused by a limit."""

    signature = Signature("refused", ())

    def exhaust(self):
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, before[1]))
        try:
            np.ones(1 << 30)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)


class Greedy(Killed):
    """Takes 8 GiB, if it gets them."""

    signature = Signature("greedy", ())

    def exhaust(self):
        np.ones(1 << 30)
'''


def make_hungry(folder: Path, *names: str) -> Path:
    make_study(folder)
    prompts = [
        {"id": f"i{n}", "context": [{"role": "user", "content": f"say {n}"}], "references": ["the bus"]}
        for n in range(ITEMS)
    ]
    put(folder / "prompts.jsonl", prompts)
    for name in ("one", "two"):
        put(folder / f"{name}.jsonl", ({**row, "system": name, "response": name * 3} for row in prompts))
    (folder / "own.py").write_text(METRICS)
    study = (folder / "study.yaml").read_text()
    hungry = ", ".join(f"'own.py:{name}'" for name in names or ("Killed", "Refused"))
    (folder / "study.yaml").write_text(study.replace("[rouge_l, length]", f"[rouge_l, {hungry}, length]"))
    return folder


def batches(folder: Path, name: str) -> list[str]:
    return (folder / f"{name}.log").read_text().splitlines()


def test_workers_without_memory_fail_alone_and_the_same_command_computes_the_rest(
    commands: Forks, tmp_path: Path, ledger: Ledger
) -> None:
    calm = make_hungry(tmp_path / "calm")
    (calm / "enough").touch()
    assert commands.run(calm, *RUN).code == 0
    expected = contents(calm / "out")
    here = make_hungry(tmp_path / "here")
    ended = commands.run(here, *RUN)
    assert ended.code == 1, ended.said
    assert "Traceback" not in ended.said
    summary = json.loads((here / "out" / "summary.json").read_text())
    failures = {
        (failure["system"], failure["measure"]): failure["message"] for failure in summary["failures"]
    }
    assert failures.keys() == {(system, name) for system in ("one", "two") for name in ("Killed", "Refused")}
    assert all("A worker process died" in failures[system, "Killed"] for system in ("one", "two"))
    assert all("MemoryError" in failures[system, "Refused"] for system in ("one", "two"))
    (here / "enough").touch()
    kept = batches(here, "Refused")
    again = commands.run(here, *RUN)
    assert again.code == 0, again.said
    found = contents(here / "out")
    lost = sum(found.get(name) != expected[name] for name in KEPT)
    # What was refused memory leaves its pool alive, so that every batch before it was kept.
    rest = set(batches(here, "Refused")[len(kept) :])
    assert {"one i256", "two i256"} <= rest <= {f"{name} i{n}" for name in ("one", "two") for n in (256, 512)}
    ledger("memory", tried=4, lost=lost, seed="SIGKILL and RLIMIT_AS, two systems each")


def test_a_worker_that_the_kernel_kills_fails_alone_and_the_same_command_computes_the_rest(
    commands: Forks, tmp_path: Path, ledger: Ledger
) -> None:
    calm = make_hungry(tmp_path / "calm", "Greedy")
    (calm / "enough").touch()
    assert commands.run(calm, *RUN).code == 0
    here = make_hungry(tmp_path / "here", "Greedy")
    with little_memory(LITTLE) as group:
        program = shlex.join([sys.executable, "-m", "dialeval", *RUN])
        ended = subprocess.run(
            ["sh", "-c", f"echo $$ > {group.joining} && exec {program}"],
            cwd=here,
            env=environment() | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        kills = group.killed()
    assert (ended.returncode, "Traceback" in ended.stderr) == (1, False), ended.stderr[-2000:]
    assert kills == 2, "one worker for each system, and nothing else"
    summary = json.loads((here / "out" / "summary.json").read_text())
    failures = {(failure["system"], failure["measure"]) for failure in summary["failures"]}
    assert failures == {("one", "Greedy"), ("two", "Greedy")}
    assert all("A worker process died" in failure["message"] for failure in summary["failures"])
    (here / "enough").touch()
    assert commands.run(here, *RUN).code == 0
    found, expected = contents(here / "out"), contents(calm / "out")
    lost = sum(found.get(name) != expected[name] for name in KEPT)
    ledger("kernel", tried=kills, lost=lost, seed=f"a control group of {LITTLE >> 20} MiB")


def test_a_command_that_is_refused_memory_says_so_without_a_traceback(
    commands: Forks, tmp_path: Path
) -> None:
    here = make_hungry(tmp_path / "here")
    ended = commands.run(here, "score", "one.jsonl", "-m", "own.py:Refused", "--cache", "cache")
    # A batch of `score` is longer, so that its second one begins elsewhere.
    assert ended.code == 0, ended.said
    (here / "own.py").write_text(METRICS.replace('"i256"', '"i0"'))
    refused = commands.run(here, "score", "one.jsonl", "-m", "own.py:Refused", "--cache", "none")
    assert refused.code == 1
    assert "error: Out of memory (Unable to allocate" in refused.said
    assert "Traceback" not in refused.said
