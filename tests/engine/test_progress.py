from __future__ import annotations

import os
import pty
import subprocess
import sys

from dialeval.engine import SILENT, RichProgress

PROGRAM = """
from dialeval.engine import RichProgress
with RichProgress("bleu [order=4]", total=30) as bar:
    for _ in range(3):
        bar.advance(10)
"""


def test_silence_is_golden(capfd):
    SILENT.advance(3)
    assert capfd.readouterr() == ("", "")


def test_a_pipe_sees_nothing():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_terminal_sees_the_bar_on_stderr_only():
    keeper, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=terminal,
        check=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    shown = os.read(keeper, 65536).decode()
    os.close(terminal)
    os.close(keeper)
    assert done.stdout == b""
    assert "bleu [order=4]" in shown
    assert "30/30" in shown


def test_an_unknown_total_is_fine(capfd):
    with RichProgress("reading") as bar:
        bar.advance(5)
    assert capfd.readouterr().out == ""


def test_rich_is_not_imported_until_there_is_a_terminal():
    check = PROGRAM + "\nimport sys\nassert 'rich' not in sys.modules"
    subprocess.run([sys.executable, "-c", check], stderr=subprocess.DEVNULL, check=True)


def test_a_bar_without_a_total_shows_none():
    bar = RichProgress("scoring", 0)
    assert bar._total is None
