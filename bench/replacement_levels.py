"""Accuracy of predicting how many turns were replaced (Ma et al., 2022, table 2).

Dialogues are contexts of DailyDialog++ with a right response; the cut points between levels come from its dev part, the
accuracy from its test part. Levels are predicted from the score alone, so 1/3 is chance.
Run ``python -m bench.replacement_levels``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np

from bench.real_text import DATA
from dialeval.core import Floats, Integers
from dialeval.data.types import Dialogue, Turn
from dialeval.selfeval.metric import SelfEval

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
            speakers = (Turn("AB"[place % 2], text) for place, text in enumerate(spoilt))
            made.append(Dialogue(f"{number}/{level}", tuple(speakers)))
    return made


def predicted(scores: Floats, cuts: tuple[float, float]) -> Integers:
    """The level of each score: 2 below the lower cut, 0 above the upper one."""
    return (scores < cuts[1]).astype(np.int64) + (scores < cuts[0])


def main() -> None:
    """Print the accuracy of each level and of all."""
    metric = SelfEval()
    dev, test = (metric.values(replaced(dialogues(part), 0)) for part in ("dev.json", "test.first571.json"))
    grid = np.quantile(dev, np.linspace(0.05, 0.95, 37)).tolist()
    truth = np.tile(LEVELS, len(dev) // 3)
    cuts = max(combinations(grid, 2), key=lambda pair: float((predicted(dev, pair) == truth).mean()))
    right = predicted(test, cuts) == np.tile(LEVELS, len(test) // 3)
    for level in LEVELS:
        print(f"Rep-{level} {right[level::3].mean():.3f}")
    scores = test.reshape(-1, 3)
    order = ((scores[:, 0] > scores[:, 1]).mean(), (scores[:, 1] > scores[:, 2]).mean())
    print(
        f"overall {right.mean():.3f} of {len(test)}; 0 above 1 in {order[0]:.3f}, 1 above 2 in {order[1]:.3f}"
    )


if __name__ == "__main__":
    main()
