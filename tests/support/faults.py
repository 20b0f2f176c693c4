"""The ledger of the fault suite: what was done to which command, how often, and what was lost or doubled by it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from support.forked import Forks, forks

FAULTS: Final = {
    "kill run": "`run` killed (SIGKILL) before a change of a file, resumed",
    "kill meta": "`meta` killed, resumed",
    "kill select ask": "`select ask` killed, resumed",
    "kill select build": "`select build` killed, resumed",
    "kill train": "`train skip-thought` killed, resumed",
    "terminate": "`run` ended by SIGTERM, resumed",
    "interrupt": "`run` interrupted (Ctrl-C), resumed",
    "full disk, results": "disk full while `run` writes its folder, then space",
    "full disk, cache": "disk full while `run` writes its cache",
    "full disk, shard": "disk full while `run --shard` keeps its results, then space",
    "full disk, checkpoint": "disk full while `train` writes its folder, then space",
    "read-only folder": "read-only folder for the results of `run`",
    "read-only cache": "read-only cache folder",
    "full disk, every verb": "disk full for results of each verb, first and later ones (those that print: `/dev/full`)",
    "read-only folder, every verb": "read-only folder for the results of each verb (those that print: for all files)",
    "full disk, rating server": "disk full while raters answer in the browser, then space",
    "memory, every verb": "each verb refused memory (RLIMIT_AS)",
    "damaged cache": "cache entry truncated, with a flipped bit, or of another batch",
    "two runs": "two `run` at once in one folder and one cache",
    "clock": "clock set back while `run` asks a system, and before it resumes",
    "memory": "worker of `run` killed (SIGKILL), or refused memory, resumed",
    "kernel": "worker of `run` killed by the kernel because memory was out, resumed",
    "ray worker": "worker of a Ray cluster killed (SIGKILL) in a batch: a task, and an actor",
    "ray node": "node of a Ray cluster killed (SIGKILL of its raylet); the driver once, resumed",
    "ray room": "node of a Ray cluster killed before the actor that it has room for begins, and not replaced",
    "ray cut": "node of a Ray cluster cut off from the network amid `run` (link down, or packets lost)",
    "hanging server": "server that accepts and never answers, then works",
    "faulty server": "HTTP 429 with Retry-After, 500, half a body, garbage, a dropped connection, mid-run",
    "changed model": "server that changes its model mid-run, and back",
    "killed while served": "`run` killed while a server answers, resumed",
}
"""Every fault of the suite; docs/reliability.md has a row for each."""

NOT_MEASURED: Final = frozenset[str]()
"""Faults that ``make faults`` had not run when docs/reliability.md was last written."""

Ledger = Callable[..., None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fault-table", metavar="FILE", help="append what the fault suite did, a line each")


@pytest.fixture
def ledger(request: pytest.FixtureRequest) -> Ledger:
    """Record a fault that was survived: how often it was tried, and what was lost and doubled (None: not counted)."""

    def record(fault: str, *, tried: int, lost: int, doubled: int | None = None, seed: object = "") -> None:
        assert fault in FAULTS
        assert tried > 0
        row = {"fault": fault, "tried": tried, "lost": lost, "doubled": doubled, "seed": str(seed)}
        place = request.config.getoption("--fault-table")
        if place:
            with Path(str(place)).open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        assert (lost, doubled or 0) == (0, 0), row

    return record


@pytest.fixture(scope="session")
def commands() -> Iterator[Forks]:
    """Commands in forks of one warm process."""
    with forks() as running:
        yield running
