"""The study of Sato et al. (2020) on one's own dialogues: every command of the page, raters in the browser."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from support.paths import DOCS
from support.rating_studies import answer_as

PAGE = (DOCS / "reproduction-sato2020.md").read_text(encoding="utf-8")
WALK = PAGE[PAGE.index("## The study on") : PAGE.index("## From the published")]
SYSTEMS = ("gru-16", "gru-64", "lstm-16", "lstm-64", "transformer-32")

THINGS = (
    *(("train", "station", "ticket"), ("camera", "button", "photo"), ("garden", "flower", "tree")),
    *(("guitar", "song", "band"), ("kitchen", "soup", "recipe"), ("car", "engine", "road")),
    *(("dog", "park", "lead"), ("book", "story", "library"), ("tennis", "court", "racket")),
    *(("phone", "battery", "screen"), ("doctor", "fever", "pill"), ("beach", "towel", "boat")),
)
TALKS = (
    (
        "Ready for the {0}?",
        "Not yet, I see the {1}.",
        "What is wrong with it?",
        "The {1} broke, so I need a {2}.",
    ),
    ("I lost my {0}.", "How did that happen?", "Somebody took the {1}.", "Then ask them about the {2}."),
)
LINES = (
    "My {2} was next to the {1} all day.",
    "Nobody likes the {1} of an old {0}.",
    "We bought a {2} for the {0} last week.",
    "She never found the {1} near the {0}.",
    "Is there another {2} in the {0}?",
    "They sold every {2} before noon.",
    "The {0} needs a new {1} this year.",
    "I like the {1} more than the {2}.",
    "It rains on the {1} and the {0}.",
    "He gave my {2} to the {0} club.",
)
SMALLER = {"56": "8", "100": "20"}
"""What the test has in place of the page's numbers."""
QUICK = {("select", "build"): ["--m", "5"], ("train", "generator"): ["--epochs", "30", "--held-out", "0"]}


def commands():
    """The commands of the walk in order; those that serve a study are in blocks of their own."""
    for kind, block in re.findall(r"^```(sh|console)\n(.*?)^```", WALK, re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            yield shlex.split(line.removeprefix("$ "))[1:], kind == "console"


def write_talks(path, things):
    rows = [
        {
            "id": f"{things[place][0]}-{number}",
            "messages": [
                {"role": ("user", "assistant")[at % 2], "content": text.format(*things[place])}
                for at, text in enumerate(talk)
            ],
        }
        for place in range(len(things))
        for number, talk in enumerate(TALKS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return {row["messages"][-1]["content"] for row in rows}


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def written(tmp_path):
    """The files that the walk begins with; the truths of its questions."""
    for title, block in re.findall(r'^```yaml title="([\w.]+)"\n(.*?)^```', WALK, re.DOTALL | re.MULTILINE):
        (tmp_path / title).write_text(block, encoding="utf-8")
    lines = [line.format(*things) for things in THINGS for line in LINES]
    (tmp_path / "utterances.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_talks(tmp_path / "train.jsonl", THINGS[6:])
    return write_talks(tmp_path / "dialogues.jsonl", THINGS[:6])


@pytest.mark.slow
def test_the_walk_from_dialogues_to_table_3(dialeval, minilm, written, tmp_path):
    for needed in ("torch", "tantivy", "faiss"):
        pytest.importorskip(needed)

    def judge(rater, text):
        """Truths fit and false candidates do not, but two may be right; every mistake is the third one."""
        if not Path("set").exists():
            return 5 if text in written else 4 if text.startswith("Is there another") else 1
        return 3

    printed = {}
    for command, serves in commands():
        if serves:
            if command[2] == "ratings":  # of texts that say nothing: made-up qualities of systems
                command = ["annotate", "simulate", "ratings", "--noise", "0.05"]
            else:
                answer_as(tmp_path / command[2], judge)
                continue
        own = [SMALLER.get(part, part) for part in command] + QUICK.get(tuple(command[:2]), [])
        done = dialeval(*own)
        assert done.code == 0, (own, done.err)
        printed.setdefault(tuple(command[:2]), []).append(" ".join(done.out.split()))

    questions = read(tmp_path / "set/questions.jsonl")
    assert {row["status"] for row in questions} == {"vetted"}
    for row in questions:
        (truth,) = (each["text"] for each in row["candidates"] if each["correct"])
        false = [each["text"] for each in row["candidates"] if not each["correct"]]
        assert truth in written
        assert len(false) == 3
        assert not any(text.startswith("Is there another") for text in false), "raters found it acceptable"
    assert f"questions: {len(questions)}" in printed["select", "stats"][0]

    rated = read(tmp_path / "ratings.jsonl")
    assert {row["system"] for row in rated} == set(SYSTEMS)
    sample = {row["item"] for row in rated}
    asked = [json.loads(line)["id"] for line in (tmp_path / "dialogues.jsonl").read_text().splitlines()]
    assert len(sample) == 8
    assert sample != set(asked[:8]), "a random sample, not the first ones"

    agreement = json.loads((tmp_path / "agreement/meta.json").read_text())
    rows = {row["measure"]: row for row in agreement["rows"]}
    assert rows.keys() >= {"selection_accuracy", "bleu(order=1)", "bleu(order=2)", "meteor", "rouge_l"}
    assert all(row["level"] == "system" for row in rows.values())
    (table_3,) = printed["meta", "chosen"]
    assert "p (Holm)" in table_3
    assert f"people's means are over 8 items, the measure's over {len(questions)}" in table_3
    chosen = json.loads((tmp_path / "chosen/summary.json").read_text())
    notes = " ".join(printed["select", "ask"][0].split())
    assert "Spearman with people's appropriateness over 5 systems: CHOSEN" in notes
    assert {row["system"] for row in chosen["results"]} == set(SYSTEMS)

    labelled = read(tmp_path / "labelled/questions.jsonl")
    errors = {each.get("error") for row in labelled for each in row["candidates"] if not each["correct"]}
    assert errors == {"wrong_subject"}, "the third of the form"
    assert "wrong_subject" in printed["select", "ask"][1]
