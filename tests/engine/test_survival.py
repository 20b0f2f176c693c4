"""Real processes, really interrupted and killed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dialeval.engine import ROWS, Cache
from support.engine_tasks import batched, square
from support.paths import TESTS

PROGRAM = TESTS / "support" / "engine_tasks.py"
BATCHES = batched(range(120), [3] * 39)


def start(folder: Path, *, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), str(folder), "2", str(seconds)]
    return subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=_mind_interrupts
    )


def _mind_interrupts() -> None:
    # A script's shell starts what runs in the background with interrupts ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture(params=["as a person starts it", "in the background of a script"])
def started(request) -> Iterator[None]:
    """The two ways in which the test-suite itself is started."""
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.SIG_IGN if "script" in request.param else signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def wait_for_files(cache: Cache, files: int) -> None:
    deadline = time.monotonic() + 30
    while cache.size().files < files:
        assert time.monotonic() < deadline, "the program did nothing"
        time.sleep(0.01)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def workers_gone(log: Path) -> bool:
    workers = {int(line.split()[0]) for line in log.read_text().splitlines()}
    deadline = time.monotonic() + 10
    while any(alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(alive(pid) for pid in workers)


@pytest.mark.usefixtures("started")
def test_an_interrupt_ends_the_run_promptly_and_keeps_what_is_done(tmp_path):
    cache = Cache(tmp_path / "cache")
    program = start(tmp_path, seconds=0.25)
    wait_for_files(cache, 3)
    began = time.monotonic()
    os.killpg(program.pid, signal.SIGINT)  # as Ctrl-C does: to every process of the terminal
    _, talk = program.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert program.returncode != 0
    assert talk.count("Traceback") == 1  # the parent's own, none from workers
    assert talk.rstrip().endswith("KeyboardInterrupt")
    assert workers_gone(tmp_path / "log")
    kept = [cache.get("squares", batch.digest) for batch in BATCHES]
    assert 3 <= sum(payload is not None for payload in kept) < 40
    for batch, payload in zip(BATCHES, kept, strict=True):
        assert payload is None or payload == ROWS.encode(square(batch.content))


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_workers_do_not_outlive_a_killed_parent(tmp_path):
    program = start(tmp_path, seconds=0.1)
    try:
        wait_for_files(Cache(tmp_path / "cache"), 2)
        program.kill()
        program.wait()
        assert workers_gone(tmp_path / "log")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.communicate()


def test_a_run_killed_at_any_moment_resumes_to_the_same_bytes(tmp_path):
    undisturbed = np.concatenate([square(batch.content) for batch in BATCHES]).tobytes()
    cache, chance = Cache(tmp_path / "cache"), random.Random(20261115)
    kept = []
    for more in (0, 1, 1, 2, 5):  # how many further results to wait for, then a random moment more
        program = start(tmp_path, seconds=0.03)
        wait_for_files(cache, cache.size().files + more)
        time.sleep(chance.uniform(0, 0.08))
        program.kill()
        program.wait()  # not communicate, which would wait for every worker that holds stderr
        assert program.stderr is not None
        program.stderr.close()
        kept.append(cache.size().files)
    assert 9 <= kept[-1] < 40
    assert not (tmp_path / "out").exists()
    program = start(tmp_path, seconds=0)
    _, talk = program.communicate(timeout=60)
    assert (program.returncode, talk) == (0, "")  # no warning: a kill never leaves a damaged file
    assert (tmp_path / "out").read_bytes() == undisturbed
    runs = (tmp_path / "log").read_text().splitlines()
    assert 40 <= len(runs) <= 40 + 5 * 8  # only what was under way at a kill is run again
