from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialeval.cli import main
from support.command import Command
from support.run_folders import Sketch, write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "run", Sketch())


def test_it_writes_the_page_and_prints_its_path(dialeval: Command, folder: Path) -> None:
    result = dialeval("report", folder)
    assert result.code == 0
    assert result.out == f"{folder / 'report.html'}\n"
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_for_machines(dialeval: Command, folder: Path) -> None:
    result = dialeval("report", folder, "--json")
    assert json.loads(result.out) == {"report": str(folder / "report.html")}


def test_markdown_is_the_verdict_and_the_leaderboard_and_writes_nothing(
    dialeval: Command, folder: Path
) -> None:
    result = dialeval("report", folder, "--markdown")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "## support-bots"
    assert lines[2].startswith("**No clear winner")
    board = lines.index("### support-bots: 2 systems on 12 items")
    assert lines[board + 2] == "| system | bleu(order=4) ↑ | rouge_l ↑ | length |"
    assert lines[board + 4].startswith("| old | ★ **0.375** [0.345, 0.415] |")
    assert not (folder / "report.html").exists()


def test_markdown_goes_with_no_page(dialeval: Command, folder: Path) -> None:
    assert dialeval("report", folder, "--markdown", "--json").code == 2


def test_a_folder_that_is_none_is_an_error_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["dialeval", "report", str(tmp_path)])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    assert "found a folder without summary.json, expected a run folder" in capsys.readouterr().err


def test_help_has_an_example(dialeval: Command) -> None:
    assert "Example:\n  dialeval report" in dialeval("report", "--help").out


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("r.md", "## support-bots\n\n**"),
        ("r.tex", "% "),
        ("r.csv", "system,measure,"),
        ("r.junit.xml", "<testsuite "),
    ],
)
def test_a_files_ending_says_in_which_format_results_are_written(
    dialeval: Command, folder: Path, tmp_path: Path, name: str, beginning: str
) -> None:
    out = tmp_path / name
    result = dialeval("report", folder, "-o", out)
    assert result.code == 0, result.err
    assert out.read_text().startswith(beginning)
    assert not (folder / "report.html").exists()


def test_a_format_that_does_not_exist_is_refused(dialeval: Command, folder: Path) -> None:
    result = dialeval("report", folder, "--format", "docx")
    assert result.code == 2
    assert "md, latex, csv, junit" in result.err
