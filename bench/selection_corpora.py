"""Real dialogues in the shapes of the shared corpora, as dialogues and as files of utterances for benches."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from dialeval.data.types import Dialogue, Turn

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
CORPORA: Final[Mapping[str, str]] = {
    "self-dialogue": "self-dialogue/dialogues.jsonl.gz",
    "edos": "edos/dialogues.jsonl.gz",
    "cornell-movie": "cornell-movie/dialogues.jsonl.gz",
    "chitchat": "chitchat/dialogues.jsonl.gz",
    "empathetic-dialogues": "empathetic-dialogues/train.jsonl.gz",
    "cmu-dog": "cmu-dog/dialogues.jsonl.gz",
    "personachat": "personachat/train.part.jsonl.gz",
    "sgd": "sgd/train.part.jsonl.gz",
    "multiwoz": "multiwoz/val_test.jsonl.gz",
}
"""Corpora that share nothing with DailyDialog, by name."""


def absent(bench: str) -> bool:
    """Whether the real text is missing, which is said on the way."""
    missing = not (DATA / "dailydialog" / "valid.json").is_file()
    if missing:
        print(
            f"{bench}: no real text at {DATA}; set DIALEVAL_DATA to the folder that holds dailydialog and others"
        )
    return missing


def dailydialog(part: Literal["valid", "test"] = "valid") -> list[Dialogue]:
    """DailyDialog's 1,000 dialogues for validation, or for testing."""
    with (DATA / "dailydialog" / f"{part}.json").open(encoding="utf-8") as file:
        return [
            Dialogue(
                f"dd-{part}-{at:04}",
                tuple(
                    Turn("assistant" if place % 2 else "user", turn["text"])
                    for place, turn in enumerate(json.loads(line)["dialogue"])
                ),
            )
            for at, line in enumerate(file)
        ]


def turns(corpus: str) -> Iterator[str]:
    """Every turn of one of ``CORPORA``."""
    with gzip.open(DATA / CORPORA[corpus], "rt", encoding="utf-8") as file:
        for line in file:
            for turn in json.loads(line)["turns"]:
                yield turn if isinstance(turn, str) else turn["text"]


def write_turns(folder: Path, corpora: Iterable[str] = CORPORA, most: int | None = None) -> list[Path]:
    """A file of one turn a line for each corpus; at most so many turns together."""
    paths, left = [], most
    folder.mkdir(parents=True, exist_ok=True)
    for corpus in corpora:
        path = folder / f"{corpus}.txt"
        with path.open("w", encoding="utf-8") as file:
            for turn in turns(corpus):
                if left == 0:
                    break
                file.write(" ".join(turn.split()) + "\n")
                left = None if left is None else left - 1
        paths.append(path)
    return paths


def recombined(texts: Sequence[str], count: int, seed: int = 0) -> Iterator[str]:
    """New utterances, the first half of one real one and the second half of another."""
    rng = random.Random(seed)
    for _ in range(count):
        head, tail = rng.choice(texts).split(), rng.choice(texts).split()
        yield " ".join([*head[: (len(head) + 1) // 2], *tail[len(tail) // 2 :]])
