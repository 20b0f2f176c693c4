"""The page on generators from acts: every command runs, in order, on a made corpus."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from support.paths import DOCS

PAGE = (DOCS / "nlg-generators.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_its_commands_run_and_its_study_runs_on_what_they_wrote(dialeval, tmp_path):
    pytest.importorskip("torch")
    from support.small_nlg import write_rnnlg

    write_rnnlg(tmp_path / "restaurant")
    commands = [shlex.split(line)[1:] for block in blocks("sh") for line in block.splitlines()]
    assert [command[:2] for command in commands] == [["train", "nlg"], ["nlg", "generate"], ["nlg", "score"]]
    for command in commands:
        done = dialeval(*command)
        assert done.code == 0, (command, done.err)
    assert dialeval("train", "nlg", "rnnlg:restaurant", "-o", "random", "--model", "random").code == 0
    rows = [json.loads(line) for line in (tmp_path / "sentences.jsonl").read_text().splitlines()]
    assert rows
    assert all(len(row["responses"]) == 5 for row in rows)
    kept = [{key: row[key] for key in ("id", "act", "references")} for row in rows]
    (tmp_path / "acts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
    said = [{"id": row["id"], "response": row["references"][0]} for row in rows]
    (tmp_path / "recorded.jsonl").write_text("".join(json.dumps(row) + "\n" for row in said))
    (tmp_path / "study.yaml").write_text("".join(blocks("yaml")))
    ran = dialeval("run", "study.yaml", "-o", "run")
    assert ran.code == 0, ran.err
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert "slot_error_rate" in json.dumps(summary)


def test_its_defaults_are_the_librarys():
    from dialeval.nlg.generators.cells import ALPHA, ETA, XI
    from dialeval.nlg.generators.config import TrainConfig

    config = TrainConfig()
    assert f"| `--hidden` | {config.shape.hidden} |" in PAGE
    assert f"Adam at {config.schedule.learning_rate:g}, {config.batch} sentences" in PAGE
    assert f"gradient norm at most {config.schedule.clip:g}, dropout {config.shape.dropout}" in PAGE
    assert f"{config.schedule.epochs} epochs, or {config.schedule.patience} without gain" in PAGE
    assert f"alpha {ALPHA}, eta {ETA:f}".rstrip("0") in PAGE
    assert f"xi {XI:g} " in PAGE
    assert f"{config.unknown:.0%}".replace("%", " %") in PAGE
