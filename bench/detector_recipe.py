"""The recipe of the shipped contradiction detector: its data, its two steps, its calibration and its measurements.

``python -m bench.detector_recipe OUT`` needs the data of shared/data (DIALEVAL_DATA) and torch; ``--nli``, ``--made``
and ``--minutes`` give more or less training. It calls what ``dialeval train contradiction`` calls. No row is trained on
of rgm-contradiction, of MultiNLI dev, or of the halves of DECODE, ProSeCCo and CI-ToD that ``divide`` holds out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

from dialeval.consistency.learning.config import DetectorConfig
from dialeval.consistency.pairs.making import made_pairs
from dialeval.consistency.pairs.reading import read_all
from dialeval.consistency.pairs.types import Divided, LabelledPair, divide
from dialeval.data.types import Dialogue, Turn

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[2] / "shared" / "data"))
DIALOGUE_NLI: Final = "dialogue-nli/part.jsonl.gz"
NLI: Final = (
    "mnli/train20k_genre.jsonl.gz",
    "mnli/train10k_nogenre.jsonl",
    "mnli/taxinli.jsonl",
    "lingnli/train.jsonl.gz",
    "lingnli/val.jsonl.gz",
    "snli/dev.jsonl",
    "snli-counterfactual/all_combined.jsonl",
    "sick/sick.jsonl",
    DIALOGUE_NLI,
)
CONTRADICTIONS: Final = (
    "decode/pair_predictions/predict_decode_FacebookAI_roberta-large-mnli.tsv",
    "prosecco/ProSeCCo_final.csv",
    "ci-tod/dialogues.jsonl.gz",
)
WORDS: Final = 24
"""Longer NLI pairs are left out: they cost most, and chat is short."""
HELD_OUT_SPLITS: Final = ("valid", "test")


def nli_pairs() -> list[LabelledPair]:
    """Step 1: short NLI rows, splits for validation and test left out."""
    return read_all([DATA / name for name in NLI], leave_out=HELD_OUT_SPLITS, words=WORDS)


def contradictions() -> Divided:
    """Half of DECODE's pairs, of ProSeCCo and of CI-ToD for a test, a tenth for validation, the rest to train on."""
    return divide(read_all([DATA / name for name in CONTRADICTIONS]), validation=0.1, test=0.5)


def step_two(nli: int, made: int) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """Training and validation pairs of step 2: contradictions, NLI rows to keep what was learnt, and made ones."""
    rows = nli_pairs()
    chats = set(read_all([DATA / DIALOGUE_NLI], leave_out=HELD_OUT_SPLITS, words=WORDS))
    Random(1).shuffle(rows)
    first = [row for row in rows if row in chats][: nli // 2]
    kept = first + [row for row in rows if row not in chats][: nli - len(first)]
    parts = contradictions()
    by_rules = list(made_pairs(personachat()))
    Random(2).shuffle(by_rules)
    train = [*kept, *parts.train, *by_rules[:made]]
    return train, [*parts.validation, *divide(kept, validation=0.02).validation]


def personachat() -> Iterator[Dialogue]:
    """The dialogues that rules turn into contradictions."""
    with gzip.open(DATA / "personachat" / "train.part.jsonl.gz") as file:
        for number, line in enumerate(file):
            texts = [text for text in json.loads(line)["turns"] if text.strip()]
            yield Dialogue(
                f"pc{number}", tuple(Turn("AB"[place % 2], text) for place, text in enumerate(texts))
            )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--nli", type=int, default=9000, help="NLI rows of step 2")
    parser.add_argument("--made", type=int, default=3000, help="pairs by rules of step 2")
    parser.add_argument("--minutes", type=float, default=None, help="for each step")
    given = parser.parse_args(arguments)
    from dialeval.consistency.learning.finishing import finish
    from dialeval.consistency.learning.training import ADAPTER, train_detector
    from dialeval.training.finetuning import write_adapter
    from dialeval.training.loop import Session

    session = Session(minutes=given.minutes)
    config = DetectorConfig(precision="bfloat16")
    one, two = given.out / "step1", given.out / "step2"
    for folder in (one, two):
        folder.mkdir(parents=True, exist_ok=True)
    parts = divide(nli_pairs(), validation=0.02)
    first = train_detector(parts.train, parts.validation, config, one, session=session)
    write_adapter(one / ADAPTER, first.model, "contradiction", {})
    schedule = replace(config.schedule, learning_rate=7e-4, warm_up=30, evaluate_every=60, patience=99)
    config = replace(config, schedule=schedule, validated=500)
    train, validation = step_two(given.nli, given.made)
    second = train_detector(train, validation, config, two, start_from=one / ADAPTER, session=session)
    measured = finish(two, second, train, contradictions().validation, config, started_from="step 1")
    print(f"validation: accuracy {measured.accuracy:.3f}, AUC {measured.auc:.3f}; {two / ADAPTER}")


if __name__ == "__main__":
    main()
