"""Names and texts that try to steer the terminal of the user, or the log of a CI job."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dialeval.display.streams import printable
from support.command import Command
from support.fault_studies import make_study, put

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\r\u2066x\x7f"
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
OWN_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
"""What rich writes around cells and titles."""


def hostile_study(folder: Path, name: str) -> None:
    """A study of which a system, its answers and an item have that name."""
    make_study(folder)
    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(text.replace("name: one,", f"name: {json.dumps(name)},"))
    for file in ("prompts", "one", "two", "ratings"):
        path = folder / f"{file}.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            if row.get("system") == "one":
                row["system"] = name
            if "response" in row:
                row["response"] = f"{name} {row['response']}"
            for key in ("id", "item"):
                if key in row:
                    row[key] = f"{name}{row[key]}"
        put(path, rows)


COMMANDS = [
    ("run", "study.yaml", "-o", "out"),
    ("run", "study.yaml", "-o", "out", "--json"),
    ("run", "study.yaml", "-o", "out", "--fail-under", "rouge_l=0.99"),
    ("report", "out", "--markdown"),
    ("report", "out", "--format", "csv"),
    ("score", "one.jsonl", "-m", "length"),
    ("score", "one.jsonl", "-m", "length", "--json"),
    ("score", "one.jsonl", "-m", "length", "--per-item", "-"),
    ("compare", f"out:{HOSTILE}", "out:two"),
    ("compare", f"out:{HOSTILE}", "out:two", "--json"),
    ("compare", f"out:{HOSTILE}", "out:none"),
    ("data", "validate", "one.jsonl"),
    ("data", "validate", "bad.jsonl"),
    ("data", "convert", "one.jsonl", "-"),
    ("annotate", "agreement", "ratings.jsonl"),
    ("meta", "out", "ratings.jsonl", "--trials", "20", "-o", "met"),
    ("score", f"{HOSTILE}.jsonl", "-m", "length"),
    ("score", "one.jsonl", "-m", "length", "--fail-under", f"{HOSTILE}=1"),
]


@pytest.fixture
def hostile(tmp_path: Path, dialeval: Command) -> Path:
    hostile_study(tmp_path, HOSTILE)
    (tmp_path / "bad.jsonl").write_text(json.dumps({HOSTILE: HOSTILE}) + "\n")
    ended = dialeval("run", "study.yaml", "-o", "out")
    assert ended.code == 0, ended.err
    return tmp_path


def test_no_character_that_steers_a_terminal_is_printed(hostile: Path, dialeval: Command) -> None:
    for command in COMMANDS:
        if "-" in command:  # to a pipe these lines are data
            continue
        ended = dialeval(*command)
        assert ended.out or ended.err
        for text in (ended.out, ended.err):
            assert STEERING.findall(text) == [], command
        if "--json" in command:
            assert HOSTILE in _strings(json.loads(ended.out)), command


def _strings(value: object) -> str:
    if isinstance(value, dict):
        return "".join(f"{key}{_strings(part)}" for key, part in value.items())
    if isinstance(value, list):
        return "".join(map(_strings, value))
    return str(value)


@pytest.mark.slow
def test_on_a_terminal_only_our_own_colours_are_left(hostile: Path) -> None:
    for command in COMMANDS:
        shown = _on_a_terminal(command, hostile)
        assert shown
        left = OWN_COLOURS.sub("", shown).replace("\r\n", "\n")
        left = re.sub(r"\x1b\[(\?25[lh]|2K|1A)|\r(?=\x1b)|\r", "", left)  # a progress bar
        assert STEERING.findall(left) == [], command
        assert "\x1b]" not in shown
        assert "\x1b[2J" not in shown


def _on_a_terminal(command: tuple[str, ...], folder: Path) -> str:
    owner, terminal = pty.openpty()
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / ".cache"), "TERM": "xterm", "COLUMNS": "80"}
    environment = {name: value for name, value in environment.items() if name not in ("CI", "NO_COLOR")}
    started = subprocess.Popen(
        [sys.executable, "-m", "dialeval", *command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        env=environment,
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            piece = os.read(owner, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        shown += piece
    started.wait(timeout=120)
    os.close(owner)
    return shown.decode(errors="replace")


def test_a_text_of_line_breaks_is_printed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = "\n" * 300_000
    began = time.process_time()
    assert printable(f"{text} ::error::owned") == f"{text} : :error::owned"
    assert time.process_time() - began < 5


@pytest.mark.parametrize("name", ["::error title=x::owned", "a\n::stop-commands::x", "##[error]owned"])
def test_no_name_becomes_a_command_of_a_github_job(
    dialeval: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    hostile_study(tmp_path, name)
    ended = dialeval("run", "study.yaml", "-o", "out", "--fail-under", "rouge_l=0.99")
    assert ended.code == 100
    commands = [
        line
        for line in f"{ended.out}\n{ended.err}".split("\n")
        if line.strip().startswith("::") or "##[" in line
    ]
    assert commands
    assert all(line.startswith("::error title=dialeval::") for line in commands), commands
    for verb in (("compare", f"out:{name}", "out:two"), ("score", "one.jsonl", "-m", "length")):
        again = dialeval(*verb)
        lines = f"{again.out}\n{again.err}".split("\n")
        assert not [line for line in lines if line.strip().startswith("::") or "##[" in line]
