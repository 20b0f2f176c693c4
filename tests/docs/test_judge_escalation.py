"""The page on what comes after a judge: its commands on recorded verdicts run and print what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dialeval.cli.verbs import COMMANDS
from support.command import Command
from support.paths import DOCS

PAGE = (DOCS / "judge-escalation.md").read_text(encoding="utf-8")


def commands() -> list[list[str]]:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines]


def test_every_command_is_one() -> None:
    assert len(commands()) >= 8
    for words in commands():
        assert words[0] in COMMANDS.commands


def test_recorded_verdicts_print_what_the_page_shows(dialeval: Command, shared_data: Path) -> None:
    (words,) = [words for words in commands() if "--from" in words]
    Path("pairs.jsonl.gz").write_bytes((shared_data / "cascaded-judges" / "pairs.jsonl.gz").read_bytes())
    done = dialeval(*words)
    assert done.code == 0, done.err
    (shown,) = re.findall(r"^```text\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert shown in done.out


@pytest.mark.parametrize("margin", ["0.1", "1"])
def test_two_recorded_judges_are_compared_as_on_the_page(
    margin: str, dialeval: Command, shared_data: Path
) -> None:
    path = shared_data / "batcheval" / "fed_dialogue.scores.jsonl.gz"
    assert (
        dialeval("data", "convert", path, "fed.jsonl", "--from", "batcheval", "--as", "judgement").code == 0
    )
    (words,) = [words for words in commands() if "fed.jsonl" in words]
    done = dialeval(*[margin if word == "0.1" else word for word in words])
    assert done.code in (0, 100), done.err
    assert "on 125 answers judged by both" in " ".join(done.out.split())


def test_the_table_of_judges_is_what_the_bench_prints(shared_data: Path) -> None:
    from bench import which_judge

    page = (DOCS / "which-judge.md").read_text(encoding="utf-8")
    rows = [f"| {' | '.join(row)} |" for row in which_judge.rows()]
    assert len(rows) == 9
    assert [row for row in rows if row not in page] == []
