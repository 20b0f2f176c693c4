"""The thesis's rules for three raters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dialeval.consistency.collecting.answers import ProbeAnswer
from dialeval.consistency.labelling.labels import Rule, qualified, settle, utterances_of_answers
from dialeval.data.types import Example, Judgement, Response, alternating
from dialeval.ratings.votes import Unsettled


@pytest.mark.parametrize(
    ("votes", "label"),
    [
        ((1, 1, 1), 1.0),
        ((1, 1, 0), 1.0),
        ((0, 0, 0), 0.0),
        ((1, 0, 0), None),
        ((0, 0), None),
        ((1, 1), 1.0),
        ((), None),
    ],
)
def test_two_say_contradictory_or_all_say_consistent(votes, label):
    found = Rule().label(tuple(map(float, votes)))
    assert (None if isinstance(found, Unsettled) else found) == label


def answers():
    context = alternating(["I like tea.", "Which tea?"])
    return [
        ProbeAnswer(Example(item, system, context, Response(f"{system} {item}")), 0)
        for item in ("p", "q")
        for system in ("x", "y")
    ]


def judged(item, system, votes):
    return [
        Judgement(item, system, rater, "contradiction", float(vote))
        for rater, vote in zip("abc", votes, strict=True)
    ]


def test_raters_judge_each_answer_under_its_probe_and_system_with_the_referent_marked():
    asked = utterances_of_answers(answers())
    assert [(said.item, said.system, said.text) for said in asked[:3]] == [
        ("p", "x", "x p"),
        ("p", "y", "y p"),
        ("q", "x", "x q"),
    ]
    assert {said.marked for said in asked} == {0}


def test_one_answer_in_two_draws_is_judged_once_and_a_second_text_by_itself():
    first = answers()[0]
    twice = replace(first, draw="random")
    other = replace(first, example=replace(first.example, response=Response("other")))
    asked = utterances_of_answers([first, twice, other])
    assert [(said.system, said.text) for said in asked] == [("x", "x p"), ("x (2)", "other")]
    labels = settle([first, twice, other], [*judged("p", "x", "110"), *judged("p", "x (2)", "000")])
    assert [(each.draw, each.label) for each in labels.answers] == [
        ("top", "contradiction"),
        ("random", "contradiction"),
        ("top", "consistent"),
    ]


def test_labels_go_to_the_systems_whose_answers_were_judged():
    labels = settle(answers(), [*judged("p", "x", "110"), *judged("p", "y", "000"), *judged("q", "y", "100")])
    assert [(each.id, each.system, each.label, each.votes) for each in labels.answers] == [
        ("p", "x", "contradiction", 2),
        ("p", "y", "consistent", 0),
        ("q", "y", "ambiguous", 1),
    ]
    assert labels.counts == {"contradiction": 1, "consistent": 1, "ambiguous": 1}
    # By hand: agreement (1/3 + 1 + 1/3) / 3 = 5/9; shares 6/9 and 3/9, chance 5/9; kappa 0.
    assert labels.kappa.value == pytest.approx(0, abs=1e-12)


def test_raters_with_two_wrong_of_21_do_not_qualify():
    truth = [float(number % 2) for number in range(21)]

    def test_of(rater, wrong):
        return [
            Judgement(f"t{number}", "", rater, "contradiction", 1 - value if number < wrong else value)
            for number, value in enumerate(truth)
        ]

    test = [*test_of("gold", 0), *test_of("good", 1), *test_of("bad", 2)]
    given = [Judgement("p", "x", rater, "contradiction", 1.0) for rater in ("good", "bad", "unknown")]
    kept, failed = qualified(given, test)
    assert [judgement.rater for judgement in kept] == ["good"]
    assert failed == ["bad", "unknown"]
