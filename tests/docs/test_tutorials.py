"""The tutorials of whole studies: every command runs on made data, and the last table is there."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from support.paths import DOCS
from support.small_nlg import made_items, write_rnnlg

TALK = ("Do you like tea?", "Yes, green tea most of all.", "I prefer black tea.", "The train is late again.")
SMALL = ("--tokens", "40", "--rounds", "2", "--per-level", "2", "--batch", "4", "--minutes", "0.1")
"""Settings of the paper's profile for a tiny encoder that reads 40 tokens."""


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def commands(page: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for block in blocks(page, "sh") for line in block.splitlines()]


def write(name: str, rows: list[dict[str, object]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def talks(count: int, first: int = 0) -> list[dict[str, object]]:
    roles = ("user", "assistant", "user", "assistant")
    return [
        {
            "id": f"t{number}",
            "system": "bot",
            "messages": [
                {"role": role, "content": f"{text} {number}"} for role, text in zip(roles, TALK, strict=True)
            ],
        }
        for number in range(first, first + count)
    ]


@pytest.mark.slow
def test_the_study_of_selfeval_from_dialogues_to_its_tables(dialeval, roberta) -> None:
    pytest.importorskip("torch")
    for name, count in (("chat", 24), ("train", 24), ("dev", 6), ("test", 6), ("dialogues", 12)):
        write(f"{name}.jsonl", talks(count))
    turns = [
        {"id": f"r{n}", "system": "bot", "context": [f"{TALK[0]} {n}"], "response": f"{TALK[1]} {n % 5}"}
        for n in range(12)
    ]
    write("turns.jsonl", turns)
    ratings: list[dict[str, object]] = [
        {
            "item": f"{kind}{n}",
            "system": "bot",
            "rater": rater,
            "criterion": criterion,
            "value": 1 + n * k % 5,
        }
        for kind in "tr"
        for n in range(12)
        for k, rater in enumerate(("ana", "ben", "cem"), 1)
        for criterion in ("overall", "coherent")
    ]
    write("ratings.jsonl", ratings)
    printed = ""
    for command in commands("tutorial-selfeval.md"):
        small = [str(roberta) if part == "roberta-base" else part for part in command if part != "--hub"]
        if "roberta-base" in command:
            small += SMALL[:2] + SMALL[4:] if "simple" in command else SMALL  # two rounds, by its profile
        done = dialeval(*small)
        assert done.code == 0, f"{command}\n{done.err}"
        printed = done.out if command[0] == "meta" else printed
    assert "Every criterion: dialogue" in printed
    assert "selfeval(model='no-mlr')" in "".join(printed.split())
    assert len(Path("effects.jsonl").read_text().splitlines()) == 2 * 4 * 12


@pytest.mark.slow
def test_the_study_of_sharma_from_acts_to_its_tables(dialeval, capsys) -> None:
    pytest.importorskip("torch")
    write_rnnlg(Path("restaurant"))
    write("dialogues.jsonl", talks(30))
    [code] = blocks("tutorial-sharma.md", "python")
    exec(compile(code, "tutorial-sharma.md", "exec"), {})
    [study] = blocks("tutorial-sharma.md", "yaml")
    Path("study.yaml").write_text(study, encoding="utf-8")
    for command in commands("tutorial-sharma.md"):
        tiny = ["tiny" if part == "small" else part for part in command]
        done = dialeval(*tiny)
        assert done.code == 0, f"{command}\n{done.err}"
    summary = json.loads(Path("runs/generators/summary.json").read_text(encoding="utf-8"))
    scores = {(row["system"], row["measure"]): row["estimate"]["value"] for row in summary["results"]}
    assert {system for system, _ in scores} >= {"gold", "random", "lstm", "ld-sclstm", "hld-sclstm"}
    overlap = {metric for _, metric in scores if metric.startswith(("bleu", "rouge", "skip"))}
    assert all(scores["gold", metric] == pytest.approx(1) for metric in overlap)
    found = json.loads(Path("runs/table4/meta.json").read_text(encoding="utf-8"))
    tested = [row for row in found["rows"] if row["p_test"] is not None]
    assert {row["measure"].partition("(")[0] for row in tested} >= {"meteor", "rouge_l", "skip_thought"}
    assert all(row["p_adjusted"] >= row["p_test"] for row in tested)
    assert len(made_items()) > 20  # so that twenty of them are a sample
