"""Ours against the real METEOR under Java, on real text."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import Floats
from dialeval.data.types import Example, Response
from dialeval.metrics.meteor import Meteor

CHUNKS = 20


def disagreements(jar, examples: list[Example]) -> int:
    """How many examples score differently; the corpus must score the same."""
    metric = Meteor()
    ours, theirs = metric.statistics(examples), jar.statistics(examples)
    scores, score = jar.evaluate(theirs)
    np.testing.assert_allclose(metric.aggregate(ours.sum(axis=0)), score, atol=1e-6)
    return int((np.abs(metric.aggregate(ours) - scores) > 1e-6).sum())


def as_pooled(rows: Floats) -> Floats:
    """The jar's rows as it adds them up: one chunk of all words does not count."""
    rows = rows.copy()
    rows[(rows[:, 0] == rows[:, 21]) & (rows[:, 1] == rows[:, 22]) & (rows[:, CHUNKS] == 1), CHUNKS] = 0
    return rows


def test_every_number_of_the_statistics_is_the_jars(jar, real_examples) -> None:
    examples = real_examples[:400]
    np.testing.assert_array_equal(Meteor().statistics(examples)[:, :-1], as_pooled(jar.statistics(examples)))


def test_scores_of_items_and_corpus_are_the_jars(jar, real_examples) -> None:
    assert disagreements(jar, real_examples[400:800]) == 0


WORDS = (
    "the",
    "a",
    "of",
    "course",
    "of",
    "the",
    "cat",
    "cats",
    "big",
    "large",
    "thank",
    "you",
    "thanks",
    "clearly",
    "to",
    ".",
)


def test_knots_of_repeated_words_are_untied_as_in_the_jar(jar) -> None:
    # Far more matches than a real pair has, so the beam overflows and every tie counts.
    random = np.random.default_rng(7)
    texts = [" ".join(random.choice(WORDS, random.integers(1, 30))) for _ in range(800)]
    examples = [
        Example("", "", (), Response(text), (other,))
        for text, other in zip(texts[::2], texts[1::2], strict=True)
    ]
    np.testing.assert_array_equal(Meteor().statistics(examples)[:, :-1], as_pooled(jar.statistics(examples)))


@pytest.mark.slow
def test_ten_thousand_real_examples_score_as_in_the_jar(jar, real_examples) -> None:
    examples = real_examples[:10_000]
    assert len(examples) == 10_000
    assert disagreements(jar, examples) <= 10
