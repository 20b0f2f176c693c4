"""A new metric is one file and one entry of the catalogue; everything else follows, or `make docs` writes it."""

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

from dialeval.core import Floats, Metric
from dialeval.data.types import Example
from dialeval.metrics.rows import mean_of_rows, rows_of_values


@dataclass(frozen=True, slots=True)
class Questions(Metric[Example]):
    """Share of responses with a question mark."""

    name: ClassVar[str] = "questions"
    higher_is_better: ClassVar[None] = None

    def statistics(self, examples: Sequence[Example]) -> Floats:
        return rows_of_values(["?" in example.response.text for example in examples])

    def aggregate(self, totals: Floats) -> Floats:
        return mean_of_rows(totals)
'''
ENTRY = """
@METRICS.entry("questions")
def _questions() -> MetricMaker:
    from dialeval.metrics.questions import Questions

    return Questions


"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the package and of what writes the docs, with one more metric."""
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "dialeval", tmp_path / "src" / "dialeval", ignore=skip)
    (tmp_path / "docs").mkdir()
    for name in ("write_api.py", "api.template"):
        shutil.copy(DOCS / name, tmp_path / "docs")
    package = tmp_path / "src" / "dialeval"
    (package / "metrics" / "questions.py").write_text(METRIC.lstrip(), encoding="utf-8")
    catalogue = package / "catalogue" / "metrics.py"
    before, length, after = catalogue.read_text(encoding="utf-8").partition('@METRICS.entry("length"')
    catalogue.write_text(before + ENTRY.lstrip() + length + after, encoding="utf-8")
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
    shown = " ".join(run(checkout, "-m", "dialeval", "score", "--help").split())
    assert ", questions, " in shown
    (checkout / "one.txt").write_text("Tea?\nTea.\n", encoding="utf-8")
    scores = run(checkout, "-m", "dialeval", "score", "--hyp", "one.txt", "-m", "questions", "--json")
    assert '"score": 0.5' in scores
    code = "from dialeval.catalogue import EVERY_METRIC; print('questions' in EVERY_METRIC)"
    assert run(checkout, "-c", code) == "True\n"

    run(checkout, "docs/write_api.py")
    code = "import dialeval; print(dialeval.Questions.__module__, 'Questions' in dialeval.__all__)"
    assert run(checkout, "-c", code) == "dialeval.metrics.questions True\n"
    stub = (checkout / "src" / "dialeval" / "__init__.pyi").read_text(encoding="utf-8")
    assert "from dialeval.metrics.questions import Questions as Questions\n" in stub
    page = (checkout / "docs" / "api.md").read_text("utf-8")
    assert "| `Questions` | `questions` | Share of" in page
