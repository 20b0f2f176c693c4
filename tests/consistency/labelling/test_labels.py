"""The thesis's rules for three raters."""

from __future__ import annotations

import pytest

from dialeval.consistency.collecting.answers import ProbeAnswer
from dialeval.consistency.labelling.labels import TwoOrNone, qualified, questions_of, settle
from dialeval.data.types import Example, Judgement, Response, alternating
from dialeval.ratings.votes.rules import Unsettled


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
    found = TwoOrNone().label(tuple(map(float, votes)))
    assert (None if isinstance(found, Unsettled) else found) == label


def answers():
    context = alternating(["I like tea.", "Which tea?"])
    return [
        ProbeAnswer(Example(item, system, context, Response(f"{system} {item}")), 0)
        for item in ("p", "q")
        for system in ("x", "y")
    ]


def judged(item, place, votes):
    return [
        Judgement(item, f"false_{place}", rater, "contradiction", float(vote))
        for rater, vote in zip("abc", votes, strict=True)
    ]


def test_answers_of_systems_are_candidates_of_their_probe():
    questions = questions_of(answers())
    assert [question.item for question in questions] == ["p", "q"]
    assert [candidate.text for candidate in questions[0].candidates] == ["x p", "y p"]


def test_labels_go_to_the_systems_whose_answers_were_judged():
    labels = settle(answers(), [*judged("p", 1, "110"), *judged("p", 2, "000"), *judged("q", 2, "100")])
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
    given = [Judgement("p", "false_1", rater, "contradiction", 1.0) for rater in ("good", "bad", "unknown")]
    kept, failed = qualified(given, test)
    assert [judgement.rater for judgement in kept] == ["good"]
    assert failed == ["bad", "unknown"]
