"""Several systems over the same questions: scores, tests, refusals, and what is wrong with what they choose."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dialeval.core import Interval, Missing, Resampling
from dialeval.data import Candidate
from dialeval.errors import Unsuitable
from dialeval.evaluation.runner import Plan
from dialeval.selection.asking.asking import ask
from dialeval.selection.asking.choosers import TfIdfChooser
from dialeval.selection.asking.choosing import chance
from dialeval.selection.asking.metrics import labelled_errors, only_against
from dialeval.systems.baselines import Echo
from support.choosing_systems import Noisy, Table, question, town_questions

PLAN = Plan(resampling=Resampling(resamples=200, seed=3))


def test_the_better_system_is_found_better():
    found = ask([Noisy("good", 3), Noisy("poor", 0.2), TfIdfChooser()], town_questions(60), plan=PLAN)
    good, poor, tfidf = found.answered
    assert [one.system for one in found.answered] == ["good", "poor", "tfidf"]
    assert good.accuracy.score > 0.8 > 0.5 > poor.accuracy.score
    assert tfidf.accuracy.score == 1  # only the right answer shares its town with the context
    assert good.accuracy.interval.low <= good.accuracy.score <= good.accuracy.interval.high
    assert good.accuracy.score <= good.hits[2].score
    (pair,) = [one for one in found.comparisons if {one.a, one.b} == {"good", "poor"}]
    assert pair.better == "good"
    assert pair.p_mcnemar is not None


def test_a_system_that_cannot_choose_does_not_stop_the_others():
    class Broken(Noisy):
        def logprob(self, contexts, responses):
            raise RuntimeError("out of memory")

    found = ask([Echo("echo"), Broken("broken", 1), Noisy("good", 3)], town_questions(8), plan=PLAN)
    assert [one.system for one in found.answered] == ["good"]
    assert [one.system for one in found.refused] == ["echo", "broken"]
    assert "has no log-probabilities" in found.refused[0].message
    assert found.refused[1].message == "RuntimeError: out of memory"
    assert found.comparisons == ()


def test_ties_and_unscored_questions_are_counted():
    known = {"a": -1.0, "b": -1.0, "c": -2.0}
    asked = [
        question("tie", "a", false=["b"]),
        question("right", "a", false=["c"]),
        question("unknown", "a", false=["?"]),
        question("empty", "a"),
    ]
    (answer,) = ask([Table("t", known)], asked, plan=PLAN).answered
    assert answer.ties == 1
    assert answer.accuracy.score == 0.5
    assert (answer.accuracy.scored, len(answer.accuracy)) == (2, 4)
    assert answer.choices[2] == Missing("unknown", "t", "t does not know '?'")
    assert answer.choices[3] == Missing("empty", "t", "the question has no false candidate")


def test_questions_are_checked_before_any_system_is_asked():
    with pytest.raises(Unsuitable, match="No questions to ask"):
        ask([Noisy("good", 1)], [])
    twice = [*town_questions(4), *town_questions(4)]
    with pytest.raises(Unsuitable, match=r"4 ids are used several times \(first: 'q0'\)"):
        ask([Noisy("good", 1)], twice)


def test_second_questions_on_one_context_can_be_resampled_together():
    asked = town_questions(20)
    asked += [dataclasses.replace(one, item=f"{one.item}/2") for one in asked]
    alone, together = (
        ask([Noisy("fair", 1)], asked, plan=Plan(resampling=Resampling(resamples=300, cluster=cluster)))
        .answered[0]
        .accuracy
        for cluster in ("none", "dialogue")
    )
    assert _width(together.interval) > 1.2 * _width(alone.interval)


def test_questions_of_one_context_are_resampled_together_unless_told_otherwise():
    """Their ids do not show it; before, they counted as independent."""
    asked = town_questions(20)
    asked += [dataclasses.replace(one, item=f"again {one.item}") for one in asked]
    by_default = ask([Noisy("fair", 1)], asked).answered[0].accuracy
    settings = Resampling(cluster="none")
    alone = ask([Noisy("fair", 1)], asked, plan=Plan(resampling=settings)).answered[0].accuracy
    assert _width(by_default.interval) > 1.2 * _width(alone.interval)


def _width(interval: Interval | None) -> float:
    assert interval is not None
    return interval.high - interval.low


def test_intervals_of_a_label_alone_obey_cluster_and_level_too():
    asked = [
        dataclasses.replace(
            one,
            candidates=tuple(c if c.correct else dataclasses.replace(c, error="odd") for c in one.candidates),
        )
        for one in town_questions(20)
    ]
    asked += [dataclasses.replace(one, item=f"{one.item}/2") for one in asked]
    plain, together, wide = (
        (label := ask([Noisy("fair", 1)], asked, plan=plan).answered[0].errors[0]).high - label.low
        for plan in (
            Plan(resampling=Resampling(resamples=300, cluster="none")),
            Plan(resampling=Resampling(resamples=300, cluster="dialogue")),
            Plan(resampling=Resampling(resamples=300, confidence=0.999, cluster="none")),
        )
    )
    assert together > 1.2 * plain
    assert wide > 1.2 * plain


def test_the_signature_tells_the_questions_a_chooser_was_fitted_to():
    first, second = (ask([TfIdfChooser()], town_questions(n), plan=PLAN).answered[0] for n in (4, 5))
    assert first.signature == str(TfIdfChooser().fit(town_questions(4)).signature)
    assert first.signature != second.signature


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


def test_errors_are_broken_down_by_what_is_wrong():
    table = Table("t", {"r": -2.0, "s": -1.0, "t": -3.0})
    (answer,) = ask([table], LABELLED, plan=PLAN).answered
    tense, subject, none = answer.errors
    assert (tense.label, tense.candidates, tense.chosen) == ("wrong_tense", 2, 2)
    assert [quoted.id for quoted in tense.examples] == ["a", "b"]
    assert (tense.alone, tense.questions) == (0.0, 2)
    assert (subject.label, subject.chosen, subject.alone) == ("wrong_subject", 0, 1.0)
    assert (none.label, none.candidates, none.alone) == (None, 1, 1.0)


def test_there_is_no_breakdown_without_labels():
    assert ask([Noisy("good", 3)], town_questions(4), plan=PLAN).answered[0].errors == ()
    assert labelled_errors([]) == ()


def test_a_choice_among_fewer_candidates_keeps_their_scores():
    (answer,) = ask([Table("t", {"r": -2.0, "s": -1.0, "t": -3.0})], LABELLED[:1], plan=PLAN).answered
    less = only_against(answer.choices[0], "wrong_subject")
    assert less.scores == (-2.0, -3.0)
    assert less.question.candidates == (Candidate("r", True), Candidate("t", False, "wrong_subject"))
    assert only_against(answer.choices[0], "irrelevant") is None
