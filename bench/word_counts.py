"""The table of word counts that ``quality`` ships: ``python -m bench.word_counts``.

Counts, in eight corpora of English dialogues, the utterances that have each word.
Rows of DailyDialog that share turns with an evaluation set are left out. The table has counts alone, no text.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.scorers.sets import DATA
from dialeval.files.atomic import write_atomically
from dialeval.selfeval.quality import features

CORPORA: Final = (
    "dailydialog/train.jsonl.gz",
    "empathetic-dialogues/train.jsonl.gz",
    "personachat/train.part.jsonl.gz",
    "self-dialogue/dialogues.jsonl.gz",
    "cornell-movie/dialogues.jsonl.gz",
    "cmu-dog/dialogues.jsonl.gz",
    "chitchat/dialogues.jsonl.gz",
    "edos/dialogues.jsonl.gz",
)
MOST: Final = 8000
"""Words in the table."""
EACH: Final = 30_000
"""Utterances that are counted of a corpus, the first ones, so that none outweighs the others."""
OUT: Final = Path(features.__file__).with_name("word_counts.tsv")


def main() -> None:
    """Count and write the table."""
    counts: Counter[str] = Counter()
    utterances = 0
    for corpus in CORPORA:
        for number, text in enumerate(_utterances(corpus)):
            if number == EACH:
                break
            counts.update(set(features.words_of(text)))
            utterances += 1
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST]
    rows = [("utterances", utterances), *ranked]
    write_atomically(OUT, "".join(f"{word}\t{count}\n" for word, count in rows).encode())
    print(f"{utterances} utterances, {len(counts)} words; the {MOST} most frequent are in {OUT}")


def _utterances(corpus: str) -> Iterator[str]:
    with gzip.open(DATA / corpus, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            if not row.get("flags"):
                for turn in row.get("turns") or row.get("dialogue") or ():
                    yield turn["text"] if isinstance(turn, dict) else turn


if __name__ == "__main__":
    main()
