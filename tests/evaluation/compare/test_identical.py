"""Two systems with the same answers: equivalent by construction, under measures of every kind."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dialeval import Bleu, Example, Missing, Resampling, Response, RougeL, compare, compare_all
from dialeval.catalogue import build
from dialeval.evaluation.compare import decide_families
from dialeval.evaluation.roll import hash_answer
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.evaluation.runs import over_runs, repeated
from dialeval.metrics.diversity import Distinct, SelfBleu

WORDS = ["tea", "coffee", "milk", "sugar", "with", "without", "a", "cup", "of", "the", "and", "two", "please"]
SEED = Resampling(resamples=199)


class Long:
    """Whether a response has more than five words."""

    higher_is_better = True
    yes_no = True
    limits = (0.0, 1.0)
    signature = RougeL().signature

    def unscorable(self, _example):
        return None

    def statistics(self, examples):
        return np.array([(float(len(e.response.text.split()) > 5), 1.0) for e in examples]).reshape(-1, 2)

    def aggregate(self, totals):
        return totals[..., 0] / totals[..., 1]


def said(system: str, n: int = 48, *, run: int = 0, worse: int = 0, dialogues: bool = False) -> list[Example]:
    """Answers that share some words with their reference; the first few are beside the point."""
    rng = np.random.default_rng([n, run])
    examples = []
    for place in range(n):
        reference = rng.choice(WORDS, size=8)
        kept = " ".join(reference[rng.random(8) < 0.7]) or "tea"
        text = "zzz" if place < worse else kept
        item = f"d{place // 4}/{place % 4}" if dialogues else f"item-{place}"
        examples.append(Example(item, system, (), Response(text), (" ".join(reference),)))
    return examples


MEASURES = [RougeL(), Bleu(4), Distinct(2), SelfBleu(), Long()]


def outcome(measure, examples, runs: int = 1):
    return evaluate(over_runs(measure, runs), examples, Plan(resampling=SEED))


@pytest.mark.parametrize("dialogues", [False, True])
@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: type(measure).__name__)
def test_the_same_answers_are_equivalent_by_construction(measure, dialogues):
    a, b = (outcome(measure, said(name, dialogues=dialogues)) for name in ("pr", "main"))
    for margin in (None, 0.02):
        found = compare(a, b, SEED, margin=margin)
        assert (*found.difference[:3], found.largest) == (0.0, 0.0, 0.0, 0.0)
        assert (found.verdict, found.identical, found.absence, found.significant) == (
            "equivalent",
            True,
            None,
            False,
        )
        assert found.sentence == "pr and main are equivalent: identical on all 48 items."
        assert (found.more_items_low, found.more_items_high) == (0, 0)
        assert found.units == (12 if dialogues else 48)


@pytest.mark.parametrize("measure", [RougeL(), Distinct(2)], ids=lambda m: type(m).__name__)
def test_so_are_the_same_answers_in_several_runs(measure):
    a, b, other = (
        outcome(measure, repeated([said(name, run=run) for run in runs]), 3)
        for name, runs in (("pr", (0, 1, 2)), ("main", (0, 1, 2)), ("other", (0, 1, 3)))
    )
    same = compare(a, b, SEED)
    assert (*same.difference.bounds, same.verdict) == (0.0, 0.0, "equivalent")
    assert not compare(a, other, SEED).identical


def test_it_survives_many_tests_and_the_words_of_a_family():
    results = [evaluate(RougeL(), said(name, worse=worse)) for name, worse in (("a", 0), ("b", 0), ("c", 9))]
    first, *others = compare_all(results, SEED, margin=0.05)
    assert (first.identical, first.verdict, first.p_equivalence) == (True, "equivalent", 0.0)
    assert not any(pair.identical for pair in others)
    (alone,) = decide_families([dataclasses.replace(first, measure="rouge_l")])
    assert alone.verdict == "equivalent"


@pytest.mark.parametrize("measure", [RougeL(), Bleu(2)], ids=lambda m: type(m).__name__)
def test_one_other_answer_is_not_identical(measure):
    a, b = (outcome(measure, said(name, worse=worse)) for name, worse in (("pr", 1), ("main", 0)))
    found = compare(a, b, SEED)
    assert not found.identical
    assert found.difference.low < found.difference.value < found.difference.high


def test_equal_scores_of_other_answers_are_not_called_identical():
    """A measure that cannot tell them apart has seen nothing of what other items would show."""
    plain = said("main")
    other = [dataclasses.replace(e, system="pr", response=Response(e.response.text.upper())) for e in plain]
    a, b = evaluate(build("length"), other), evaluate(build("length"), plain)
    assert np.array_equal(a.rows, b.rows)
    found = compare(a, b, SEED)
    assert not found.identical
    assert found.verdict == "undecided"


def answered(system, *, worse=()):
    """48 answers in the words of no reference but some; b's words are others. The first ones lose a right word."""
    references = [" ".join(f"right{i}{word}" for word in "abcdefghij") for i in range(48)]
    for i, reference in enumerate(references):
        right = reference.split()[: 3 + i % 7 - (i in worse)]
        yield Example(f"{i}", system, (), Response(" ".join([*right, *[system] * (7 - i % 7)])), (reference,))


@pytest.mark.parametrize("measure", [RougeL(), Bleu(2)], ids=lambda m: type(m).__name__)
def test_answers_in_other_words_of_the_same_scores_have_no_wider_interval_than_with_one_worse(measure):
    """They had ±0.05 of ROUGE-L, and no interval of BLEU; with one slightly worse answer, a fifth of that."""
    main = evaluate(measure, list(answered("main")))
    same, worse = (
        compare(evaluate(measure, list(answered("pr", worse=places))), main, SEED) for places in ((), (3,))
    )
    assert (same.identical, same.difference.value, same.verdict) == (False, 0, "undecided")
    assert -0.02 < worse.difference.value < 0
    widths = [found.difference.high - found.difference.low for found in (same, worse)]
    assert 0 < widths[0] <= widths[1]
    assert worse.difference.low < same.difference.low < 0 < same.difference.high


def test_answers_that_are_not_known_are_not_called_the_same():
    a, b = (dataclasses.replace(evaluate(RougeL(), said(name)), answers=None) for name in ("pr", "main"))
    assert not compare(a, b, SEED).identical


def test_only_what_a_system_says_counts():
    one = Example("i", "a", (), Response("yes"), ("no",))
    assert hash_answer(one) == hash_answer(dataclasses.replace(one, system="b", references=("yes",)))
    assert hash_answer(one) != hash_answer(dataclasses.replace(one, response=Response("yes!")))
    assert hash_answer(one) == hash_answer(dataclasses.replace(one, response=Response(" yes\n")))
    assert hash_answer(Missing("i", "a", "no line")) == hash_answer(Missing("i", "b", "other"))
    assert hash_answer(object()) is None


def test_an_interval_that_excludes_0_beside_no_verdict_is_explained():
    """Four worse answers of 48: no choice of their signs is rarer than 1 in 8 in both directions."""
    found = compare(evaluate(RougeL(), said("main")), evaluate(RougeL(), said("pr", worse=4)), SEED)
    assert found.difference.low is not None
    assert found.difference.low > 0
    assert found.verdict == "undecided"
    assert "the test decides, and is less sure than the interval" in found.sentence
    pair, _ = decide_families(
        [dataclasses.replace(found, measure=measure) for measure in ("rouge_l", "other")]
    )
    assert "; its interval excludes 0, but is not corrected for the other tests, as p is." in pair.sentence
