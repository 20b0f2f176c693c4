"""The dialogues that the shipped scorer learnt from: ``python -m bench.dialogue_corpus OUT.jsonl``.

``dialeval train selfeval OUT.jsonl -o DIR --held-out 300`` then trains it: about ten minutes to encode 61,000 turns on
one busy core, and one minute of training.

Rows that share turns with an evaluation set at hand are left out, as data/README.md flags them; so are whole corpora
whose test sets people have rated (Topical-Chat, the validation part of PersonaChat).
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.real_text import DATA
from dialeval.data import write
from dialeval.data.types import Dialogue, Turn

_EVALUATED: Final = {"ddpp_dev", "ddpp_test", "dup_test", "dup_valid", "grade", "mutual_dev"}
"""Flags of DailyDialog rows that an evaluation set repeats."""


class Corpus(NamedTuple):
    """A file of dialogues, and how a row gives its turns."""

    path: str
    turns: Callable[[dict[str, Any]], list[str]]
    learnt: int
    """How many of them the scorer learns from."""
    drawn: int = 1_000_000
    """How many are drawn at most before the corpora are mixed."""


def _texts(row: dict[str, Any]) -> list[str]:
    return [turn["text"] if isinstance(turn, dict) else turn for turn in row["turns"]]


def _dailydialog(row: dict[str, Any]) -> list[str]:
    return [] if _EVALUATED & set(row["flags"]) else [turn["text"] for turn in row["dialogue"]]


def _cornell(row: dict[str, Any]) -> list[str]:
    alternate = all(a != b for a, b in zip(row["speakers"], row["speakers"][1:], strict=False))
    return _texts(row) if alternate else []


CORPORA: Final = (
    Corpus("dailydialog/train.jsonl.gz", _dailydialog, 3_200),
    Corpus("empathetic-dialogues/train.jsonl.gz", _texts, 2_500),
    Corpus("personachat/train.part.jsonl.gz", _texts, 900),
    Corpus("self-dialogue/dialogues.jsonl.gz", _texts, 1_200, 9_000),
    Corpus("cmu-dog/dialogues.jsonl.gz", _texts, 500),
    Corpus("chitchat/dialogues.jsonl.gz", _texts, 700),
    Corpus("cornell-movie/dialogues.jsonl.gz", _cornell, 1_500, 12_000),
)
_TURNS: Final = 8
"""Of a longer dialogue, so many turns in a row."""


def dialogues(seed: int = 0) -> Iterator[Dialogue]:
    """Dialogues of at least four turns, the corpora mixed, at most eight turns of each."""
    found = [dialogue for corpus in CORPORA for dialogue in _read(corpus, seed)]
    random.Random(seed).shuffle(found)
    left = {corpus.path.partition("/")[0]: corpus.learnt for corpus in CORPORA}
    draw = random.Random(seed + 1)
    for dialogue in found:
        name = str(dialogue.metadata["corpus"])
        if len(dialogue.turns) < 4 or not left[name]:
            continue
        left[name] -= 1
        more = len(dialogue.turns) - _TURNS
        start = draw.randrange(more) if more > 0 else 0
        yield replace(dialogue, turns=dialogue.turns[start : start + _TURNS])


def _read(corpus: Corpus, seed: int) -> list[Dialogue]:
    name = corpus.path.partition("/")[0]
    with gzip.open(DATA / corpus.path, "rt", encoding="utf-8") as file:
        rows = [[_plain(text) for text in corpus.turns(json.loads(line))] for line in file]
    kept = [turns for turns in rows if len(turns) >= 3 and all(turns)]
    chosen = random.Random(seed).sample(kept, min(corpus.drawn, len(kept)))
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
