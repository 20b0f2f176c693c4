"""The page on several machines: its shards are run, its other commands parse, its files can be read."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from dialeval.cli.parsing.lines import values_of
from dialeval.cli.verbs import COMMANDS, Group
from dialeval.engine import EngineSettings
from dialeval.study import load_study
from support.paths import DOCS
from support.sharded_study import write_sharded_study

PAGE = (DOCS / "scale.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def commands(block: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in block.splitlines() if line.startswith("dialeval ")]


@pytest.fixture
def place(tmp_path) -> Path:
    write_sharded_study(tmp_path, prompts=8)
    shutil.copy(tmp_path / "one.jsonl", tmp_path / "answers.jsonl")
    return tmp_path


def test_shards_of_a_study_are_merged(dialeval, place):
    first = blocks("sh")[0]
    assert len(commands(first)) == 4
    for command in commands(first):
        assert dialeval(*command).code == 0, command
    assert Path("runs/monday/report.html").is_file()


def test_shards_of_scores_are_merged(dialeval, place):
    (block,) = (block for block in blocks("sh") if "parts/b" in block)
    for command in commands(block.replace("bertscore", "length")):
        assert dialeval(*command).code == 0, command
    assert {path.name for path in Path("scored").iterdir()} == {"scores.json", "judgements.jsonl"}


def test_every_command_parses():
    lines = [command for block in blocks("sh") for command in commands(block)]
    assert len(lines) == 14
    for verb, *rest in lines:
        command = COMMANDS.commands[verb]
        while isinstance(command, Group):
            command = command.commands[rest.pop(0)]
        assert values_of(command.function, [text.replace("$SLURM_ARRAY_TASK_ID", "1") for text in rest])


def test_the_key_of_studies_and_the_compose_file_can_be_read(place):
    engine, compose = blocks("yaml")
    study = place / "study.yaml"
    study.write_text(study.read_text() + engine)
    assert load_study(study).engine == EngineSettings("ray", "10.0.0.1:6379", 2, 1)
    (service,) = yaml.safe_load(compose)["services"].values()
    assert service["ports"] == ["127.0.0.1:19530:19530"], (
        "a server without a password is for this machine alone"
    )
