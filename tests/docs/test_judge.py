"""The page on judges: its Python runs, its tables name every option and rubric, its rubric is one."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest
import yaml

from dialeval.judge import RUBRICS, Judge
from dialeval.judge.rubrics import read_rubric
from support.paths import DOCS

PAGE = (DOCS / "judge.md").read_text(encoding="utf-8")


def test_the_python_on_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert blocks
    exec(compile("\n".join(blocks), "judge.md", "exec"), {})
    out = capsys.readouterr().out
    assert all(name in out for name in RUBRICS)


def test_the_page_names_every_option_and_rubric() -> None:
    options = {field.name for field in fields(Judge)} - {"folder"}
    assert all(f"`{name}`" in PAGE for name in (*options, *RUBRICS))


def test_the_rubric_on_the_page_is_one() -> None:
    (text,) = re.findall(r'^```yaml title="polite.yaml"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE)
    assert read_rubric(text.encode(), "polite.yaml").scale == (0, 1, 2)


def test_the_study_on_the_page_is_understood() -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    (given,) = yaml.safe_load(text)["measures"]
    assert Judge(**{key: value for key, value in given.items() if key != "name"}).mode == "json"
