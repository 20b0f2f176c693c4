"""Every number on the page "Which BLEU is this?", computed anew from the texts it names."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from dialeval import Bleu, RougeL
from dialeval.metrics.overlap.words import measure_strings
from support.paths import DOCS

PAGE = DOCS / "which-bleu.md"


LENGTHS: dict[str, Callable[[int, list[int]], int]] = {
    "closest, tie to the shorter": lambda n, own: min((abs(m - n), m) for m in own)[1],
    "closest, tie to the first listed": lambda n, own: min(own, key=lambda m: abs(m - n)),
    "shortest": lambda _, own: min(own),
}


class Texts:
    """The last of five responses that multirefeval has for each context, against the first four."""

    def __init__(self, data: Path) -> None:
        rows = (data / "multirefeval" / "multireftest.json").read_text(encoding="utf-8").splitlines()
        turns = [turn for row in rows for turn in json.loads(row)["dialogue"]]
        five = [turn["responses"] for turn in turns if len(turn.get("responses", ())) == 5]
        self.responses = [texts[-1] for texts in five]
        self.references = [texts[:-1] for texts in five]

    def bleu(self, metric: Bleu) -> tuple[float, float]:
        """A hundred times the corpus score, and the mean of the examples' scores that are defined."""
        shared = measure_strings(
            self.responses, self.references, tokens=metric._tokens, lowercase=metric.lowercase
        )
        rows = metric.rows(shared)
        return 100 * float(metric.aggregate(rows.sum(axis=0))), 100 * float(
            np.nanmean(metric.aggregate(rows))
        )


@pytest.fixture(scope="module")
def texts(shared_data: Path) -> Texts:
    return Texts(shared_data)


def printed(label: str) -> list[str]:
    """The cells behind a label in a table of the page."""
    rows = [
        line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if "|" in line
    ]
    (row,) = [row for row in rows if row[0] == label]
    return row[1:]


@pytest.mark.parametrize(
    ("label", "metric"),
    [
        ("nlg-eval", Bleu()),
        ("sacrebleu, 13a", Bleu(profile="sacrebleu")),
        ("sacrebleu, none", Bleu(profile="sacrebleu", tokens="none")),
        ("sacrebleu, intl", Bleu(profile="sacrebleu", tokens="intl")),
        ("sacrebleu, char", Bleu(profile="sacrebleu", tokens="char")),
        ("NLTK, method0", Bleu(profile="nltk")),
        ("NLTK, method1", Bleu(profile="nltk", smoothing="method1")),
        ("NLTK, method2", Bleu(profile="nltk", smoothing="method2")),
        ("NLTK, method3", Bleu(profile="nltk", smoothing="method3")),
        ("NLTK, method4", Bleu(profile="nltk", smoothing="method4")),
        ("NLTK, method5", Bleu(profile="nltk", smoothing="method5")),
        ("NLTK, method6", Bleu(profile="nltk", smoothing="method6")),
        ("NLTK, method7", Bleu(profile="nltk", smoothing="method7")),
    ],
)
def test_the_scores_of_each_tool(label: str, metric: Bleu, texts: Texts) -> None:
    corpus, mean = texts.bleu(metric)
    assert printed(label)[:2] == [f"{corpus:.3f}", f"{mean:.2f}"]


def test_what_the_choice_of_a_reference_length_moves(shared_data: Path) -> None:
    with (shared_data / "multirefeval" / "mturk_rating_processed_output.csv").open(encoding="utf-8") as file:
        rated = [row for row in csv.DictReader(file) if row["model"] == "hredf"]
    responses = [row["response"] for row in rated]
    references = [row["all_references"].split("\t") for row in rated]
    rows = Bleu().rows(measure_strings(responses, references, tokens="whitespace"))
    lengths = [[len(text.split()) for text in texts] for texts in references]
    for label, choose in LENGTHS.items():
        moved = rows.copy()
        moved[:, -2] = [choose(len(text.split()), own) for text, own in zip(responses, lengths, strict=True)]
        assert printed(label)[0] == f"{100 * float(Bleu().aggregate(moved.sum(axis=0))):.3f}"


def test_the_scores_of_rouge_l(texts: Texts) -> None:
    for label, metric in (
        ("nlg-eval, beta 1.2", RougeL()),
        ("Google", RougeL(profile="google")),
        ("Google, stemmer", RougeL(profile="google", stemmer=True)),
    ):
        shared = measure_strings(texts.responses, texts.references, tokens=metric._tokens)
        assert printed(label)[0] == f"{metric.rows(shared)[:, 0].mean():.4f}"


def test_nltks_corpus_score_hangs_on_the_last_example(texts: Texts) -> None:
    nltk = pytest.importorskip("nltk.translate.bleu_score", reason="needs dialeval[peers]")
    words: list[tuple[list[list[str]], list[str]]] = [
        ([other.split() for other in others], one.split())
        for one, others in zip(texts.responses[:1000], texts.references[:1000], strict=True)
    ]
    labels: tuple[Literal["method5", "method6"], ...] = ("method5", "method6")
    for label in labels:
        smooth, found = getattr(nltk.SmoothingFunction(), label), []
        for order in (words, words[::-1]):
            references, responses = zip(*order, strict=True)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(
                    f"{100 * float(nltk.corpus_bleu(references, responses, smoothing_function=smooth)):.2f}"
                )
        metric = Bleu(profile="nltk", smoothing=label)
        shared = measure_strings(texts.responses[:1000], texts.references[:1000], tokens="whitespace")
        ours = 100 * float(metric.aggregate(metric.rows(shared).sum(axis=0)))
        assert printed(f"corpus_bleu, {label}") == [*found, f"{ours:.2f}"]
