"""The Python on the page of few ratings runs as it stands and prints what the page says."""

from __future__ import annotations

import re

import pytest

from support.paths import DOCS

PAGE = DOCS / "few-ratings.md"


def test_the_page_on_few_ratings(capsys: pytest.CaptureFixture[str]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    code, printed = (
        "".join(re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
        for kind in ("python", "text")
    )
    exec(compile(code, PAGE.name, "exec"), {})
    assert capsys.readouterr().out == printed


def test_the_table_of_worth_is_the_formula() -> None:
    rows = re.findall(r"^\| (?:r|100 ratings are worth) \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.M)
    rs, worth = ([float(cell) for cell in row.split("|")] for row in rows)
    assert [round(100 / (1 - r**2)) for r in rs] == worth
