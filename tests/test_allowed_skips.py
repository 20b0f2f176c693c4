"""The list of allowed skips: what it covers, and that a run with any other skip fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.processes import environment
from support.skips import Allowed, Skips, read


def test_a_line_covers_tests_by_pattern_and_reason():
    line = Allowed("tests/*/test_browser.py*", "needs chromium")
    assert line.covers("tests/study/test_browser.py::test_page", "needs chromium at /usr/bin")
    assert not line.covers("tests/study/test_browser.py::test_page", "no torch")
    assert not line.covers("tests/study/test_page.py::test_page", "needs chromium at /usr/bin")


def test_other_skips_are_kept_apart():
    skips = Skips((Allowed("a*", "known"),))
    skips.add("a::test", "a known reason")
    skips.add("b::test", "a known reason")
    assert sum(skips.used.values()) == 1
    assert skips.unlisted == ["b::test: a known reason"]


def test_every_line_of_the_list_has_a_pattern_and_a_reason():
    assert read()
    assert all(line.test and line.reason for line in read())


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict-skips",), 1)])
def test_a_run_with_an_unlisted_skip_fails(options: tuple[str, ...], code: int, tmp_path: Path):
    (tmp_path / "test_it.py").write_text("import pytest\ndef test_it(): pytest.skip('for no good reason')\n")
    command = [sys.executable, "-m", "pytest", "-p", "support.skips", "-p", "no:randomly", *options]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == code, done.stdout
    assert ("NOT ALLOWED: test_it.py::test_it: for no good reason" in done.stdout) is bool(code)
