"""The command line, run in the process of the test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest


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
