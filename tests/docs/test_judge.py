"""The page on judges: its Python runs, its tables name every option and rubric, its rubric is one."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from dialeval.judge import RUBRICS, Judge
from dialeval.judge.panel import read_panel
from dialeval.judge.repeat_record import PanelRecord
from dialeval.judge.rubrics import read_rubric
from dialeval.ratings.pairwise import HeadToHead, PairwiseRater
from dialeval.study.judged_pairs import build_pairs
from support.command import Command
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


def block(title: str) -> str:
    (text,) = re.findall(rf'^```yaml title="{title}"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE)
    return text


def test_the_pairs_on_the_page_are_understood(tmp_path: Path) -> None:
    (tmp_path / "people.jsonl").write_text("{}\n")
    problems: list[str] = []
    plan = build_pairs(
        yaml.safe_load(block("judge_pairs"))["judge_pairs"], ["old", "new"], tmp_path, problems
    )
    assert not problems
    assert (plan.baseline, plan.own, plan.judge.mode) == ("old", ("new",), "json")


def test_the_panel_on_the_page_is_understood() -> None:
    assert [one.model for one in read_panel(block("panel.yaml").encode(), "panel.yaml")] == [
        "gpt-5-mini",
        "qwen3-32b",
    ]


def test_the_page_names_every_field_of_its_tables() -> None:
    named = {field.name for shape in (HeadToHead, PairwiseRater, PanelRecord) for field in fields(shape)}
    told = (
        "win_rate",
        "length_controlled",
        "strengths",
        "first",
        "flips",
        "longer",
        "slope",
        "own_family",
        "people",
    )
    told += (
        "equal_within",
        "equal_between",
        "pairs",
        "spread",
        "second_repeat",
        "further_repeat",
        "second_judge",
    )
    assert set(told) <= named
    assert all(f"`{name}`" in PAGE for name in told)


COMMANDS = {
    "llmbar": ("llmbar-runs/vanilla.jsonl.gz", "llmbar/pairs.jsonl"),
    "pandalm": ("pandalm/testset-v1.jsonl", "pandalm/judge.pandalm-7b.jsonl.gz"),
    "vicuna-reviews": ("vicuna-faireval/reviews.jsonl.gz", "vicuna-faireval/answers.jsonl.gz"),
    "cascaded-judges": ("cascaded-judges/pairs.jsonl.gz",),
}


@pytest.mark.parametrize("collection", COMMANDS)
def test_the_commands_on_recorded_pairs_run(
    collection: str, dialeval: Command, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in COMMANDS[collection]:
        Path(Path(name).name).symlink_to(shared_data / name)
    (line,) = [line for line in PAGE.splitlines() if "preferences" in line and f"--from {collection}" in line]
    done = dialeval(*shlex.split(line)[1:])
    assert done.code == 0, done.err
    assert done.out
