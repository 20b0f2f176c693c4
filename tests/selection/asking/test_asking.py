"""Choices of several systems over the same questions: scores, ties, and what is wrong with what they choose."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import Missing
from dialeval.data import Candidate
from dialeval.errors import Unsuitable
from dialeval.evaluation.runner import evaluate
from dialeval.selection.asking.choices import chance, choose
from dialeval.selection.asking.choosers import TfIdfChooser
from dialeval.selection.asking.metrics import HitsAt, SelectionAccuracy, error_labels, only_against
from dialeval.selection.asking.questions import narrowed
from dialeval.selection.measure import selection_accuracy
from support.choosing_systems import Noisy, Table, question, town_questions


def accuracy(system, questions):
    return evaluate(SelectionAccuracy(), choose(system, questions))


def test_the_better_system_chooses_better():
    asked = town_questions(60)
    good, poor = (accuracy(Noisy(name, skill), asked) for name, skill in (("good", 3), ("poor", 0.2)))
    assert good.score > 0.8 > 0.5 > poor.score
    tfidf = accuracy(TfIdfChooser().fit(asked), asked)
    assert tfidf.score == 1  # only the right answer shares its town with the context
    assert good.estimate.low <= good.score <= good.estimate.high
    assert good.score <= evaluate(HitsAt(2), choose(Noisy("good", 3), asked)).score


def test_ties_and_unscored_questions_are_counted():
    known = {"a": -1.0, "b": -1.0, "c": -2.0}
    asked = [
        question("tie", "a", false=["b"]),
        question("right", "a", false=["c"]),
        question("unknown", "a", false=["?"]),
        question("empty", "a"),
    ]
    choices = choose(Table("t", known), asked)
    found = evaluate(SelectionAccuracy(), choices)
    assert [choice.tied for choice in choices[:2]] == [True, False]
    assert found.score == 0.5
    assert (found.scored, len(found)) == (2, 4)
    assert choices[2] == Missing("unknown", "t", "t does not know '?'")
    assert choices[3] == Missing("empty", "t", "the question has no false candidate")


def test_questions_are_checked_before_any_system_is_asked():
    with pytest.raises(Unsuitable, match="No questions to ask"):
        narrowed([])
    twice = [*town_questions(4), *town_questions(4)]
    with pytest.raises(Unsuitable, match=r"4 ids are used several times \(first: 'q0'\)"):
        narrowed(twice)


def test_chance_is_the_mean_share_of_right_candidates_where_there_is_a_choice():
    asked = [question("a", "x", false=["y"]), question("b", "x", "z", false=["y", "w", "v"])]
    assert chance(asked) == 0.45
    assert chance([*asked, question("c", "x"), question("d", false=["y"])]) == 0.45
    assert np.isnan(chance([]))


LABELLED = [
    question("a", "r", false=["s", "t"], errors=["wrong_tense", "wrong_subject"]),
    question("b", "r", false=["s", "t"], errors=["wrong_tense", "wrong_subject"]),
    question("c", "r", false=["t"], errors=[None]),
]


def test_errors_are_counted_and_broken_down_by_what_is_wrong():
    choices = choose(Table("t", {"r": -2.0, "s": -1.0, "t": -3.0}), LABELLED)
    tense, subject, none = error_labels(choices)
    assert (tense.label, tense.candidates, tense.chosen) == ("wrong_tense", 2, 2)
    assert [quoted.id for quoted in tense.examples] == ["a", "b"]
    assert (subject.label, subject.chosen) == ("wrong_subject", 0)
    assert (none.label, none.candidates, none.chance) == (None, 1, 0.5)
    parts = {
        part.keys: evaluate(part.metric, part.subjects) for part in selection_accuracy().breakdowns(choices)
    }
    assert {keys[0][1]: (found.score, found.scored) for keys, found in parts.items()} == {
        "wrong_tense": (0.0, 2),
        "wrong_subject": (1.0, 2),
        "unlabelled": (1.0, 1),
    }


def test_there_is_no_breakdown_without_labels():
    choices = choose(Noisy("good", 3), town_questions(4))
    assert error_labels(choices) == error_labels([]) == ()
    assert list(selection_accuracy().breakdowns(choices)) == []


def test_a_choice_among_fewer_candidates_keeps_their_scores():
    (choice,) = choose(Table("t", {"r": -2.0, "s": -1.0, "t": -3.0}), LABELLED[:1])
    less = only_against(choice, "wrong_subject")
    assert less.scores == (-2.0, -3.0)
    assert less.question.candidates == (Candidate("r", True), Candidate("t", False, "wrong_subject"))
    assert only_against(choice, "irrelevant") is None
