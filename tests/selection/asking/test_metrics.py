"""Accuracy, reciprocal ranks, hits and consistency by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.core import Missing, Resampling, Signature
from dialeval.data import Candidate, Question
from dialeval.data.choices import Choice
from dialeval.evaluation.compare import compare
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.selection.asking.metrics import HitsAt, ReciprocalRank, SelectionAccuracy, SelectionConsistency
from support.choosing_systems import question

METRICS = (SelectionAccuracy(), ReciprocalRank(), HitsAt(2), HitsAt(3), SelectionConsistency("mean"))


def choice(item, *scores, system="s"):
    """The first candidate is the right one."""
    false = [f"f{at}" for at in range(1, len(scores))]
    return Choice(question(item, "right", false=false), system, tuple(map(float, scores)))


CHOICES = [
    choice("first", -1, -2, -3, -4),
    choice("second", -2, -1, -3, -4),
    choice("tied", -1, -1, -3, -4),
    choice("last", -4, -1, -2, -3),
]


@pytest.mark.parametrize(
    ("metric", "score"),
    [
        (SelectionAccuracy(), 1 / 4),
        (ReciprocalRank(), (1 + 1 / 2 + 1 / 2 + 1 / 4) / 4),
        (HitsAt(2), 3 / 4),
        (HitsAt(4), 1.0),
    ],
)
def test_scores_by_hand(metric, score):
    assert evaluate(metric, CHOICES).score == pytest.approx(score)


def test_hits_at_one_are_accuracy():
    first, second = evaluate(HitsAt(1), CHOICES), evaluate(SelectionAccuracy(), CHOICES)
    assert first.values.tolist() == second.values.tolist()


@pytest.mark.parametrize("metric", METRICS)
def test_normalisation_and_ties_are_in_the_signature(metric):
    signature = metric.signature
    assert Signature.parse(str(signature)) == signature
    assert dict(signature.parameters)["normalise"] == metric.normalise
    assert "ties=against_the_system" in str(signature)


@given(st.lists(st.lists(st.integers(-3, 0), min_size=2, max_size=5), min_size=1, max_size=8))
def test_batches_change_nothing_and_ranks_are_bounded(scores):
    choices = [choice(str(at), *row) for at, row in enumerate(scores)]
    for metric in METRICS:
        rows = metric.statistics(choices)
        apart = np.concatenate([metric.statistics([one]) for one in choices])
        assert rows.tolist() == apart.tolist()
        assert ((rows[:, 0] >= 0) & (rows[:, 0] <= 1)).all()
    accuracy, mrr = (
        evaluate(one, choices, Plan(resampling=Resampling(resamples=0))).score
        for one in (SelectionAccuracy(), ReciprocalRank())
    )
    assert accuracy <= mrr


@pytest.mark.parametrize("metric", [SelectionAccuracy(), ReciprocalRank(), HitsAt(2)])
def test_what_cannot_be_chosen_is_unscored_with_its_reason(metric):
    nothing_right = Choice(Question("a", (), (Candidate("x", False),)), "s", (0.0,))
    nothing_false = Choice(Question("b", (), (Candidate("x", True),)), "s", (0.0,))
    undefined = choice("c", float("nan"), -1)
    found = evaluate(metric, [nothing_right, nothing_false, undefined, Missing("d", "s", "why"), CHOICES[0]])
    assert dict(found.reasons) == {
        0: "the question has no correct candidate",
        1: "the question has no false candidate",
        2: "a candidate's score is not a number",
        3: "why",
    }
    assert (found.score, found.scored) == (1.0, 1)


def test_consistency_counts_questions_about_contradictions_alone():
    pair = question("c", "yes", false=["no"], errors=["contradictory"])
    mixed = question("m", "yes", false=["no", "tea"], errors=["contradictory", "irrelevant"])
    bare = question("b", "yes", false=["no"])
    choices = [
        Choice(pair, "s", (-1.0, -2.0)),
        Choice(mixed, "s", (-1.0, -2.0, -2.0)),
        Choice(bare, "s", (-1.0, -2.0)),
    ]
    found = evaluate(SelectionConsistency(), choices)
    assert found.score == 1
    assert list(found.reasons.values()) == [
        "a false candidate is not labelled 'contradictory' (irrelevant)",
        "a false candidate is not labelled 'contradictory' (no label)",
    ]


def test_two_systems_are_compared_by_mcnemar():
    a = [choice(str(at), 0, -1, system="a") for at in range(12)]
    b = [choice(str(at), 0, -1 if at < 4 else 1, system="b") for at in range(12)]
    found = compare(evaluate(SelectionAccuracy(), a), evaluate(SelectionAccuracy(), b))
    assert found.p_mcnemar == pytest.approx(2 / 2**8)  # eight questions that only a gets right
    assert found.better == "a"
