"""Votes become labels, or the reason why not; rules and steps compose."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from dialeval.data.types import Judgement
from dialeval.ratings.scale import Cut
from dialeval.ratings.table import Ratings, read_judgements
from dialeval.ratings.votes import (
    AtLeast,
    Collapse,
    Count,
    DropIf,
    Else,
    Fewer,
    Majority,
    Mean,
    Median,
    Spread,
    Then,
    Unanimous,
    Unsettled,
    aggregate,
)
from support.rating_tables import table

RULES = [Majority(), AtLeast(2), Unanimous(), Mean(), Median()]


@pytest.mark.parametrize(
    ("rule", "votes", "label"),
    [
        (Majority(), (1, 1, 2), 1),
        (Majority(), (1, 1, 2, 2), "no value has 3 of 4 votes"),
        (Majority(), (1, 1, 2, 3), "no value has 3 of 4 votes"),
        (AtLeast(3), (1, 1, 1, 2, 2), 1),
        (AtLeast(2), (1, 1, 2, 2), "1 and 2 have 2 votes or more each"),
        (AtLeast(3, of=5), (1, 1, 1, 1), "4 votes, not 5"),
        (AtLeast(3, of=5), (1, 1, 1, 2, 3), 1),
        (Unanimous(), (4, 4), 4),
        (Unanimous(), (4, 5), "votes for 4 and 5"),
        (Mean(), (1, 2, 6), 3),
        (Median(), (1, 2, 6), 2),
        (Median(), (1, 2), 1.5),
        (Else(Majority(), Mean()), (1, 2), 1.5),
        (Else(Majority(), Mean()), (1, 1, 2), 1),
        (Else(Majority(), Unanimous()), (1, 2), "votes for 1 and 2"),
        (Then(DropIf(Fewer(3)), Mean()), (1, 2), "dropped: fewer than 3 votes"),
        (Then(DropIf(Fewer(3)), Mean()), (1, 2, 3), 2),
        (Then(DropIf(Count(Cut("=", 0), at_least=2)), Mean()), (0, 0, 5), "dropped: 2 votes or more are =0"),
        (Then(DropIf(Count(Cut("=", 0), at_least=2)), Mean()), (0, 1, 5), 2),
        (Then(DropIf(Spread(2)), Median()), (1, 4), "dropped: votes are more than 2 apart"),
        (Then(DropIf(Spread(2)), Median()), (1, 3), 2),
        (Then(Collapse(Cut(">", 3)), Majority()), (4, 5, 1), 1),
    ],
)
def test_labels_by_hand(rule, votes, label):
    found = rule.label(tuple(map(float, votes)))
    assert found == (Unsettled(label) if isinstance(label, str) else label)


@pytest.mark.parametrize("rule", RULES)
def test_no_votes_settle_nothing(rule):
    assert isinstance(rule.label(()), Unsettled)


@pytest.mark.parametrize("rule", RULES)
@given(votes=st.lists(st.integers(0, 3).map(float), min_size=1, max_size=7), seed=st.randoms())
def test_the_order_of_votes_changes_nothing(rule, votes, seed):
    shuffled = list(votes)
    seed.shuffle(shuffled)
    assert rule.label(tuple(votes)) == rule.label(tuple(shuffled))


@given(st.lists(st.integers(0, 3).map(float), min_size=1, max_size=9))
def test_stricter_rules_agree_with_laxer_ones_where_they_settle(votes):
    labels = [rule.label(tuple(votes)) for rule in (Unanimous(), Majority())]
    settled = [label for label in labels if not isinstance(label, Unsettled)]
    assert len(set(settled)) <= 1
    assert [isinstance(label, Unsettled) for label in labels] == sorted(
        (isinstance(label, Unsettled) for label in labels), reverse=True
    )


@pytest.mark.parametrize(("k", "of"), [(0, None), (3, 2)])
def test_impossible_numbers_of_votes_are_refused(k, of):
    with pytest.raises(ValueError, match="cannot be asked for"):
        AtLeast(k, of=of)


def test_labels_are_judgements_of_the_rule():
    ratings = table({"ana": [1, 2, None], "ben": [1, 3, None], "cleo": [2, 4, None]})
    first, second, third = aggregate(ratings, "fluency", Majority())
    assert (first.item, first.system, first.rater, first.criterion) == ("q1", "bot", "Majority()", "fluency")
    assert (first.value, first.reason) == (1.0, None)
    assert (second.value, second.reason) == (None, "no value has 2 of 3 votes")
    assert (third.value, third.reason) == (None, "there are no votes")


def test_the_published_filter_of_response_selection_holds(shared_data):
    # Sato et al. (2020, section 3.1) with scores as released: no false candidate is dropped, and no ground truth.
    path = shared_data / "eval-via-selection" / "human_scores.jsonl"
    ratings = read_judgements([path], format="eval-via-selection")
    too_good, broken = (DropIf(Count(Cut(*cut), at_least=3)) for cut in ((">=", 3.0), ("=", 0.0)))
    false = Then(too_good, Then(broken, Mean()))
    true = Then(DropIf(Count(Cut("<=", 3.0), at_least=3)), Mean())
    systems = {"ground_truth": true, **dict.fromkeys(("false_1", "false_2", "false_3"), false)}
    for system, rule in systems.items():
        labels = aggregate(ratings.by(systems=[system]), "acceptability", rule)
        assert Counter(label.reason for label in labels) == {None: 1019}


def test_many_raters_of_few_units_each_are_no_table():
    # A table of 40,000 units by 20,000 raters would take 6 GB.
    many = Ratings.of(
        Judgement(f"q{2 * (at // 3) + two}", "bot", f"r{at}", "fluency", float(at % 3 + 1))
        for at in range(60_000)
        for two in (0, 1)
    )
    found = aggregate(many, "fluency", Mean())
    assert len(found) == 40_000
    assert {one.value for one in found} == {2.0}
    assert [one.item for one in found[:4]] == ["q0", "q1", "q2", "q3"]


def test_votes_of_units_stand_in_order_of_first_sight_and_silence_is_no_vote():
    answers = {"ana": [None, 2, "-"], "ben": [None, 3, 5]}
    found = aggregate(table(answers), "fluency", Mean())
    assert [(one.item, one.value, one.reason) for one in found] == [
        ("q1", None, "there are no votes"),
        ("q2", 2.5, None),
        ("q3", 5.0, None),
    ]
