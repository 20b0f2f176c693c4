"""Fixtures every test may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

# Tests run in parallel processes: more threads in each would only get in each other's way.
for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora: $DIALEVAL_DATA, else ../shared/data beside the checkout."""
    folder = Path(os.environ.get("DIALEVAL_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real data not found at {folder}; set DIALEVAL_DATA to the folder that holds it")
    return folder


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def dialeval(monkeypatch, capsys, tmp_path) -> Command:
    """Run the command line in this process, in an empty folder, with its own cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object) -> Outcome:
        from dialeval.cli import main

        monkeypatch.setattr(sys, "argv", ["dialeval", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        return Outcome(code, *capsys.readouterr())

    return call
