"""``dialeval demo`` from the outside: one study, one verdict, one screen."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from dialeval.catalogue import EVERY_METRIC
from dialeval.errors import ResourceUnavailable
from dialeval.study import read_run
from dialeval.study.report.verdict import verdict
from support.paths import ROOT

ONE_SCREEN = 60
FIRST_RESULT = 15
"""Seconds until the first result appears; of the processor, since tests share theirs."""


def unwrapped(text: str) -> str:
    return " ".join(text.split())


def processor_seconds(pid: int) -> float:
    """Time that a process has used, of user and system, as Linux counts it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_the_demo_prints_one_verdict_on_one_screen_and_the_report_has_the_same(dialeval):
    done = dialeval("demo")
    assert done.code == 0
    lines = (done.out + done.err).splitlines()
    assert len(lines) <= ONE_SCREEN
    assert max(map(len, lines)) <= 80
    printed, page = unwrapped(done.out), Path("runs/demo/report.html").read_text()
    said = verdict(read_run(Path("runs/demo")).summary)
    assert printed.startswith(str(said))
    assert printed.count(said.headline) == 1
    assert html.unescape(page).count(said.headline) == 1
    assert printed.count("6 systems on 72 items") == 1
    # The report links pages on what the study does not measure, also if it is written again.
    for address in ("selection/report.html", "nbest/report.html", "consistency/report.html"):
        assert f'<a href="{address}">' in page
        assert Path("runs/demo", address).stat().st_size > 1000
    assert dialeval("report", "runs/demo").code == 0
    assert Path("runs/demo/report.html").read_text() == page


def test_the_quick_demo_shows_intervals_significance_and_coverage(dialeval):
    done = dialeval("demo", "-o", "out", "--quick")
    assert done.code == 0
    summary = json.loads(Path("out/summary.json").read_text())
    systems = {row["name"]: row["kind"] for row in summary["systems"]}
    assert {"transcript", "retrieval", "echo", "random"} <= set(systems.values())
    assert any(row["unscored"] for row in summary["results"])
    assert any(pair["significant"] for pair in summary["comparisons"])
    assert any(not pair["significant"] for pair in summary["comparisons"])
    assert not Path("out/selection").exists()
    assert "In this folder:" not in Path("out/report.html").read_text()


@pytest.mark.slow
def test_the_demo_can_use_every_metric_and_still_fits_on_one_screen(dialeval):
    done = dialeval("demo", "-o", "out", "--quick", "--all")
    assert done.code == 0
    assert len(done.out.splitlines()) <= ONE_SCREEN
    names = {row["measure"] for row in json.loads(Path("out/summary.json").read_text())["measures"]}
    told = " ".join(line for line in done.err.splitlines() if line.startswith("left out: "))
    assert all(name in names or name in told for name in EVERY_METRIC)
    assert {"bleu(order=1)", "chrf", "cider", "self_bleu"} <= names
    (more,) = re.findall(r"the report adds (\d+) more measures", unwrapped(done.out))
    assert len(names) - 5 <= int(more) < len(names)  # as many columns as stand side by side are printed
    page = Path("out/report.html").read_text()
    assert all(name in page for name in names)


def test_the_demo_can_be_copied_as_a_start(dialeval):
    assert dialeval("demo", "--copy", "mine").code == 0
    assert dialeval("run", "mine/study.yaml", "-o", "out").code == 0
    assert dialeval("demo", "--copy", "mine").code == 1


def test_what_lacks_the_same_is_told_once(dialeval, monkeypatch):
    def missing(*_, **__):
        raise ResourceUnavailable("the encoder is not installed. Run: pip install it")

    monkeypatch.setattr("dialeval.cli.demo.find_encoder", missing)
    monkeypatch.setattr("dialeval.cli.demo.measure", missing)
    monkeypatch.setattr("dialeval.cli.demo.detect", missing)
    done = dialeval("demo", "-o", "out")
    assert done.code == 0
    told = [line for line in done.err.splitlines() if "not installed" in line]
    assert told == [
        "left out: encoder, nbest, consistency (3): the encoder is not installed. Run: pip install it"
    ]


def test_rating_in_the_browser_is_named_only_if_it_is_installed(dialeval, monkeypatch):
    assert dialeval("demo", "--quick").out.splitlines()[-1].endswith("dialeval annotate demo")
    monkeypatch.setattr("dialeval.cli.demo.missing_packages", lambda: ["uvicorn"])
    assert dialeval("demo", "--quick").out.splitlines()[-1] == "Your own data: dialeval demo --copy my-study"


@pytest.mark.slow
def test_commands_that_are_printed_work_where_only_the_module_is_found(tmp_path):
    told = subprocess.run(
        [sys.executable, "-m", "dialeval", "demo", "--copy", "mine"],
        cwd=tmp_path,
        env={**os.environ, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (command,) = re.findall(r"Now try: (.+)", told)
    assert command == f"{sys.executable} -m dialeval run mine/study.yaml"


def test_make_demo_installs_what_its_last_command_needs():
    """The first section of the lock is what it installs."""
    locked = (ROOT / "requirements.lock").read_text().partition("# --- ")[0]
    serving = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"][
        "serve"
    ]
    for requirement in serving:
        name = re.split(r"[^A-Za-z0-9-]", requirement)[0]
        assert re.search(rf"^{name}==", locked, re.MULTILINE), name
    assert "echo 'Rate" not in (ROOT / "Makefile").read_text()


@pytest.mark.slow
def test_the_first_result_comes_soon_and_printed_commands_run_as_they_stand(tmp_path):
    """A fresh process outside the environment's path, as under make; commands are run by the shell."""
    program = Path(sys.executable).parent / "dialeval"
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "COLUMNS": "80",
        "PATH": "/usr/bin:/bin",
    }
    with subprocess.Popen(
        [program, "demo"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as demo:
        assert demo.stdout is not None
        first = demo.stdout.readline()
        took = processor_seconds(demo.pid)
        rest = demo.stdout.read()
    assert first
    assert took < FIRST_RESULT
    report, copying, rating = rest.splitlines()[-3:]
    assert (tmp_path / report.removeprefix("Report: ")).is_file()
    ran = subprocess.run(
        copying.partition(": ")[2], shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "my-study" / "study.yaml").is_file()
    command = [*shlex.split(rating.partition(": ")[2]), "--port", "0"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        served = next((line for line in server.stdout if "http://127.0.0.1:" in line), "")
        server.terminate()
    assert served
