"""Published and checked correlations of metrics with people, from the raw files through readers, join and levels.

Sources: the table of DialEvalMetrics (Yeh et al., 2021) for RUBER; the scores that UniEval (Zhong et al., 2022), FED
(Mehri and Eskenazi, 2020), predictive engagement (Ghazarian et al., 2020) and Novikova et al. (2017) published with
their data. Every value to the three decimals shown there. BLEU, METEOR and ROUGE-L are in
tests/metrics/test_human_correlations.py.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.data import Judgement, read
from dialeval.data.importers.corpora.score_list import read_scores
from dialeval.display.notes import codes
from dialeval.meta import LEVELS, Row, correlate
from dialeval.meta.judgements import join, system_identity
from dialeval.ratings.joined import Joined, MeasureGrid
from dialeval.ratings.raters import Qualification, qualify
from dialeval.ratings.scale import Cut, collapse
from dialeval.ratings.table import Ratings, Unit, read_judgements

TRUTH = "Original Ground Truth"


def rounded(*values: float | None) -> list[float | None]:
    return [None if value is None else round(value, 3) + 0.0 for value in values]


def pooled(row: Row) -> list[float | None]:
    """Pearson and Spearman."""
    return rounded(row.pearson, row.spearman)


def rows(joined: Joined, level: str = "item") -> dict[str, Row]:
    return {row.measure: row for row in correlate(joined, levels=[level], resampling=Resampling(resamples=0))}


def grade(data: Path, dataset: str) -> Ratings:
    ratings = read_judgements([data / "grade"], format="grade")
    return ratings.by(items=[item for item in ratings.items if item.startswith(dataset)])


def grade_ruber(data: Path, dataset: str) -> Iterable[Judgement]:
    examples = [
        one for one in read(data / "grade", "example", format="grade") if one.item.startswith(dataset)
    ]
    for system in dict.fromkeys(one.system for one in examples):
        path = data / "ruber-scores" / f"{dataset}_grade_{system}.json"
        yield from read_scores(path, [one for one in examples if one.system == system], rater="ruber")


@pytest.mark.parametrize(
    ("dataset", "cells", "item", "system"),
    [
        ("convai2", 600, [-0.027, -0.042], [-0.458, -0.400]),
        ("dailydialog", 300, [-0.084, -0.094], [-1.0, -1.0]),
    ],
)
def test_ruber_on_grade(
    shared_data: Path, dataset: str, cells: int, item: list[float], system: list[float]
) -> None:
    ruber = Ratings.of(grade_ruber(shared_data, dataset))
    joined = join(Ratings.merge([grade(shared_data, dataset), ruber]), "coherence")
    at_item, at_system = correlate(joined, levels=["item", "system"], resampling=Resampling(resamples=0))
    assert (at_item.estimate.n, joined.unjoined) == (cells, ())
    assert [pooled(at_item), pooled(at_system)] == [item, system]
    assert ("two_systems" in codes(at_system.warnings)) == (dataset == "dailydialog")


def test_ruber_on_usr(shared_data: Path) -> None:
    path = shared_data / "usr-topicalchat" / "topical_chat_result.json"
    ruber = read_scores(
        shared_data / "ruber-scores" / "topicalchat_usr.json",
        read(path, "example", format="usr"),
        rater="ruber",
    )
    people = read_judgements([path], format="usr")
    joined = join(Ratings.merge([people, Ratings.of(ruber)]), "overall")
    # People rated the original response too, which no metric scores.
    assert {(one.side, one.system) for one in joined.unjoined} == {("human", TRUTH)}
    at_item, at_system = correlate(joined, levels=["item", "system"], resampling=Resampling(resamples=0))
    assert (at_item.estimate.n, at_system.estimate.n) == (300, 5)
    assert [pooled(at_item), pooled(at_system)] == [[0.247, 0.259], [0.876, 1.0]]


@pytest.mark.parametrize(
    ("file", "cells", "expected"),
    [
        (
            "usr-topicalchat/topical_chat_result.json",
            360,
            {
                "naturalness": [0.444, 0.514],
                "coherence": [0.595, 0.613],
                "engagingness": [0.557, 0.605],
                "groundedness": [0.536, 0.575],
                "understandability": [0.380, 0.468],
                "overall": [0.633, 0.663],
            },
        ),
        (
            "unieval/sfres_result.json",
            1181,
            {"naturalness": [0.367, 0.333], "informativeness": [0.282, 0.225], "overall": [0.371, 0.292]},
        ),
    ],
)
def test_unieval(shared_data: Path, file: str, cells: int, expected: dict[str, list[float]]) -> None:
    ratings = read_judgements([shared_data / file], format="unieval")
    found = {quality: rows(join(ratings, quality))[f"unieval(quality={quality!r})"] for quality in expected}
    assert {quality: pooled(row) for quality, row in found.items()} == expected
    assert {row.estimate.n for row in found.values()} == {cells}


FED_TURN = {
    "Interesting": 0.325,
    "Engaging": 0.176,
    "Specific": 0.230,
    "Relevant": 0.134,
    "Correct": 0.159,
    "Semantically appropriate": 0.078,
    "Understandable": 0.059,
    "Fluent": 0.016,
}
FED_DIALOGUE = {
    "Coherent": 0.187,
    "Error recovery": 0.070,
    "Consistent": 0.084,
    "Diverse": 0.053,
    "Depth": 0.046,
    "Likeable": 0.309,
    "Understanding": 0.169,
    "Flexible": 0.177,
    "Informative": 0.344,
    "Inquisitive": 0.228,
}


@pytest.mark.parametrize(
    ("file", "cells", "expected"),
    [
        ("turn_level_model_score_list.json", 375, FED_TURN),
        ("dialog_level_model_scores.json", 125, FED_DIALOGUE),
    ],
    ids=["turn", "dialogue"],
)
def test_fed(shared_data: Path, file: str, cells: int, expected: dict[str, float]) -> None:
    people = read_judgements([shared_data / "fed" / "fed_data.json"], format="fed")
    scores = read_judgements([shared_data / "fed" / file], format="fed-scores")
    ratings = Ratings.merge([people, scores])
    found = {quality: rows(join(ratings, quality))[f"fed(quality={quality!r})"] for quality in expected}
    assert {quality: rounded(row.spearman)[0] for quality, row in found.items()} == expected
    # Of one dialogue, nobody could say whether the system recovered from an error.
    assert {quality: row.estimate.n for quality, row in found.items()} == {
        quality: cells - (quality == "Error recovery") for quality in expected
    }


def test_engagement(shared_data: Path) -> None:
    path = shared_data / "predictive-engagement" / "Eng_Scores_queries_gen_gtruth_replies.csv"
    judgements = list(read(path, "judgement", format="predictive-engagement"))
    raters = ("#1", "#2", "#3")
    # The published values take every rating by itself, so each becomes an item of its own.
    single = [
        Judgement(f"{one.item}/{rater}", one.system, one.rater, one.criterion, one.value)
        for one in judgements
        for rater in ((one.rater,) if one.rater in raters else raters)
    ]
    joined = join(Ratings.of(single), "engagement")
    mean = np.mean(
        [joined.measure_named(name).values for name in ("CTX_Unref_Score", "Eng_Score_MeanPooling")], axis=0
    )
    both = MeasureGrid("mean", "mean", "mean", type(joined.human)(joined.systems, joined.items, mean))
    found = rows(joined.plus(both))
    assert found["mean"].estimate.n == 1800
    assert {name: pooled(row) for name, row in found.items() if name != "Eng_Score_MaxPooling"} == {
        "CTX_Unref_Score": [0.494, 0.503],
        "Eng_Score_MeanPooling": [0.359, 0.409],
        "Ruber_Unref_Score": [0.217, 0.273],
        "mean": [0.558, 0.587],
    }


QUALITIES = ("informativeness", "naturalness", "quality")


@pytest.mark.parametrize(
    ("dataset", "cells", "expected"),
    [
        (
            "bagel",
            404,
            {
                "Bleu_1": [0.225, 0.142, 0.113],
                "Bleu_4": [0.176, 0.141, 0.102],
                "ROUGE_L": [0.200, 0.134, 0.112],
                "METEOR": [0.252, 0.128, 0.116],
                "CIDEr": [0.206, 0.162, 0.120],
                "TER": [-0.191, -0.186, -0.151],
            },
        ),
        (
            "sfres",
            1181,
            {
                "Bleu_1": [0.111, 0.142, 0.069],
                "Bleu_4": [0.085, 0.094, 0.049],
                "ROUGE_L": [0.092, 0.153, 0.063],
                "METEOR": [0.153, 0.179, 0.112],
                "CIDEr": [0.080, 0.123, 0.036],
                "TER": [-0.091, -0.147, -0.078],
            },
        ),
    ],
)
def test_novikova(shared_data: Path, dataset: str, cells: int, expected: dict[str, list[float]]) -> None:
    path = shared_data / "emnlp17-nlg" / "emnlp_data_medians.bagel_sfrest.csv"
    ratings = read_judgements([path], format="emnlp17")
    ratings = ratings.by(items=[item for item in ratings.items if item.startswith(dataset)])
    found = [rows(join(ratings, quality)) for quality in QUALITIES]
    assert {row.estimate.n for each in found for row in each.values()} == {cells}
    assert {name: rounded(*(each[name].spearman for each in found)) for name in expected} == expected


@pytest.mark.parametrize(
    ("corpus", "cells", "expected"),
    [
        ("fed turn", 375, 0.491),
        ("fed dialogue", 125, 0.719),
        ("convai2", 600, 0.317),
        ("dailydialog", 300, 0.125),
        ("usr", 300, 0.569),
    ],
)
def test_system_identity_alone(shared_data: Path, corpus: str, cells: int, expected: float) -> None:
    """How much of a pooled correlation is knowing the system (facts.md, section 11, READ WITH CARE)."""
    joined = people_of(shared_data, corpus)
    joined = joined.plus(system_identity(joined))
    found = {row.level: row for row in correlate(joined, levels=LEVELS, resampling=Resampling(resamples=0))}
    assert (found["item"].estimate.n, *rounded(found["item"].spearman)) == (cells, expected)
    assert rounded(found["system"].spearman) == [1.0]
    assert found["item_within_system"].spearman is None


def people_of(data: Path, corpus: str) -> Joined:
    if corpus.startswith("fed"):
        path = data / "fed" / "fed_data.json"
        kind = "example" if corpus == "fed turn" else "dialogue"
        items = [one.item for one in read(path, kind, format="fed")]
        return join(read_judgements([path], format="fed").by(items=items), "Overall")
    if corpus == "usr":
        ratings = read_judgements([data / "usr-topicalchat" / "topical_chat_result.json"], format="usr")
        return join(ratings.by(systems=[name for name in ratings.systems if name != TRUTH]), "overall")
    return join(grade(data, corpus), "coherence")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DEB_random+adversarial_negatives", [0.857, 0.932]),
        ("DEB_random_negatives", [0.868, 0.660]),
        ("RUBER-Large_random+adversarial_negatives", [0.812, 0.869]),
        ("RUBER-Large_random_negatives", [0.822, 0.687]),
        ("RUBER_random+adversarial_negatives", [0.768, 0.848]),
        ("RUBER_random_negatives", [0.775, 0.644]),
    ],
)
def test_accuracy_on_dailydialog_plusplus(shared_data: Path, name: str, expected: list[float]) -> None:
    """Positives above one half and random, then adversarial, responses not: plain accuracy over the 571 contexts."""
    folder = shared_data / "dailydialog-plusplus"
    scores: dict[str, float] = json.loads(
        (folder / "predictions" / f"{name}.json").read_text(encoding="utf-8")
    )
    judged, answers = [], {}
    for at, question in enumerate(read(folder / "test.first571.json", "question", format="dailydialog++")):
        places: Counter[str] = Counter()
        for candidate in question.candidates:
            kind = "positive" if candidate.correct else str(candidate.error)
            unit = Unit(f"{at}{kind[0]}{places[kind]}", kind)  # as the files name what they score
            places[kind] += 1
            judged.append(Judgement(*unit, name, "fits", scores[unit.item]))
            answers[unit] = float(candidate.correct)
    assert (len(judged), {unit.item for unit in answers}) == (571 * 15, set(scores))
    said = collapse(Ratings.of(judged), Cut(">=", 0.5))
    found = [accuracy(said.by(systems=["positive", kind]), answers) for kind in ("random", "adversarial")]
    assert rounded(*found) == expected


def accuracy(ratings: Ratings, answers: dict[Unit, float]) -> float:
    """How often the only rater gives the known answer."""
    (criterion,) = ratings.criteria
    (one,) = qualify(ratings, criterion, answers, Qualification(accuracy=0.5)).candidates
    return one.accuracy


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("FacebookAI_roberta-large-mnli", [0.758, 0.753, 0.791, 0.772]),
        ("facebook_bart-large-mnli", [0.728, 0.724, 0.768, 0.745]),
    ],
)
def test_contradictions_of_decode(shared_data: Path, model: str, expected: Sequence[float]) -> None:
    """Accuracy, precision, recall and F1 of the class ``contradiction`` on 1,325 pairs; label 0 is contradiction.

    Precision is the accuracy where the model says contradiction, recall that where it is one.
    """
    path = shared_data / "decode" / "pair_predictions" / f"predict_decode_{model}.tsv"
    with path.open(encoding="utf-8", newline="") as handle:
        pairs = list(csv.DictReader(handle, delimiter="\t"))
    answers = {Unit(f"pair-{at}", ""): float(row["label"] == "0") for at, row in enumerate(pairs)}
    said = Ratings.of(
        Judgement(*unit, model, "contradiction", float(row[f"{model}_pred"] == "contradiction"))
        for unit, row in zip(answers, pairs, strict=True)
    )
    precision = accuracy(said.where(said.value == 1), answers)
    recall = accuracy(said, {unit: answer for unit, answer in answers.items() if answer})
    f1 = 2 * precision * recall / (precision + recall)
    assert len(said) == 1325
    assert rounded(accuracy(said, answers), precision, recall, f1) == expected
