"""Start and end of programs that use Ray."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import pytest

from support.paths import TESTS
from support.processes import environment
from support.ray_programs import ENVIRONMENT

PROGRAM = str(TESTS / "support" / "ray_programs.py")
MARK = "STARTED_BY_TEST"
"""What says in the environment of a process which test it belongs to."""
TOKEN = frozenset({"RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH"})
"""Settings of the token that programs are given."""
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start_ray(tmp_path) -> Iterator[Start]:
    """Starts programs with a token of their own, and kills them and all that they started in the end."""
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text(f"{random.SystemRandom().getrandbits(256):064x}")
    temporary = tempfile.mkdtemp(prefix="ray-", dir="/tmp")  # sockets have short paths
    settings = environment() | ENVIRONMENT
    settings |= {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_TMPDIR": temporary,
        MARK: str(token),
    }
    programs: list[subprocess.Popen[str]] = []

    def begin(
        *arguments: object,
        more: Mapping[str, str] | None = None,
        less: Set[str] = frozenset(),
        inside: Sequence[str] = (),
        **options: Any,
    ) -> subprocess.Popen[str]:
        given = {name: value for name, value in settings.items() if name not in less} | dict(more or {})
        command = [*inside, sys.executable, "-W", "ignore", *map(str, arguments)]
        with (tmp_path / f"talk-{len(programs)}").open("w") as talk:
            program = subprocess.Popen(
                command,
                env=given,
                text=True,
                start_new_session=True,
                stderr=talk,
                **options,
            )
        programs.append(program)
        return program

    yield begin
    for program in programs:
        program.kill()
        program.wait()
        for stream in (program.stdin, program.stdout):
            if stream is not None:
                stream.close()
    for pid in descended(token):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(temporary, ignore_errors=True)


def descended(token: Path) -> list[int]:
    """Processes that still run with this test's mark in their environment: raylets, workers, agents."""
    mark = f"{MARK}={token}".encode()
    left = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark in entry.read_bytes().split(b"\0"):
                left.append(int(entry.parent.name))
    return left


def talk(folder: Path) -> str:
    return "\n".join(path.read_text()[-2000:] for path in sorted(folder.glob("talk-*")))
