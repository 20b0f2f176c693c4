"""Nodes of a Ray cluster that are cut off from each other, and go on living."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from support.fault_studies import WORDS, contents, put
from support.faults import Ledger
from support.machines import Cut, Machine, two_machines
from support.processes import environment
from support.ray_starting import PROGRAM, Start, talk

pytestmark = pytest.mark.slow

KEPT = ("results.parquet", "summary.json", "examples.jsonl", "study.yaml")
ITEMS = 16 * 256
NODES = {"RAY_health_check_timeout_ms": "3000", "RAY_agent_register_timeout_ms": "120000"}
LOOPBACK = frozenset({"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"})
"""The setting by which Ray binds to 127.0.0.1, and then lets no second node join."""
AGENTS = ("dashboard-agent-grpc", "dashboard-agent-listen", "runtime-env-agent", "metrics-export")
PORTS = [f"--{agent}-port={20_000 + number}" for number, agent in enumerate(AGENTS)]
"""Given, as a node waits only seconds for the ports that its agents choose, and a busy machine needs more."""
PATIENCE = 115
"""Seconds in which a batch on a silent node is given up: 85 at most by our settings, 120 at least by Ray's own."""
STARTS = 6
"""How often a node is started that does not come up: Ray gives up soon on a busy machine."""
SLOW = """\
import os
import time
from pathlib import Path

import numpy as np

from dialeval.data import Response

LOG = Path(__file__).with_name("log")


def note(kind):
    with LOG.open("a") as file:
        file.write(f"{kind} {os.readlink('/proc/self/ns/net')}\\n")


class Answers:
    name = "answers"

    def generate(self, contexts, *, n=1, seed=0):
        note("answers")
        time.sleep(0.3)
        return [(Response(context[-1].text[::-2]),) for context in contexts]


class Words:
    higher_is_better = True

    def unscorable(self, example):
        return None

    def statistics(self, examples):
        note(type(self).__name__)
        time.sleep(0.3)
        return np.array([(self.count(example.response.text), 1.0) for example in examples])

    def aggregate(self, totals):
        return totals[..., 0] / totals[..., 1]

    def count(self, text):
        return len(set(text.split()))


class Letters(Words):
    resources = {"weights": "0" * 64}

    def count(self, text):
        return len(text)
"""
STUDY = """\
name: cut
data: prompts.jsonl
trials: 20
systems:
  - {name: one, kind: transcript, path: one.jsonl}
  - {name: own, kind: 'slow.py:Answers'}
measures: ['slow.py:Words', 'slow.py:Letters']
"""


def make_slow_study(folder: Path) -> Path:
    """A study whose batches take a while, and say where they ran: answers and words as tasks, letters in actors."""
    folder.mkdir()
    texts = [f"{WORDS[n % 13]} {WORDS[n % 11]} {n}" for n in range(ITEMS)]
    put(
        folder / "prompts.jsonl",
        ({"id": f"i{n}", "context": [{"role": "user", "content": text}]} for n, text in enumerate(texts)),
    )
    put(folder / "one.jsonl", ({"id": f"i{n}", "response": text} for n, text in enumerate(texts)))
    (folder / "slow.py").write_text(SLOW)
    (folder / "study.yaml").write_text(STUDY)
    return folder


@dataclass
class Pair:
    """A cluster of a head and a second node, each with one CPU, on two machines."""

    head: Machine
    other: Machine
    start: Start
    folder: Path

    @property
    def address(self) -> str:
        return f"{self.head.address}:6379"

    def join(self, machine: Machine) -> None:
        """Start a node there; the other one is waited for."""
        role = [f"--address={self.address}"]
        if machine is self.head:
            role = ["--head", "--port=6379", "--include-dashboard=false"]
        place = [f"--node-ip-address={machine.address}", "--num-cpus=1", *PORTS]
        for _ in range(STARTS):
            starting = self.begin(machine, "-m", "ray.scripts.scripts", "start", *role, *place)
            with contextlib.suppress(subprocess.TimeoutExpired):
                if starting.wait(timeout=120) == 0:
                    break
            machine.kill_all()
        else:
            pytest.fail(f"Ray does not start:\n{talk(self.folder)}")
        if machine is self.other:
            waiting = self.begin(self.head, PROGRAM, "nodes", self.address, 2)
            assert waiting.wait(timeout=180) == 0, talk(self.folder)

    def begin(self, machine: Machine, *arguments: object) -> subprocess.Popen[str]:
        more = {"RAY_TMPDIR": str(machine.shared), **NODES}
        options = {"more": more, "less": LOOPBACK, "inside": machine.inside}
        return self.start(*arguments, **options, stdout=subprocess.DEVNULL)

    def run(self, machine: Machine, study: Path) -> subprocess.Popen[str]:
        """``dialeval run`` of the study on the cluster, from there."""
        command = ["run", study / "study.yaml", "-o", study / "out", "--cache", study / "cache"]
        return self.begin(machine, "-m", "dialeval", *command, "--engine", "ray", "--address", self.address)


@pytest.fixture
def pair(start_ray: Start, tmp_path: Path) -> Iterator[Pair]:
    shared = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # sockets have short paths
    try:
        with two_machines(shared) as (head, other):
            pair = Pair(head, other, start_ray, tmp_path)
            pair.join(head)
            yield pair
    finally:
        shared.rmdir()


@pytest.fixture
def calm(tmp_path: Path) -> dict[str, bytes]:
    """What the study gives without Ray."""
    study = make_slow_study(tmp_path / "calm")
    command = [sys.executable, "-m", "dialeval", "run", "study.yaml", "-o", "out", "--cache", "cache"]
    subprocess.run(command, cwd=study, env=environment(), check=True, capture_output=True)
    found = contents(study / "out")
    return {name: found[name] for name in KEPT}


def lost(study: Path, calm: dict[str, bytes]) -> list[str]:
    found = contents(study / "out") if (study / "out").exists() else {}
    return [name for name, raw in calm.items() if found.get(name) != raw]


def await_batches(study: Path, line: str, count: int, program: subprocess.Popen[str], folder: Path) -> None:
    """Wait until so many batches of a kind have begun on a machine."""
    deadline = time.monotonic() + 240
    log = study / "log"
    while not log.exists() or log.read_text().splitlines().count(line) < count:
        assert program.poll() is None, talk(folder)
        assert time.monotonic() < deadline, talk(folder)
        time.sleep(0.02)


def longest_wait(study: Path) -> float:
    """Most seconds between two results that were kept."""
    times = sorted(path.stat().st_mtime for path in (study / "cache").rglob("*") if path.is_file())
    return max(later - earlier for earlier, later in pairwise(times))


CUTS: tuple[tuple[str, Cut, bool], ...] = (
    ("answers", "link down", True),
    ("Words", "packets lost", False),
    ("Letters", "packets lost", False),
)
"""The batches in which the node is cut off, how, and whether the cable is mended before the run ends."""


def test_a_node_that_is_cut_off_loses_and_changes_nothing(
    pair: Pair, calm: dict[str, bytes], tmp_path: Path, ledger: Ledger
) -> None:
    differing = 0
    for number, (kind, how, mended) in enumerate(CUTS):
        pair.join(pair.other)
        study = make_slow_study(tmp_path / f"study-{number}")
        program = pair.run(pair.head, study)
        await_batches(study, f"{kind} {pair.other.network}", 3, program, tmp_path)
        for machine in (pair.head, pair.other):
            machine.cut(how)
        if mended:
            time.sleep(15)  # by then the head has given the node up
            for machine in (pair.head, pair.other):
                machine.mend(how)
        assert program.wait(timeout=400) == 0, talk(tmp_path)
        assert longest_wait(study) < PATIENCE
        differing += bool(lost(study, calm))
        pair.other.kill_all()
        if not mended:
            for machine in (pair.head, pair.other):
                machine.mend(how)
    ledger("ray cut", tried=len(CUTS), lost=differing, seed="two network namespaces")
