"""Load on the rating server: 200 raters at once over HTTP, on SQLite and, where it is installed, on PostgreSQL.

``python -m bench annotation`` runs ten seconds on each; ``python -m bench annotation:minute`` the full minute. The
server is a process of its own. There is no ratio: no other tool was measured. Every acknowledged answer is looked for
in the store afterwards.
"""

from __future__ import annotations

import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench.result import BenchResult
from dialeval.annotation.blind_items import blind
from dialeval.annotation.desk import plan_of
from dialeval.annotation.invitations import invite
from dialeval.annotation.kinds.asking import asked
from dialeval.annotation.project import Project, Settings, write_project
from dialeval.annotation.simulation import Behaviour, Client, SimulatedRater
from dialeval.annotation.store.database import open_database
from dialeval.annotation.store.store import Store
from dialeval.data.types import Example, Response, Turn

RATERS, ITEMS, OVERLAP = 200, 4_000, 3
SECONDS = {"short": 10.0, "minute": 60.0}
THINK = 5.0
"""Seconds a rater takes on average, which is faster than people: 40 answers a second are asked for."""


def run(section: str = "short") -> Iterator[BenchResult]:
    """The 95th percentile of the wait for an acknowledgement, and answers per second."""
    yield _load("SQLite", None, SECONDS[section])
    with _postgres() as url:
        if url is not None:
            yield _load("PostgreSQL", url, SECONDS[section])


def _load(name: str, url: str | None, seconds: float) -> BenchResult:
    with tempfile.TemporaryDirectory() as folder:
        project = _study(Path(folder) / "study")
        store = _store(project, url)
        links = [(f"r{number}", invite(project, store, f"r{number}").path) for number in range(RATERS)]
        store.close()
        port = _free_port()
        with _served(project, url, port) as process:
            before = _cpu_seconds(process)
            workers, elapsed = _work(project, f"http://127.0.0.1:{port}", links, seconds)
            spent = _cpu_seconds(process) - before
        store = _store(project, url)
        kept = {(given.rater, given.item, given.revision) for given in store.revisions()}
        store.close()
    sent = {
        (worker.tally.rater, item, revision)
        for worker in workers
        for item, revision in worker.tally.acknowledged
    }
    waits = [wait for worker in workers for wait in worker.tally.latencies or ()]
    lost = len(sent - kept)
    return BenchResult(
        f"{RATERS} raters, {seconds:g} s, {name}",
        float(np.percentile(waits, 95)),
        math.nan,
        f"p95 of the wait; {len(sent) / elapsed:.0f} answers a second, {len(sent):,} acknowledged, {lost} lost, "
        f"{1000 * spent / len(sent):.1f} ms of the server's CPU each, load average {os.getloadavg()[0]:.0f}",
    )


def _cpu_seconds(process: int) -> float:
    """What the server has used so far; waits of a busy machine do not count, unlike in the other numbers."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _study(folder: Path) -> Project:
    examples = [
        Example(
            f"d{number}",
            f"s{number % 4}",
            (Turn("user", f"Question {number}?"),),
            Response(f"Answer {number}."),
        )
        for number in range(ITEMS)
    ]
    settings = Settings(title="load", asks=(asked("likert", "overall"),), overlap=OVERLAP)
    return write_project(folder, settings, blind(examples, "response"))


def _store(project: Project, url: str | None) -> Store:
    return Store(open_database(url or project.store), plan_of(project))


def _work(
    project: Project, address: str, links: list[tuple[str, str]], seconds: float
) -> tuple[list[SimulatedRater], float]:
    ended = threading.Event()
    workers = [
        SimulatedRater(
            project, Client(address, link), name, Behaviour(think=THINK), patience=30, stop=ended.is_set
        )
        for name, link in links
    ]
    threads = [threading.Thread(target=worker.work, daemon=True) for worker in workers]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    ended.set()
    for thread in threads:
        thread.join()
    return workers, time.perf_counter() - began


@contextmanager
def _served(project: Project, url: str | None, port: int) -> Iterator[int]:
    command = [
        sys.executable,
        "-m",
        "dialeval",
        "annotate",
        "serve",
        str(project.folder),
        "--port",
        str(port),
    ]
    process = subprocess.Popen(
        [*command, *(["--store", url] if url else [])], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(1200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield process.pid
    finally:
        process.kill()
        process.wait()


@contextmanager
def _postgres() -> Iterator[str | None]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        print("PostgreSQL is not installed; left out", file=sys.stderr)
        yield None
        return
    folder, port = Path(tempfile.mkdtemp(prefix="dialeval-pg-")), _free_port()
    root = os.getuid() == 0
    if root:
        shutil.chown(folder, "postgres", "postgres")
    switch = ["runuser", "-u", "postgres", "--"] if root else []
    data = str(folder / "data")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    make = [*switch, str(found[-1] / "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8"]
    subprocess.run(make, check=True, capture_output=True, cwd="/")
    control = [*switch, str(found[-1] / "pg_ctl"), "-D", data]
    start = [*control, "-o", options, "-l", str(folder / "log"), "-w", "-t", "120", "start"]
    subprocess.run(start, check=True, capture_output=True, cwd="/")
    try:
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd="/")
        shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
