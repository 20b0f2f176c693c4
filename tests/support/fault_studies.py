"""Small inputs of the commands that the fault suite interrupts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from pathlib import Path

WORDS = (
    "the",
    "train",
    "left",
    "right",
    "please",
    "thank",
    "you",
    "where",
    "is",
    "my",
    "red",
    "ticket",
    "bus",
)
ITEMS = 12


def put(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Write a JSON Lines file."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def make_study(folder: Path) -> Path:
    """A study of two transcripts and a floor, with ratings; its questions and dialogues are beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(17)

    def said() -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(3, 12)))

    prompts = [
        {"id": f"i{n}", "context": [{"role": "user", "content": said()}], "references": [said(), said()]}
        for n in range(ITEMS)
    ]
    put(folder / "prompts.jsonl", prompts)
    for name in ("one", "two"):
        put(folder / f"{name}.jsonl", ({**row, "system": name, "response": said()} for row in prompts))
    put(
        folder / "ratings.jsonl",
        (
            {
                "item": f"i{n}",
                "system": name,
                "rater": f"r{m}",
                "criterion": "overall",
                "value": chance.randint(1, 5),
            }
            for n in range(ITEMS)
            for name in ("one", "two")
            for m in range(2)
        ),
    )
    put(
        folder / "questions.jsonl",
        (
            {**row, "candidates": [{"text": said(), "correct": n == 0} for n in range(4)]}
            for row in ({"id": row["id"], "context": row["context"]} for row in prompts)
        ),
    )
    (folder / "study.yaml").write_text(
        "name: faults\ndata: prompts.jsonl\ntrials: 50\nsystems:\n"
        "  - {name: one, kind: transcript, path: one.jsonl}\n"
        "  - {name: two, kind: transcript, path: two.jsonl}\n"
        "measures: [rouge_l, length]\n"
    )
    return folder


def make_corpus(folder: Path) -> Path:
    """Dialogues to learn from."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ("do you like number {} ?", "yes , {} is fine", "good to hear")
    put(
        folder / "talk.jsonl",
        (
            {"id": str(n), "messages": [{"role": "user", "content": line.format(n)} for line in lines]}
            for n in range(6)
        ),
    )
    return folder


def make_dialogues(folder: Path) -> Path:
    """Dialogues, lines to draw false candidates from, and word vectors."""
    import numpy as np

    folder.mkdir(parents=True, exist_ok=True)
    words = ["focus", "park", "road", "house", "near", "sister", "ninja", "lose"]
    np.save(folder / "words.npy", np.random.default_rng(3).normal(size=(len(words), 6)).astype(np.float32))
    (folder / "words.vocab.txt").write_text("\n".join(words) + "\n")
    lines = (
        "Could he not focus on that?",
        "Do not lose your focus!",
        "Focus on the road, please.",
        "My sister plays in the park.",
        "The park has no house near it.",
        "There is a house in the park now.",
    )
    (folder / "lines.txt").write_text("\n".join(lines) + "\n")
    opening = ("Could you take a picture of us?", "Sure. Which one?", "This one.")
    ends = (
        ("Do I have to focus it?", "But I do have ninja focus ."),
        ("I live in the park near my house.", "where is the park near here"),
    )
    put(
        folder / "dialogues.jsonl",
        (
            {
                "id": f"d{n}",
                "messages": [
                    {"role": "assistant" if place % 2 else "user", "content": text}
                    for place, text in enumerate((*opening, *end))
                ],
            }
            for n, end in enumerate(ends)
        ),
    )
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
