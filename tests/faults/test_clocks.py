"""A clock that is set back by more than a year, in the middle of a run and between two."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pytest

from support.clocks import DAYS_400, settable_clock
from support.fault_studies import contents, make_study
from support.faults import Ledger
from support.processes import environment

pytestmark = pytest.mark.slow

KEPT = ("results.parquet", "summary.json", "examples.jsonl", "study.yaml")
SYSTEM = '''\
"""Sets the clock back at its fifth answer, and leaves a line for each."""
import os
from pathlib import Path

LOG = Path(__file__).with_name("asked.log")


def answer(messages):
    with LOG.open("a") as log:
        log.write(messages[-1]["content"] + "\\n")
    if "SET_BACK" in os.environ and len(LOG.read_text().splitlines()) == 5:
        Path(os.environ["CLOCK_BEHIND"]).write_text(os.environ["SET_BACK"])
    return "the red bus"
'''


def make_asked(folder: Path) -> Path:
    make_study(folder)
    (folder / "own.py").write_text(SYSTEM)
    study = (folder / "study.yaml").read_text()
    system = "  - {name: two, kind: transcript, path: two.jsonl}\n"
    assert system in study
    (folder / "study.yaml").write_text(study.replace(system, "  - {name: own, kind: 'own.py:answer'}\n"))
    return folder


def run(folder: Path, out: str, clock: Mapping[str, str]) -> dict[str, bytes]:
    command = [sys.executable, "-m", "dialeval", "run", "study.yaml", "-o", out, "--cache", "cache"]
    own = environment() | {"XDG_CACHE_HOME": str(folder / "home")} | clock
    ended = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return contents(folder / out)


def lost(found: Mapping[str, bytes], expected: Mapping[str, bytes]) -> bool:
    return any(found.get(name) != expected[name] for name in KEPT)


def moments(files: Mapping[str, bytes]) -> tuple[datetime, datetime]:
    manifest = json.loads(files["manifest.json"])
    return datetime.fromisoformat(manifest["started"]), datetime.fromisoformat(manifest["finished"])


def test_a_clock_that_is_set_back_loses_and_doubles_nothing(tmp_path: Path, ledger: Ledger) -> None:
    clock = settable_clock(tmp_path)
    calm = run(make_asked(tmp_path / "calm"), "out", {})
    here = make_asked(tmp_path / "here")
    first = run(here, "first", {**clock, "SET_BACK": str(DAYS_400)})
    began, ended = moments(first)
    assert 0 <= (ended - began).total_seconds() < 600
    asked = (here / "asked.log").read_text().splitlines()
    second = run(here, "second", clock)
    assert (began - moments(second)[0]).days in (399, 400), "the clock was not set back"
    again = (here / "asked.log").read_text().splitlines()
    doubled = len(again) - len(set(again)) + len(again) - len(asked)
    ledger("clock", tried=2, lost=lost(first, calm) + lost(second, calm), doubled=doubled, seed="by 400 days")
