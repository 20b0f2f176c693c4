"""Accuracy of predicting how many turns were replaced (Ma et al., 2022, table 2).

Dialogues are contexts of DailyDialog++ with a right response; the cut points between levels come from its dev part, the
accuracy from its test part. Levels are predicted from the score alone, so 1/3 is chance.

``python -m bench.replacement_levels -m selfeval -m density`` prints a row for each. ``--corpus OUT.jsonl`` writes
the training dialogues instead, contexts of ``data_positives.json`` with their first response, which share nothing with
the other two parts: ``dialeval train selfeval OUT.jsonl -o DIR`` trains what the paper trains, on what it is tested on.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Final

import numpy as np

from bench.real_text import DATA
from dialeval.core import Floats, Integers
from dialeval.data import write
from dialeval.data.types import Dialogue, Turn
from dialeval.metrics import build_any
from dialeval.selfeval.scorer import Scorer

LEVELS: Final = (0, 1, 2)


def dialogues(part: str) -> list[tuple[str, ...]]:
    """Context and first right response of each row."""
    lines = (DATA / "dailydialog-plusplus" / part).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [(*row["context"], row["positive_responses"][0]) for row in rows if len(row["context"]) >= 3]


def replaced(talks: Sequence[tuple[str, ...]], seed: int) -> list[Dialogue]:
    """Each dialogue with 0, 1 and 2 turns of one speaker replaced by turns of other dialogues."""
    draw = random.Random(seed)
    made = []
    for number, turns in enumerate(talks):
        places = range((len(turns) - 1) % 2, len(turns), 2)
        for level in LEVELS:
            spoilt = list(turns)
            for place in draw.sample(places, level):
                other = draw.randrange(len(talks) - 1)
                spoilt[place] = draw.choice(talks[other + (other >= number)])
            made.append(_dialogue(f"{number}/{level}", spoilt))
    return made


def _dialogue(item: str, texts: Sequence[str]) -> Dialogue:
    return Dialogue(item, tuple(Turn("AB"[place % 2], text) for place, text in enumerate(texts)))


def predicted(scores: Floats, cuts: tuple[float, float]) -> Integers:
    """The level of each score: 2 below the lower cut, 0 above the upper one."""
    return (scores < cuts[1]).astype(np.int64) + (scores < cuts[0])


def row(metric: Scorer, dev: Sequence[Dialogue], test: Sequence[Dialogue]) -> str:
    """A line of the table: accuracy by level and of all, and how often a level is above the next."""
    known, scores = metric.values(dev), metric.values(test)
    grid = np.quantile(known, np.linspace(0.05, 0.95, 37)).tolist()
    truth = np.tile(LEVELS, len(known) // 3)
    cuts = max(combinations(grid, 2), key=lambda pair: float((predicted(known, pair) == truth).mean()))
    right = predicted(scores, cuts) == np.tile(LEVELS, len(scores) // 3)
    levels = [f"{right[level::3].mean():.3f}" for level in LEVELS]
    first, second, third = scores.reshape(-1, 3).T
    order = (f"{(first > second).mean():.3f}", f"{(second > third).mean():.3f}")
    return f"| {' | '.join([str(metric.signature.call), *levels, f'{right.mean():.3f}', *order])} |"


def main() -> None:
    """Print a row for each metric, or write what to train on."""
    parser = argparse.ArgumentParser(prog="python -m bench.replacement_levels", description=__doc__)
    parser.add_argument("-m", "--metric", action="append", help="repeatable; default selfeval")
    parser.add_argument("--corpus", type=Path, help="write the training dialogues here")
    given = parser.parse_args()
    if given.corpus:
        talks = enumerate(dialogues("data_positives.json"))
        write(given.corpus, (_dialogue(f"ddpp-{number}", turns) for number, turns in talks))
        return
    dev, test = (replaced(dialogues(part), 0) for part in ("dev.json", "test.first571.json"))
    print(f"| scorer | Rep-0 | Rep-1 | Rep-2 | overall of {len(test)} | 0 above 1 | 1 above 2 |")
    print(f"|{'---|' * 7}")
    for name in given.metric or ("selfeval",):
        print(row(build_any(name), dev, test), flush=True)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
