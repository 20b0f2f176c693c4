"""A study with all that shards cut: recorded and asked systems, a chooser, questions, lists and probes."""

from __future__ import annotations

import json
import random
from pathlib import Path

PROMPTS = 150
SAME_BYTES = (
    "results.parquet",
    "summary.json",
    "examples.jsonl",
    "choices.jsonl",
    "nbest.jsonl",
    "contradictions.jsonl",
    "study.yaml",
)

STUDY = """\
name: sharded
seed: 7
trials: 100
data: prompts.jsonl
systems:
  - {name: one, kind: transcript, path: one.jsonl}
  - {name: own, kind: 'own.py:answer'}
measures:
  - bleu(order=2)
  - rouge_l
  - distinct
  - cider
gates: ["rouge_l >= 0"]
allow_unanswered: 0.1
"""
MORE = """\
  - {name: selection_accuracy, questions: questions.jsonl}
  - {name: nbest, stimuli: stimuli.jsonl, n: 2, reader: first_word}
  - {name: consistency, probes: probes.jsonl}
"""
SYSTEM = '''\
"""Answers, and leaves a line for each context it was asked about."""
import os
import time
from pathlib import Path

LOG = Path(__file__).with_name("asked.log")
SECONDS = float(os.environ.get("SECONDS_PER_ANSWER", "0"))


def answer(messages):
    text = messages[-1]["content"]
    with LOG.open("a") as log:
        log.write(text + "\\n")
    time.sleep(SECONDS)
    return "Yes, " + " ".join(reversed(text.split()))
'''


def write_sharded_study(folder: Path, *, more: bool = False, prompts: int = PROMPTS) -> Path:
    """Write the study and its files, with the measures of capabilities where ``more`` is asked for."""
    chance = random.Random(3)
    words = [
        "the",
        "a",
        "train",
        "bus",
        "station",
        "left",
        "right",
        "over",
        "under",
        "please",
        "where",
        "is",
        "my",
        "red",
        "blue",
        "ticket",
    ]

    def sentence() -> str:
        return " ".join(chance.choices(words, k=chance.randint(3, 12)))

    def write(name: str, rows: list[dict[str, object]]) -> None:
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def context(*texts: str) -> list[dict[str, str]]:
        roles = ("user", "assistant")
        return [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]

    asked = [(f"d{place // 4}/{place % 4}", context(f"{sentence()} {place}")) for place in range(prompts)]
    write(
        "prompts.jsonl", [{"id": i, "context": c, "references": [sentence(), sentence()]} for i, c in asked]
    )
    said = [{"id": i, "system": "one", "context": c, "response": sentence()} for i, c in asked]
    write("one.jsonl", [row for row in said if row["id"] != "d3/1"])
    candidates = [{"text": sentence(), "correct": place == 0} for place in range(3)]
    write(
        "questions.jsonl",
        [{"id": f"q{n}", "context": context(sentence()), "candidates": candidates} for n in range(40)],
    )
    write(
        "stimuli.jsonl",
        [
            {"id": f"s{n}", "kind": "ENTQ", "context": context(f"stimulus {n}"), "expected": "yes"}
            for n in range(40)
        ],
    )
    write(
        "probes.jsonl",
        [
            {
                "id": f"p{n}",
                "context": context("hello", f"I have {n} cats", "do you have cats?"),
                "question": "do you have cats?",
                "referent": 1,
                "distance": 1,
            }
            for n in range(20)
        ],
    )
    (folder / "own.py").write_text(SYSTEM)
    study = STUDY.replace("gates:", f"{MORE}gates:") if more else STUDY
    if more:
        study = study.replace("measures:", "  - {name: tfidf, kind: tfidf}\nmeasures:")
    (folder / "study.yaml").write_text(study)
    return folder / "study.yaml"


def asked_of(folder: Path) -> list[str]:
    """What the system was asked about, in order."""
    log = folder / "asked.log"
    return log.read_text().splitlines() if log.exists() else []
