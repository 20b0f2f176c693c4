"""The page on sentences from dialogue acts: its files are saved as it says, and every command runs in order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.paths import DOCS

PAGE = (DOCS / "nlg.md").read_text(encoding="utf-8")
SAVED = re.compile(r"Save this as\s+`([\w.-]+)`:\n\n```(?:json|yaml)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def commands() -> list[list[str]]:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("dialeval")]
    return [shlex.split(line)[1:] for line in lines]


def test_its_commands_run(dialeval: Any, tmp_path: Path) -> None:
    files = dict(SAVED.findall(PAGE))
    assert set(files) == {"outputs.jsonl", "aliases.yaml", "acts-study.yaml"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    scored = [arguments for arguments in commands() if arguments[:2] == ["nlg", "score"]]
    assert len(scored) >= 4
    for arguments in commands():
        if arguments[0] == "train" or arguments[:2] == ["nlg", "generate"]:
            continue  # generators have tests of their own
        done = dialeval(*arguments)
        assert done.code == 0, (arguments, done.err)
    assert (tmp_path / "slots.jsonl").is_file()
    assert (tmp_path / "runs/acts/report.html").is_file()
    assert (tmp_path / "judgements.jsonl").stat().st_size > 0


def test_its_numbers_are_those_of_the_command(dialeval: Any, tmp_path: Path) -> None:
    import json

    (tmp_path / "outputs.jsonl").write_text(dict(SAVED.findall(PAGE))["outputs.jsonl"], encoding="utf-8")
    rows = json.loads(dialeval("nlg", "score", "outputs.jsonl", "--json").out)["results"]
    (shown,) = re.findall(r"^```text\n(slot_error_rate.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    listed = [re.split(r"\s{2,}", line) for line in shown.splitlines()]
    assert [(row["metric"], f"{row['score']:.4f}") for row in rows] == [(line[0], line[2]) for line in listed]


@pytest.mark.parametrize("name", ["references_slot_errors", "unsaid_values"])
def test_notes_are_named_by_their_codes(name: str) -> None:
    assert f"`{name}`" in PAGE
