"""The page on talks: its scenarios and its graph are read, its study runs on them, and its commands and tables hold."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from dialeval.talks.outcome import FAULT_KINDS
from dialeval.talks.scenarios import Scenario
from support.paths import DOCS

PAGE = (DOCS / "talks.md").read_text(encoding="utf-8")
BOT = """
def reply(messages):
    text = messages[-1]["content"]
    return "A refund is on its way." if "A-4471" in text else "Your order number? On Sunday we open at 11."
"""


def titled(name: str) -> str:
    (text,) = re.findall(rf'^```yaml title="{name}"\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE)
    return text


@pytest.mark.filterwarnings("always:pass_k")
def test_the_study_of_the_page_runs_with_its_scenarios_and_its_graph(dialeval) -> None:
    for name in ("scenarios.yaml", "user.yaml"):
        Path(name).write_text(titled(name), encoding="utf-8")
    study = yaml.safe_load(titled("study.yaml"))
    assert study["talks"]["user"]["kind"] == "openai"
    study["talks"]["user"] = {"graph": "user.yaml"}
    study["systems"] = [{"name": name, "kind": "old_bot.py:reply"} for name in ("new", "old")]
    Path("study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
    Path("old_bot.py").write_text(BOT, encoding="utf-8")
    assert dialeval("run", "study.yaml", "-o", "runs/talks").code == 0
    assert dialeval("compare", "runs/talks:new", "runs/talks:old", "-m", "success").code == 0
    talks = [json.loads(line) for line in Path("runs/talks/talks.jsonl").read_text().splitlines()]
    reasons = {talk["metadata"]["scenario"]: talk["metadata"].get("success_reason") for talk in talks}
    assert reasons == {"broken-lamp": None, "sunday": None}


def test_the_page_names_every_key_and_kind_of_fault() -> None:
    assert all(f"`{name}`" in PAGE for name in Scenario.model_fields)
    assert all(f"`{name}`" in PAGE for name in FAULT_KINDS)


def test_every_command_of_the_page_has_its_options(dialeval) -> None:
    lines = [
        line
        for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
        for line in block.splitlines()
    ]
    verbs = {
        " ".join(re.findall(r"^dialeval (\w+(?: (?:users|correct|survive|init|export|agreement))?)", line))
        for line in lines
    }
    for verb in sorted(verbs):
        help_text = dialeval(*verb.split(), "--help").out
        used = {
            word
            for line in lines
            if line.startswith(f"dialeval {verb} ")
            for word in re.findall(r" (--[a-z-]+)", line)
        }
        assert all(option in help_text for option in used), verb
