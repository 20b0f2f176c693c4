"""Half requests, many connections and noise against the rating server, over real sockets of this machine."""

from __future__ import annotations

import http.client
import logging
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from dialeval.annotation.invitations import invite
from dialeval.annotation.web.connections import Gate, Limits, Sparing
from support.processes import environment
from support.rating_studies import made_project, made_store

HALF = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Never: "
FILES = 256


def _healthy(port: int, timeout: float = 20.0) -> float:
    """Seconds until a request is answered."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200
    connection.close()
    return time.monotonic() - began


@pytest.fixture
def few_files(tmp_path: Path):
    """``dialeval annotate serve`` that may open 256 files; gives its port and its log."""
    project = made_project(tmp_path / "study")
    store = made_store(project)
    invite(project, store, "ann")
    store.close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path / "log"
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
    with log.open("wb") as file:
        process = subprocess.Popen(
            command,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=file,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES)),
        )
    deadline = time.monotonic() + 120
    while True:
        try:
            _healthy(port)
            break
        except OSError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.1)
    yield port, log
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def test_half_requests_beyond_the_files_of_the_process_keep_nobody_out_and_fill_no_log(few_files) -> None:
    port, log = few_files
    with ExitStack() as opened:
        for number in range(FILES + 80):
            one = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            one.sendall(HALF)
            if number % 100 == 99:
                _healthy(port)
        for _ in range(5):
            assert _healthy(port) < 20
            time.sleep(0.2)
    assert log.stat().st_size < 20_000, log.read_text()[:2000]


def test_bad_requests_fill_no_log(few_files) -> None:
    port, log = few_files
    before = log.stat().st_size
    for _ in range(200):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as one:
            one.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
            one.recv(1000)
    assert log.stat().st_size - before < 2_000


def _served(tmp_path: Path, limits: Limits):
    from dialeval.annotation.web.app import create_app
    from dialeval.annotation.web.server import in_background

    project = made_project(tmp_path / "study")
    return in_background(create_app(project, made_store(project)), limits=limits)


def _closed_after(one: socket.socket, most: float) -> float:
    """Seconds until the server closes the connection."""
    began = time.monotonic()
    one.settimeout(most)
    try:
        while one.recv(1000):
            pass
    except ConnectionResetError:
        pass
    return time.monotonic() - began


@pytest.mark.parametrize(
    "half",
    [
        b"",
        HALF,
        b"POST /api/answers HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500\r\n\r\n{",
    ],
    ids=["nothing", "half a head", "half a body"],
)
def test_an_unfinished_request_is_given_up(tmp_path: Path, half: bytes) -> None:
    limits = Limits(50, 50, head_seconds=1.0, body_seconds=1.0)
    with _served(tmp_path, limits) as address:
        port = int(address.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=20) as one:
            one.sendall(half)
            assert _closed_after(one, 20) < 15
        _healthy(port)


def test_an_unfinished_second_request_is_given_up(tmp_path: Path) -> None:
    with _served(tmp_path, Limits(50, 50, head_seconds=1.0, body_seconds=1.0)) as address:
        port = int(address.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=20) as one:
            one.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert b'{"ok":true}' in _until(one, b"}")
            one.sendall(HALF)
            assert _closed_after(one, 20) < 15


def _until(one: socket.socket, end: bytes) -> bytes:
    read = b""
    while not read.endswith(end):
        read += one.recv(1000)
    return read


def _drip(one: socket.socket) -> None:
    began = time.monotonic()
    while time.monotonic() - began < 20:
        one.sendall(b"x")
        time.sleep(0.1)


def test_single_bytes_win_no_time(tmp_path: Path) -> None:
    limits = Limits(50, 50, head_seconds=1.0, body_seconds=1.0)
    with _served(tmp_path, limits) as address:
        port = int(address.rsplit(":", 1)[1])
        with (
            socket.create_connection(("127.0.0.1", port), timeout=20) as one,
            pytest.raises((ConnectionResetError, BrokenPipeError)),
        ):
            _drip(one)


def test_the_connection_that_waited_longest_gives_way_and_none_that_is_answered() -> None:
    class Connection:
        def __init__(self, gate: Gate, address: str) -> None:
            self.gate, self.address, self.open = gate, address, True

        def give_way(self) -> None:
            self.open = False
            self.gate.forget(self)

    gate = Gate(Limits(4, 3))
    busy, first, second = (Connection(gate, "a") for _ in range(3))
    assert all(gate.admit(one) for one in (busy, first, second))
    gate.busy(busy)
    third, other = Connection(gate, "a"), Connection(gate, "b")
    assert gate.admit(third)
    assert [one.open for one in (busy, first, second, third)] == [True, False, True, True]
    assert gate.admit(other)
    for one in (second, third, other):
        gate.busy(one)
    assert not gate.admit(Connection(gate, "b"))
    gate.waits(third)
    assert gate.admit(Connection(gate, "b"))
    assert not third.open


def test_a_log_line_that_comes_often_is_written_a_few_times_and_counted() -> None:
    now = 0.0
    spare = Sparing(2, 60.0, lambda: now)

    def said(text: str) -> str | None:
        record = logging.LogRecord("asyncio", logging.ERROR, "", 0, text, (), None)
        return record.getMessage() if spare.filter(record) else None

    assert [said("full"), said("full"), said("full"), said("other")] == ["full", "full", None, "other"]
    now = 61.0
    assert re.fullmatch(r"full \(1 more like it since\)", said("full") or "")


def test_limits_leave_half_of_the_files_to_the_rest_of_the_process() -> None:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    limits = Limits.of_process()
    assert limits.connections <= max(8, soft // 2)
    assert limits.per_address <= limits.connections // 2 + 4
