"""In GitHub Actions, gates that are not met are error lines, and the leaderboard is the job's summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

STUDY = """
data: prompts.jsonl
systems: [{kind: echo, name: echo}]
measures: [rouge_l]
gates: ["rouge_l >= 0.99"]
"""


@pytest.fixture
def study(dialeval) -> None:
    prompt = {"id": "1", "context": [{"role": "user", "content": "Hello you"}], "references": ["Bye"]}
    Path("prompts.jsonl").write_text(json.dumps(prompt) + "\n" + json.dumps({**prompt, "id": "2"}) + "\n")
    Path("study.yaml").write_text(STUDY)


def test_there_errors_are_shown_and_the_leaderboard_is_kept(study, dialeval, monkeypatch, tmp_path):
    kept = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(kept))
    done = dialeval("run", "study.yaml", "-o", "out")
    assert done.code == 100
    assert "::error title=dialeval::gate not met: rouge_l >= 0.99" in done.err
    assert "| echo |" in kept.read_text()
    assert "### Gates" in kept.read_text()


def test_elsewhere_nothing_of_it_is_printed(study, dialeval, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    done = dialeval("run", "study.yaml", "-o", "out")
    assert done.code == 100
    assert "::error" not in done.out
    assert "gate not met: rouge_l >= 0.99" in done.err


def test_there_json_stays_json_and_failures_are_shown_too(study, dialeval, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert json.loads(dialeval("run", "study.yaml", "-o", "out", "--json").out)["gates"]
    Path("bot.py").write_text("def reply(messages):\n    raise ValueError('no model')\n")
    Path("study.yaml").write_text(
        STUDY.replace("[{kind: echo", "[{kind: 'bot.py:reply', name: bot}, {kind: echo")
    )
    done = dialeval("run", "study.yaml", "-o", "out", "--json")
    assert done.code == 1
    assert json.loads(done.out)["failures"][0]["system"] == "bot"
    assert "::error title=dialeval::bot: bot.py:reply failed on the context" in done.err


def test_a_run_folder_is_a_baseline(study, dialeval):
    Path("study.yaml").write_text(STUDY[: STUDY.index("gates")])
    assert dialeval("run", "study.yaml", "-o", "main").code == 0
    held = STUDY[: STUDY.index("gates")].replace(
        "[{kind: echo", "[{kind: transcript, name: main, path: main, system: echo}, {kind: echo"
    )
    Path("study.yaml").write_text(held + "gates: ['echo - main: point(rouge_l) >= -0.02']\n")
    done = dialeval("run", "study.yaml", "-o", "new", "--json")
    assert done.code == 0, done.err
    assert [gate["score"] for gate in json.loads(done.out)["gates"]] == [0.0]


def test_a_gate_that_is_met_without_an_interval_is_told(study, dialeval):
    Path("study.yaml").write_text(STUDY.replace("rouge_l", "length").replace("0.99", "1"))
    told = "note: gate met: length >= 1 (echo has 2 on all 2 items: nothing varies, so it is judged itself)"
    ran = dialeval("run", "study.yaml", "-o", "out")
    assert (ran.code, told in ran.err) == (0, True), ran.err
    summary = json.loads(Path("out/summary.json").read_text())
    assert [(gate["passed"], gate["judged_by"], gate["code"]) for gate in summary["gates"]] == [
        (True, "point", "constant")
    ]
    assert "nothing varies, so it is judged itself" in dialeval("report", "out", "--markdown").out
    Path("said.txt").write_text("one two\nthree four\n")
    scored = dialeval("score", "--hyp", "said.txt", "-m", "length", "--fail-under", "length=1")
    assert (scored.code, told.replace("echo", "system") in scored.err) == (0, True), scored.err
    assert dialeval("score", "--hyp", "said.txt", "-m", "length", "--fail-under", "length=3").code == 100
