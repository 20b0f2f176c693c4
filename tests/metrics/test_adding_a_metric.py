"""A new metric is one file and one line of a table; everything else follows, or `make docs` writes it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import DOCS, ROOT

METRIC = '''
"""Share of responses that ask something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dialeval.core import Floats, Signature
from dialeval.data.types import Example
from dialeval.metrics.rows import mean_of_rows, rows_of_values


@dataclass(frozen=True, slots=True)
class Questions:
    """Share of responses with a question mark."""

    higher_is_better: ClassVar[None] = None

    @property
    def signature(self) -> Signature:
        return Signature("questions", (), ())

    def unscorable(self, example: Example) -> None:
        """None: every response counts."""

    def statistics(self, examples: Sequence[Example]) -> Floats:
        return rows_of_values(["?" in example.response.text for example in examples])

    def aggregate(self, totals: Floats) -> Floats:
        return mean_of_rows(totals)
'''
LINE = '    Entry("questions", "dialeval.metrics.questions:Questions"),\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the package and of what writes the docs, with one more metric."""
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "dialeval", tmp_path / "src" / "dialeval", ignore=skip)
    (tmp_path / "docs").mkdir()
    for name in ("write_api.py", "api.md"):
        shutil.copy(DOCS / name, tmp_path / "docs")
    package = tmp_path / "src" / "dialeval" / "metrics"
    (package / "questions.py").write_text(METRIC.lstrip(), encoding="utf-8")
    table = (package / "__init__.py").read_text(encoding="utf-8")
    (package / "__init__.py").write_text(
        table.replace('    Entry("length"', LINE + '    Entry("length"'), "utf-8"
    )
    return tmp_path


def run(checkout: Path, *arguments: str) -> str:
    """What Python prints with the copy in place of the package."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "TERMINAL_WIDTH": "200"}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, env=environment, cwd=checkout, check=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    return done.stdout


def test_a_new_metric_is_in_help_in_all_and_in_the_public_names(checkout: Path) -> None:
    assert ", questions, " in run(checkout, "-m", "dialeval", "score", "--help")
    (checkout / "one.txt").write_text("Tea?\nTea.\n", encoding="utf-8")
    scores = run(checkout, "-m", "dialeval", "score", "--hyp", "one.txt", "-m", "questions", "--json")
    assert '"score": 0.5' in scores
    code = "from dialeval.metrics import EVERY_METRIC; print('questions' in EVERY_METRIC)"
    assert run(checkout, "-c", code) == "True\n"

    run(checkout, "docs/write_api.py")
    code = "import dialeval; print(dialeval.Questions.__module__, 'Questions' in dialeval.__all__)"
    assert run(checkout, "-c", code) == "dialeval.metrics.questions True\n"
    stub = (checkout / "src" / "dialeval" / "__init__.pyi").read_text(encoding="utf-8")
    assert "from dialeval.metrics.questions import Questions as Questions\n" in stub
    page = (checkout / "docs" / "api.md").read_text("utf-8")
    assert "::: dialeval.metrics.questions\n" in page
    assert "members: [Questions]" in page
