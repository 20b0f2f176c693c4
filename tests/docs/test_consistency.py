"""The page on consistency: every command in it runs, one after the other, on a few dialogues."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex

import pytest

from support.encoders import NLI, make_classifier
from support.paths import DOCS

PAGE = (DOCS / "consistency.md").read_text(encoding="utf-8")
DIALOGUES = [
    ["Hi! What is new?", "I have two dogs. I love animals.", "What are your dogs called?", "I have no dogs."],
    ["Do you like tea?", "Yes, I drink tea every day.", "Which tea do you like best?", "Green tea, mostly."],
]


def commands() -> list[list[str]]:
    shells = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return [
        shlex.split(line)[1:]
        for block in shells
        for line in block.splitlines()
        if line.startswith("dialeval")
    ]


def write_dialogues(path):
    rows = [
        {
            "id": f"d{number}",
            "system": "bot",
            "messages": [{"role": ("user", "assistant")[k % 2], "content": t} for k, t in enumerate(turns)],
        }
        for number, turns in enumerate(DIALOGUES)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def answer_tasks(path):
    """Three raters who call every answer contradictory."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        for row in rows:
            writer.writerows({**row, "rater": rater, "score": "1"} for rater in "abc")


@pytest.mark.slow
def test_every_command_of_the_page_runs(dialeval, tmp_path, roberta):
    pytest.importorskip("torch")
    write_dialogues(tmp_path / "dialogues.jsonl")
    (tmp_path / "decode").mkdir()
    _pairs(tmp_path / "decode" / "test.jsonl")
    classifier = make_classifier(roberta, tmp_path / "my-nli-folder", NLI).name
    ran = 0
    for command in commands():
        if "--hub" in command:  # from a folder instead: no test reaches the network
            command = [classifier if part == "FacebookAI/roberta-large-mnli" else part for part in command]
        if command[:2] == ["consistency", "probe"] and "--kind" not in command:
            command += ["--system", "huggingface(model='tiny')"]
            _tiny_model(tmp_path / "tiny")
        if command[:2] == ["consistency", "label"]:
            answer_tasks(tmp_path / "tasks" / "for_raters" / "tasks.csv")
        if command[0] == "train":
            _pairs(tmp_path / "pairs.jsonl")
            command += ["--epochs", "1", "--rank", "2", "--validation", "0.5"]
        done = dialeval(*command)
        assert done.code == 0, (command, done.err)
        ran += 1
    assert ran == 13


def _tiny_model(folder):
    from support import tiny_models

    words = tiny_models.tokenizer()
    tiny_models.save(folder, tiny_models.llama(words), words)


def _pairs(path):
    rows = [
        {"earlier": f"I have {n} dogs.", "response": said, "label": label}
        for n in range(2, 12)
        for said, label in (("I have no dogs.", "contradiction"), ("They are nice.", "consistent"))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_its_studies_can_be_loaded(tmp_path, minilm):
    from dialeval.study import load_study

    for name in ("probes.jsonl", "prompts.jsonl", "dialogues.jsonl", "labelled.jsonl", "test.jsonl"):
        (tmp_path / name).write_text("")
    for name in ("my-bot", "careful-bot"):
        (tmp_path / name).mkdir()
    recorded, asked, labelled, compared = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    texts = [
        f"data: dialogues.jsonl\n{recorded}",
        f"data: prompts.jsonl\nsystems: [{{name: parrot, kind: echo}}]\n{asked}",
        f"data: prompts.jsonl\nsystems: [{{name: parrot, kind: echo}}]\n{labelled}",
        compared,
    ]
    labels = []
    for text in texts:
        (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
        labels += [measure.label for measure in load_study(tmp_path / "study.yaml").measures]
    assert labels[:4] == [
        "contradictions",
        "contradictions(turn='last')",
        "consistency",
        "contradiction_free",
    ]
    assert labels[4:] == ["consistency", "consistency"]
