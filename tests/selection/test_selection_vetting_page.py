"""The page about vetting: its code runs and prints what it says, and its rules are the ones we apply."""

from __future__ import annotations

import re
from pathlib import Path

from dialeval.selection.rules import SATO_2020

PAGE = (Path(__file__).parents[2] / "docs" / "selection-vetting.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.M | re.S)
    exec(compile(code, "selection-vetting.md", "exec"), {})
    printed = capsys.readouterr().out.strip()
    assert f"prints `{printed}`" in PAGE


def test_the_rules_of_the_page_are_the_rules():
    for rule in (
        *(SATO_2020.ground_truth, SATO_2020.acceptable, SATO_2020.ungrammatical),
        *(SATO_2020.surplus, SATO_2020.fewest, SATO_2020.most),
    ):
        assert f"| {rule} |" in PAGE
