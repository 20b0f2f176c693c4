"""Kappas of single raters, and qualification tests."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.metrics import cohen_kappa_score

from dialeval.display.notes import codes, texts
from dialeval.errors import Unsuitable
from dialeval.ratings import raters as module
from dialeval.ratings.raters import (
    KappaTable,
    Qualification,
    gold_answers,
    pairwise_kappas,
    qualify,
    rater_agreements,
)
from dialeval.ratings.table import Unit
from support.rating_tables import table

ANSWERS = {
    "ana": [1, 2, 3, 1, 2, 3, 1, 2],
    "ben": [1, 2, 3, 1, 2, 3, 1, 3],
    "cleo": [3, 2, 1, 2, 2, 2, 3, 1],
    "dan": ["-"] * 8 + [1, 2],
    "eve": [2, 2, 2, 2, 2, 2, None, None],
}


def test_every_pair_has_the_kappa_that_scikit_learn_gives():
    found = pairwise_kappas(table(ANSWERS), "fluency")
    pairs = {(pair.a, pair.b): pair for pair in found.pairs}
    assert set(pairs) == set(combinations(["ana", "ben", "cleo", "eve"], 2))
    for (a, b), pair in pairs.items():
        both = [(x, y) for x, y in zip(ANSWERS[a], ANSWERS[b], strict=True) if x and y]
        assert pair.n == len(both)
        assert pair.kappa == pytest.approx(cohen_kappa_score(*zip(*both, strict=True)))
        assert pair.equal == pytest.approx(sum(x == y for x, y in both) / len(both))


def test_pairs_are_counted_above_each_threshold_and_not_at_it():
    nan = math.nan
    kappa = np.array([[nan, 0.1, 0.35], [0.1, nan, 0.61], [0.35, 0.61, nan]])
    found = KappaTable(("a", "b", "c"), kappa, np.full((3, 3), 9), np.full((3, 3), 6))
    assert dict(found.exceeding) == {0.1: 2, 0.2: 2, 0.3: 2, 0.4: 1, 0.5: 1, 0.6: 1}
    assert found.means == pytest.approx([0.225, 0.355, 0.48])
    assert found.without("b").pairs == (("a", "c", 0.35, 9, 6 / 9),)


@given(st.lists(st.lists(st.integers(1, 3), min_size=6, max_size=6), min_size=2, max_size=5))
def test_the_order_of_raters_changes_no_kappa(rows):
    forward = {f"r{at}": row for at, row in enumerate(rows)}
    backward = dict(reversed(forward.items()))
    first, second = (pairwise_kappas(table(answers), "fluency") for answers in (forward, backward))
    assert {frozenset(pair[:2]): pair.kappa for pair in first.pairs} == pytest.approx(
        {frozenset(pair[:2]): pair.kappa for pair in second.pairs}
    )
    assert list(first.exceeding.values()) == sorted(first.exceeding.values(), reverse=True)


def test_each_rater_is_described():
    ratings = table(ANSWERS)
    found = {one.rater: one for one in rater_agreements(ratings, pairwise_kappas(ratings, "fluency"))}
    assert (found["ana"].ratings, found["ana"].mean, found["ana"].others) == (8, 15 / 8, 3)
    assert found["ben"].flags == ()
    assert codes(found["cleo"].flags) == ("chance",)
    assert codes(found["dan"].flags) == ("alone",)
    assert math.isnan(found["dan"].mean_kappa)
    assert (found["eve"].ratings, found["eve"].could_not_say) == (6, 2)
    assert texts(found["eve"].flags) == (
        "always answers 2",
        "agrees with the others no better than chance",
    )


def test_a_rater_without_a_value_is_flagged():
    ratings = table({"ana": [1, 2], "ben": [None, None]})
    ben = rater_agreements(ratings, pairwise_kappas(ratings, "fluency"))[1]
    assert codes(ben.flags) == ("no_value",)
    assert math.isnan(ben.mean)


def test_measurements_have_no_kappa():
    many = table({"ana": [at / 7 for at in range(300)], "ben": [at / 7 for at in range(300)]})
    with pytest.raises(
        Unsuitable, match="no pairwise kappas of 'fluency': 300 different values are measurements"
    ):
        pairwise_kappas(many, "fluency")


def test_a_table_that_would_not_fit_is_not_made(monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 10)
    with pytest.raises(Unsuitable, match="a table of 50 cells"):
        pairwise_kappas(table(ANSWERS), "fluency")


def test_positions_have_no_kappa():
    with pytest.raises(Unsuitable, match=r"no pairwise kappas of 'fluency': raters are positions in a list"):
        pairwise_kappas(table({"#1": [1, 2, 3], "#2": [1, 2, 2]}), "fluency")


def test_names_of_categories_have_no_mean():
    ratings = replace(table({"ana": [1, 2], "ben": [1, 2]}), nominal=frozenset({"fluency"}))
    assert [math.isnan(rater.mean) for rater in rater_agreements(ratings, None)] == [True, True]


GOLD = [1, 2, 3, 4, 5]
KNOWN_ANSWERS = {
    "gold": GOLD,
    "ana": [1, 2, 3, 4, 4],
    "ben": [5, 4, 3, 2, 1],
    "cleo": [1, "-", "-", "-", "-"],
    "dan": ["-", "-", "-", "-", "-", 3],
    "eve": [2, 3, 4, 5, None],
}


@pytest.fixture
def ratings():
    return table(KNOWN_ANSWERS)


def results(ratings, test):
    gold = gold_answers(ratings, "fluency", "gold")
    return {one.rater: one for one in qualify(ratings, "fluency", gold, test).candidates}


def test_accuracy_decides(ratings):
    found = results(ratings, Qualification(accuracy=0.8))
    assert found["ana"].passed
    assert (found["ana"].answered, found["ana"].right, found["ana"].accuracy) == (5, 4, 0.8)
    assert found["ben"].failures == ("accuracy 0.200 is below 0.8",)
    assert found["cleo"].passed
    assert found["dan"].failures == ("answered 0 of at least 1",)
    assert math.isnan(found["dan"].accuracy)
    assert found["eve"].failures == ("accuracy 0.000 is below 0.8",)


def test_enough_answers_may_be_asked_for_and_near_ones_allowed(ratings):
    found = results(ratings, Qualification(accuracy=0.8, answers=4, within=1))
    assert found["cleo"].failures == ("answered 1 of at least 4",)
    assert found["eve"].passed
    assert found["eve"].answered == 4


def test_kappa_decides(ratings):
    found = results(ratings, Qualification(kappa=0.5))
    assert found["ana"].kappa.value == pytest.approx(cohen_kappa_score(KNOWN_ANSWERS["ana"], GOLD))
    assert found["ana"].passed
    assert found["ben"].failures[0].startswith("kappa ")
    assert found["ben"].failures[0].endswith("is below 0.5")
    assert found["cleo"].failures == ("kappa is undefined: both raters always chose one category (1)",)


def test_those_who_passed_can_go_on(ratings):
    gold = gold_answers(ratings, "fluency", "gold")
    passed = qualify(ratings, "fluency", gold, Qualification(accuracy=0.8)).passed
    assert passed == ("gold", "ana", "cleo")
    assert ratings.by(raters=passed).raters == passed


def test_known_answers_must_be_of_rated_items(ratings):
    with pytest.raises(Unsuitable, match="None of the 1 known answers is for an item that was rated"):
        qualify(ratings, "fluency", {Unit("q1", "other"): 1.0}, Qualification(accuracy=0.5))


def test_the_truth_must_be_there(ratings):
    with pytest.raises(Unsuitable, match="no answer of 'expert' for 'fluency'"):
        gold_answers(ratings, "fluency", "expert")


def test_a_test_must_ask_for_something():
    with pytest.raises(Unsuitable, match="least accuracy, a least kappa, or both"):
        Qualification()
