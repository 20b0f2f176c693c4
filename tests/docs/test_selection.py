"""The page on response selection: its Python runs, its commands exist, its files are described."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dialeval.cli.parsing.lines import values_of
from dialeval.cli.verbs import SELECT
from support.paths import DOCS

PAGE = (DOCS / "selection.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile("\n".join(blocks("python")), "selection.md", "exec"), {})
    assert capsys.readouterr().out == "tfidf 1 This button. Do not shake the camera.\n1.0\n"


def test_its_commands_parse() -> None:
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("dialeval")]
    assert len(commands) == 5
    for line in commands:
        _, _, verb, *arguments = shlex.split(line)
        values_of(SELECT.commands[verb].function, arguments)


def test_its_study_can_be_loaded(tmp_path: Path) -> None:
    from dialeval.study import load_study

    for name in ("questions.jsonl", "consistency.jsonl", "prompts.jsonl"):
        (tmp_path / name).write_text("")
    (measures,) = blocks("yaml")
    text = f"data: prompts.jsonl\nsystems: [{{name: parrot, kind: echo}}]\n{measures}"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    loaded = load_study(tmp_path / "study.yaml")
    assert [one.label for one in loaded.measures] == [
        "selection_accuracy",
        "selection_consistency(normalise='mean')",
    ]
