"""Published correlations of word-overlap metrics with human ratings, recomputed from the raw files.

Expected values: the table of DialEvalMetrics (Yeh et al., 2021), BLEU-4, METEOR and ROUGE-L rows, three decimals. The
metrics are nlg-eval's with one human reference; turn level pools all systems, system level takes each system's mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from dialeval.data.types import Example, Response
from dialeval.errors import ResourceUnavailable
from dialeval.metrics import build

TRUTH = "Original Ground Truth"


class Rated(NamedTuple):
    example: Example
    human: float


def read_usr(data: Path) -> list[Rated]:
    rows = json.loads((data / "usr-topicalchat" / "topical_chat_result.json").read_text(encoding="utf-8"))
    truth = {
        row["source"] + row["context"]: row["system_output"] for row in rows if row["system_id"] == TRUTH
    }
    return [
        Rated(
            Example(
                "",
                row["system_id"],
                (),
                Response(row["system_output"]),
                (truth[row["source"] + row["context"]],),
            ),
            row["scores"]["overall"],
        )
        for row in rows
        if row["system_id"] != TRUTH
    ]


def read_grade(corpus: str) -> Callable[[Path], list[Rated]]:
    def read(data: Path) -> list[Rated]:
        rated = []
        for folder in sorted((data / "grade" / "eval_data" / corpus).iterdir()):
            texts = lines(folder / "human_hyp.txt")
            references = lines(folder / "human_ref.txt")
            scores = lines(data / "grade" / "human_score" / corpus / folder.name / "human_score.txt")
            for text, reference, score in zip(texts, references, scores, strict=True):
                rated.append(Rated(Example("", folder.name, (), Response(text), (reference,)), float(score)))
        return rated

    return read


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


@pytest.mark.parametrize(
    ("read", "size", "metric", "expected"),
    [
        (read_usr, 300, "bleu(order=4)", [0.216, 0.296, 0.874, 0.900]),
        (read_usr, 300, "meteor", [0.336, 0.391, 0.943, 0.900]),
        (read_usr, 300, "rouge_l", [0.275, 0.287, 0.814, 0.900]),
        (read_grade("convai2"), 600, "bleu(order=4)", [0.003, 0.128, 0.034, 0.000]),
        (read_grade("convai2"), 600, "meteor", [0.145, 0.181, 0.781, 0.600]),
        (read_grade("convai2"), 600, "rouge_l", [0.136, 0.140, 0.209, 0.000]),
        (read_grade("dailydialog"), 300, "bleu(order=4)", [0.075, 0.184, 1.000, 1.000]),
        (read_grade("dailydialog"), 300, "meteor", [0.096, 0.010, -1.000, -1.000]),
        (read_grade("dailydialog"), 300, "rouge_l", [0.154, 0.147, 1.000, 1.000]),
    ],
    ids=[
        "usr-bleu",
        "usr-meteor",
        "usr-rouge_l",
        "convai2-bleu",
        "convai2-meteor",
        "convai2-rouge_l",
        "dailydialog-bleu",
        "dailydialog-meteor",
        "dailydialog-rouge_l",
    ],
)
def test_published_correlations_with_people_are_reproduced(
    shared_data: Path, read: Callable[[Path], list[Rated]], size: int, metric: str, expected: list[float]
) -> None:
    rated = read(shared_data)
    assert len(rated) == size
    try:
        measure = build(metric)
    except ResourceUnavailable as absence:
        pytest.skip(str(absence))
    values = measure.aggregate(measure.statistics([row.example for row in rated]))
    human = np.array([row.human for row in rated])
    systems = np.array([row.example.system for row in rated])
    means = [(values[systems == name].mean(), human[systems == name].mean()) for name in np.unique(systems)]
    levels = [(values, human), tuple(np.transpose(means))]
    found = [correlate(*level).statistic for level in levels for correlate in (pearsonr, spearmanr)]
    assert [round(float(one), 3) + 0.0 for one in found] == expected
