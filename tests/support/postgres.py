"""A real PostgreSQL for tests: made once a session in a private folder, each test with a database of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest


def _tools() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


def _as_postgres(*command: str) -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["runuser", "-u", "postgres", "--", *command] if os.getuid() == 0 else list(command)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server that holds nothing yet."""
    tools = _tools()
    if tools is None:
        pytest.skip("needs PostgreSQL's initdb")
    folder = Path(tempfile.mkdtemp(prefix="dialeval-pg-"))
    if os.getuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = folder / "data"
    made = _as_postgres(str(tools / "initdb"), "-D", str(data), "-A", "trust", "-U", "postgres", "-E", "UTF8")
    subprocess.run(made, check=True, capture_output=True, cwd="/")
    options = (
        f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c max_connections=100"
    )
    control = str(tools / "pg_ctl")
    log = str(folder / "log")
    start = _as_postgres(control, "-D", str(data), "-o", options, "-l", log, "-w", "-t", "120", "start")
    subprocess.run(start, check=True, capture_output=True, cwd="/")
    try:
        yield f"postgresql://postgres@127.0.0.1:{port}"
    finally:
        stop = _as_postgres(control, "-D", str(data), "-m", "immediate", "stop")
        subprocess.run(stop, check=False, capture_output=True, cwd="/")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The address of an empty database, whose connections are closed after the test.

    One that is left to the garbage collector warns whenever that runs, and fails the test that happens to run then.
    """
    import psycopg
    from sqlalchemy import Pool, event

    opened: list[psycopg.Connection] = []

    def remember(connection: psycopg.Connection, _record: object) -> None:
        if isinstance(connection, psycopg.Connection):
            opened.append(connection)

    name = f"study_{uuid4().hex[:12]}"
    with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    event.listen(Pool, "connect", remember)
    yield f"{postgres_server}/{name}"
    event.remove(Pool, "connect", remember)
    for connection in opened:
        connection.close()
