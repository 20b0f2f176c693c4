"""The page on n-best lists: every command runs, in order, on the bundled files."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from dialeval.cli.parsing.lines import values_of
from dialeval.cli.verbs import TRAIN
from dialeval.resources import check
from dialeval.resources.tagger import RESOURCE
from support.paths import DOCS

PAGE = (DOCS / "nbest.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def commands() -> list[list[str]]:
    return [
        shlex.split(line)[1:]
        for block in blocks("sh")
        for line in block.splitlines()
        if line.startswith("dialeval")
    ]


@pytest.mark.slow
def test_its_commands_run(dialeval, tmp_path, monkeypatch):
    if check(RESOURCE, verify=False).state == "absent":
        pytest.skip("the tagger is not installed")
    monkeypatch.chdir(tmp_path)
    assert len(commands()) == 17
    printed = {}
    for arguments in commands():
        if (
            arguments[0] == "train" or "my-bot" in arguments
        ):  # learning takes minutes, and has tests of its own
            continue
        done = dialeval(*arguments)
        assert done.code == 0, (arguments, done.err)
        named = [each for each in arguments if each == "--filter"]
        printed[" ".join([*arguments[:2], *named])] = done.out
    summary, filtered = blocks("text")
    assert set(filtered.splitlines()) <= set(printed["nbest measure --filter"].splitlines())
    first = dialeval("nbest", "stimuli", "my-study/nbest/pairs.jsonl", "-o", "again.jsonl")
    assert first.out == summary
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "my-study/nbest/stimuli.jsonl").read_bytes()
    assert {row["label"] for row in json.loads(printed["nbest answers"])["answers"]} >= {"yes", "no"}
    assert (tmp_path / "measured/report.html").is_file()
    assert (tmp_path / "runs/nbest/nbest.jsonl").is_file()


def test_its_training_command_parses():
    (arguments,) = [each for each in commands() if each[0] == "train"]
    assert values_of(TRAIN.commands["yesno"].function, arguments[2:])["split"] == "scenario"


def test_its_study_can_be_loaded(tmp_path):
    from dialeval.study import load_study

    stimulus = {"id": "a", "context": [{"role": "user", "content": "Is it?"}], "expected": "yes"}
    for name in ("stimuli.jsonl", "prompts.jsonl"):
        (tmp_path / name).write_text(json.dumps(stimulus) + "\n")
    (measures,) = blocks("yaml")
    text = f"data: prompts.jsonl\nsystems: [{{name: parrot, kind: echo}}]\n{measures}"
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    labels = [each.label for each in load_study(tmp_path / "study.yaml").measures]
    assert labels[:2] == ["nbest(n=10)", "nbest_variety(n=10)"]
    assert labels[2] == "nbest_filter(n=10,filter='shipped',method='drop',otherwise='first')"
