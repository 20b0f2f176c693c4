"""The dialogues that the shipped scorers learn from: ``python -m bench.dialogue_corpus OUT.jsonl``.

Rows that share turns with an evaluation set at hand are left out, as data/README.md flags them; so are whole corpora
whose test sets people have rated (Topical-Chat, the validation part of PersonaChat).
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.real_text import DATA
from dialeval.data import write
from dialeval.data.types import Dialogue, Turn

_EVALUATED: Final = {"ddpp_dev", "ddpp_test", "dup_test", "dup_valid", "grade", "mutual_dev"}
"""Flags of DailyDialog rows that an evaluation set repeats."""


class Corpus(NamedTuple):
    """A file of dialogues, how a row gives its turns, and how many dialogues are taken at most."""

    path: str
    turns: Callable[[dict[str, Any]], list[str]]
    most: int = 1_000_000


def _texts(row: dict[str, Any]) -> list[str]:
    return [turn["text"] if isinstance(turn, dict) else turn for turn in row["turns"]]


def _dailydialog(row: dict[str, Any]) -> list[str]:
    return [] if _EVALUATED & set(row["flags"]) else [turn["text"] for turn in row["dialogue"]]


def _cornell(row: dict[str, Any]) -> list[str]:
    alternate = all(a != b for a, b in zip(row["speakers"], row["speakers"][1:], strict=False))
    return _texts(row) if alternate else []


CORPORA: Final = (
    Corpus("dailydialog/train.jsonl.gz", _dailydialog),
    Corpus("empathetic-dialogues/train.jsonl.gz", _texts),
    Corpus("personachat/train.part.jsonl.gz", _texts),
    Corpus("self-dialogue/dialogues.jsonl.gz", _texts, 9_000),
    Corpus("cmu-dog/dialogues.jsonl.gz", _texts),
    Corpus("chitchat/dialogues.jsonl.gz", _texts),
    Corpus("cornell-movie/dialogues.jsonl.gz", _cornell, 12_000),
)


def dialogues(seed: int = 0) -> Iterator[Dialogue]:
    """Every dialogue of at least three turns, the corpora mixed."""
    found = [dialogue for corpus in CORPORA for dialogue in _read(corpus, seed)]
    random.Random(seed).shuffle(found)
    return iter(found)


def _read(corpus: Corpus, seed: int) -> list[Dialogue]:
    name = corpus.path.partition("/")[0]
    with gzip.open(DATA / corpus.path, "rt", encoding="utf-8") as file:
        rows = [[_plain(text) for text in corpus.turns(json.loads(line))] for line in file]
    kept = [turns for turns in rows if len(turns) >= 3 and all(turns)]
    chosen = random.Random(seed).sample(kept, min(corpus.most, len(kept)))
    return [
        Dialogue(
            f"{name}-{number}",
            tuple(Turn("AB"[place % 2], text) for place, text in enumerate(turns)),
            metadata={"corpus": name},
        )
        for number, turns in enumerate(chosen)
    ]


def _plain(text: str) -> str:
    """Without the blanks that DailyDialog and PersonaChat put before punctuation, which no system writes."""
    for mark in ".,?!;:":
        text = text.replace(f" {mark}", mark)
    for mark in (" ' ", " ’ ", "’"):
        text = text.replace(mark, "'")
    return " ".join(text.split())


if __name__ == "__main__":
    write(Path(sys.argv[1]), dialogues())
