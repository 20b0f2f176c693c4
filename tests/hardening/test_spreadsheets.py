"""Names and texts that spreadsheets would take for formulas, in every table that we write."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from dialeval.display.table import from_spreadsheet_cell, spreadsheet_cell
from support.command import Command
from support.fault_studies import make_study, put

FORMULAS = [
    '=HYPERLINK("http://127.0.0.1/?"&A1,"x")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "＝1",
]
SIGNS = tuple("=+-@\t\r\n＝＋－＠")


@given(st.text("'=+-@\t\r\nab ＝"))
def test_no_cell_begins_as_a_formula_and_each_is_read_as_it_was(text: str) -> None:
    assert not spreadsheet_cell(text).startswith(SIGNS)
    assert from_spreadsheet_cell(spreadsheet_cell(text)) == text


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_a_converted_table_has_no_formulas_and_converts_back(
    dialeval: Command, tmp_path: Path, ending: str
) -> None:
    rows = [
        {"id": f"{text}{number}", "system": text, "context": [], "response": text, "references": [text]}
        for number, text in enumerate([*FORMULAS, "'=quoted", "plain"])
    ]
    put(tmp_path / "given.jsonl", rows)
    assert dialeval("data", "convert", "given.jsonl", f"table.{ending}").code == 0
    with (tmp_path / f"table.{ending}").open(newline="", encoding="utf-8") as file:
        cells = [cell for row in csv.reader(file, delimiter="," if ending == "csv" else "\t") for cell in row]
    assert [cell for cell in cells if cell.startswith(SIGNS)] == []
    assert dialeval("data", "convert", f"table.{ending}", "back.jsonl").code == 0
    back = [json.loads(line) for line in (tmp_path / "back.jsonl").read_text().splitlines()]
    assert [(row["id"], row["system"], row["response"]) for row in back] == [
        (row["id"], row["system"], row["response"]) for row in rows
    ]


def test_a_leaderboard_as_csv_has_no_formulas(dialeval: Command, tmp_path: Path) -> None:
    make_study(tmp_path)
    text = (tmp_path / "study.yaml").read_text()
    (tmp_path / "study.yaml").write_text(text.replace("name: one,", f"name: {json.dumps(FORMULAS[0])},"))
    rated = (tmp_path / "ratings.jsonl").read_text()
    (tmp_path / "ratings.jsonl").write_text(rated.replace('"one"', json.dumps(FORMULAS[0])))
    ended = dialeval("run", "study.yaml", "-o", "out")
    assert ended.code == 0, ended.err
    printed = dialeval("report", "out", "--format", "csv").out
    systems = {row["system"] for row in csv.DictReader(printed.splitlines())}
    assert systems == {f"'{FORMULAS[0]}", "two"}
