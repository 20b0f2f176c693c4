"""The server killed with SIGKILL at random moments while raters work: no acknowledged answer is lost."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from dialeval.annotation.invitations import invite
from dialeval.annotation.project import Project
from dialeval.annotation.simulation import Behaviour, Client, SimulatedRater
from support.processes import environment
from support.rating_studies import made_project, made_store

RATERS, KILLS = 20, 3


class Server:
    """``dialeval annotate serve`` as a process of its own, that can be killed and started again."""

    def __init__(self, project: Project, url: str | None, port: int) -> None:
        store = ["--store", url] if url else []
        serve = ["annotate", "serve", str(project.folder), "--port", str(port), *store]
        self._command = [sys.executable, "-m", "dialeval", *serve]
        self._port = port
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", self._port), 1).close()
                return
            except OSError:
                assert self._process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.05)

    def kill(self) -> None:
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _wait_for(workers: list[SimulatedRater], more: int) -> None:
    """Wait until so many more answers are acknowledged."""
    enough = sum(len(worker.tally.acknowledged) for worker in workers) + more
    deadline = time.monotonic() + 120
    while sum(len(worker.tally.acknowledged) for worker in workers) < enough and time.monotonic() < deadline:
        time.sleep(0.01)


@pytest.mark.slow
def test_no_acknowledged_answer_is_lost_when_the_server_is_killed(
    tmp_path: Path, store_url: str | None
) -> None:
    project = made_project(tmp_path / "study", items=60, overlap=4, raters=())
    store = made_store(project, store_url)
    links = {f"r{number}": invite(project, store, f"r{number}").path for number in range(RATERS)}
    store.close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Server(project, store_url, port)
    server.start()
    address = f"http://127.0.0.1:{port}"
    stopping = threading.Event()
    failures: list[BaseException] = []
    behaviour = Behaviour(skips=0.02, think=0.05, seed=3)
    workers = [
        SimulatedRater(
            project, Client(address, link, timeout=20), name, behaviour, patience=120, stop=stopping.is_set
        )
        for name, link in links.items()
    ]

    def work(worker: SimulatedRater) -> None:
        try:
            worker.work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    draw = random.Random(5)
    for _ in range(KILLS):
        _wait_for(workers, draw.randint(5, 40))
        time.sleep(draw.uniform(0, 0.2))
        server.kill()
        server.start()
    _wait_for(workers, 20)
    stopping.set()
    for thread in threads:
        thread.join(150)
    server.kill()
    assert failures == []
    store = made_store(project, store_url)
    kept = {(given.rater, given.item, given.revision) for given in store.revisions()}
    acknowledged = {
        (worker.tally.rater, item, revision)
        for worker in workers
        for item, revision in worker.tally.acknowledged
    }
    assert len(acknowledged) > RATERS
    assert acknowledged <= kept
    assert max(Counter(given.item for given in store.latest_answers()).values()) <= 4
    store.close()
