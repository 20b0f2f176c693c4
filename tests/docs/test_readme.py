"""Every command and snippet in the README works as printed; so do those in the tutorials."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
TOUR = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
NOT_HERE = ("make ", ". .venv", "git clone")
"""Set-up commands: CI runs them by itself."""


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.M | re.S)


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "XDG_CACHE_HOME": str(tmp_path / ".cache"), "COLUMNS": "80"}


@pytest.mark.slow
def test_every_command_in_the_readme_and_on_the_tour_runs_in_order(tmp_path, environment):
    commands = [
        line for page in (README, TOUR) for block in blocks(page, "sh") for line in block.splitlines()
    ]
    ran = 0
    for command in dict.fromkeys(commands):
        if command.startswith(NOT_HERE):
            continue
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        ran += 1
    assert ran >= 10
    snippet = "\n".join(dict.fromkeys(blocks(README, "python") + blocks(TOUR, "python")))
    done = subprocess.run(
        [sys.executable, "-c", snippet], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "attentive is better than hasty" in done.stdout
    (from_python,) = blocks((ROOT / "docs" / "study.md").read_text(encoding="utf-8"), "python")
    command = [sys.executable, "-c", from_python]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "runs/from-python/report.html"


@pytest.mark.slow
def test_the_study_in_the_readme_runs(tmp_path, environment):
    shutil.copytree(ROOT / "src" / "dialeval" / "study" / "demo", tmp_path / "study")
    (study,) = set(blocks(README, "yaml") + blocks(TOUR, "yaml"))
    (tmp_path / "study" / "study.yaml").write_text(study, encoding="utf-8")
    command = ["dialeval", "run", "study/study.yaml"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_readme_fits_on_a_page():
    assert README.count("\n") <= 80


def test_the_numbers_on_the_page_on_installing_are_the_demos(dialeval):
    """Its words are pinned where they are the product; here every number has to be there, in order."""
    out = dialeval("demo", "--quick").out
    (shown,) = blocks(INSTALL, "text")
    assert numbers(shown) == numbers(out), "run 'python docs/write_install.py'"


def numbers(text: str) -> list[str]:
    return re.findall(r"\d[\d,]*(?:\.\d+)?", text)


def test_every_page_is_in_the_navigation_and_every_link_leads_somewhere():
    navigation = (ROOT / "mkdocs.yml").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert f": {page.name}" in navigation, f"{page.name} is not in mkdocs.yml"
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"
