from __future__ import annotations

import pickle

import numpy as np
import pytest

from dialeval import Bleu, RougeL
from dialeval.core import Resampling
from dialeval.core.batches import SharedBatch
from dialeval.data.types import Example, Response
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.metrics.overlap.words import measure, measure_strings, score_strings


def example(text: str, *references: str) -> Example:
    return Example("i", "s", (), Response(text), references)


def test_a_shared_batch_is_measured_once() -> None:
    examples = SharedBatch([example("a b", "a c"), example("x", "x", "y")])
    first = measure(examples, tokens="whitespace")
    assert measure(examples, tokens="whitespace") is first
    assert measure(examples, tokens="13a") is not first
    assert measure(examples, tokens="whitespace", lowercase=True) is not first


def test_what_is_known_of_a_batch_stays_behind_when_it_travels() -> None:
    examples = SharedBatch([example("a b", "a c")])
    measure(examples, tokens="whitespace")
    there = pickle.loads(pickle.dumps(examples))
    assert there == examples
    assert examples.known
    assert not there.known


def test_every_metric_of_a_run_gets_its_own_numbers() -> None:
    examples = [example("a b c d", "a b x d"), example("a  b", "a b"), example("", "a")]
    metrics = {
        "1": Bleu(1),
        "4": Bleu(4),
        "l": RougeL(),
        "s": Bleu(2, "sacrebleu"),
        "g": RougeL(profile="google"),
    }
    together = evaluate(metrics, examples, Plan(resampling=Resampling(resamples=0)))
    for name, metric in metrics.items():
        alone = metric.aggregate(
            metric.statistics([example(e.response.text, *e.references) for e in examples])
        )
        np.testing.assert_array_equal(together[name, "s"].values, alone)


def test_strings_score_as_examples_do() -> None:
    texts, references = ["a b c d", "x y"], [["a b c", "a b c d e"], ["y x"]]
    scores = score_strings(texts, references)
    examples = [example(text, *others) for text, others in zip(texts, references, strict=True)]
    for order in range(1, 5):
        rows = Bleu(order).statistics(examples)
        np.testing.assert_array_equal(scores.bleu[:, order - 1], Bleu(order).aggregate(rows))
        assert scores.corpus_bleu[order - 1] == Bleu(order).aggregate(rows.sum(axis=0))
    np.testing.assert_array_equal(scores.rouge_l, RougeL().statistics(examples)[:, 0])
    assert scores.corpus_rouge_l == scores.rouge_l.mean()


def test_responses_and_references_must_be_as_many() -> None:
    with pytest.raises(ValueError, match="zip"):
        measure_strings(["a"], [["a"], ["b"]], tokens="none")
