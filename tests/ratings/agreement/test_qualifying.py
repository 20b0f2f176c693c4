"""Who passes a qualification test."""

from __future__ import annotations

import math

import pytest
from sklearn.metrics import cohen_kappa_score

from dialeval.errors import Unsuitable
from dialeval.ratings.agreement.qualifying import Qualification, gold_answers, qualify
from dialeval.ratings.table import Unit
from support.rating_tables import table

GOLD = [1, 2, 3, 4, 5]
ANSWERS = {
    "gold": GOLD,
    "ana": [1, 2, 3, 4, 4],
    "ben": [5, 4, 3, 2, 1],
    "cleo": [1, "-", "-", "-", "-"],
    "dan": ["-", "-", "-", "-", "-", 3],
    "eve": [2, 3, 4, 5, None],
}


@pytest.fixture
def ratings():
    return table(ANSWERS)


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
    assert found["ana"].kappa.value == pytest.approx(cohen_kappa_score(ANSWERS["ana"], GOLD))
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
