"""Two of three raters, and two-candidate questions of what they call contradictory."""

from __future__ import annotations

import pytest

from dialeval.annotation.items import utterances_of
from dialeval.data import Candidate, Judgement, Question
from dialeval.selection.labelling.labelling import ERROR_CLASSES, consistency_subset, settle_labels
from support.drafts import question


def labelled(item: str, **votes: str) -> list[Judgement]:
    """Judgements from letters: c, i and o of each candidate's raters."""
    values = {"c": 1.0, "i": 2.0, "o": 3.0, "x": 9.0}
    return [
        Judgement(item, name, f"r{place}", "error_class", values[letter])
        for name, letters in votes.items()
        for place, letter in enumerate(letters)
    ]


def test_two_of_three_make_a_question_and_others_do_not():
    draft = question("q", 4)
    votes = labelled("q", false_1="cci", false_2="cio", false_3="iic", false_4="ccc")
    subset = consistency_subset([draft], votes)
    assert [one.item for one in subset.questions] == ["q/false_1", "q/false_4"]
    for one, text in zip(subset.questions, ("Minute 1, q.", "Minute 4, q."), strict=True):
        assert one.context == draft.context
        assert {(c.text, c.correct, c.error) for c in one.candidates} == {
            ("In ten minutes.", True, None),
            (text, False, "contradictory"),
        }
    assert subset.labelled.counts == {"contradictory": 2, "irrelevant": 1, "other": 0}
    assert [(one.candidate, one.votes) for one in subset.labelled.undecided] == [
        ("false_2", ("contradictory", "irrelevant", "other"))
    ]


def test_a_single_vote_is_too_few_and_an_unasked_candidate_is_counted():
    draft = question("q", 3)
    subset = consistency_subset([draft], labelled("q", false_1="c", false_2="cx"))
    assert subset.questions == ()
    assert subset.labelled.unasked == 1
    assert len(subset.labelled.undecided) == 2
    assert [one.fault for one in subset.labelled.unusable] == ["not an answer of the form"]


def test_only_these_votes_count_not_what_a_file_said_before():
    said = Candidate("Never.", correct=False, error="contradictory")
    draft = Question("q", (), (Candidate("Now.", correct=True), said))
    assert consistency_subset([draft], []).questions == ()


def test_a_question_with_several_truths_is_named():
    truths = (Candidate("Now.", correct=True), Candidate("Soon.", correct=True))
    draft = Question("q", (), (*truths, Candidate("Never.", correct=False)))
    subset = consistency_subset([draft], labelled("q", false_1="cc"))
    assert (subset.questions, subset.several_truths) == ((), ("q",))


def test_status_is_inherited_and_the_order_follows_the_seed():
    draft = Question("q", (), question("q", 30).candidates, "vetted")
    votes = labelled("q", **{f"false_{n}": "ccc" for n in range(1, 31)})
    subset = consistency_subset([draft], votes, seed=1)
    assert {one.status for one in subset.questions} == {"vetted"}
    assert {one.candidates[0].correct for one in subset.questions} == {True, False}
    assert consistency_subset([draft], votes, seed=2).questions != subset.questions


def test_a_tie_is_no_agreement_and_a_label_takes_the_place_of_a_guess():
    guessed = Candidate("Never.", correct=False, error="wrong_tense?")
    draft = Question("q", (), (Candidate("Now.", correct=True), guessed, guessed))
    found = settle_labels([draft], labelled("q", false_1="ccii", false_2="cci"), form=ERROR_CLASSES)
    assert [one.error for one in found.questions[0].candidates] == [None, "wrong_tense?", "contradictory"]


def test_kappa_of_the_labels_by_hand():
    # Two candidates, three raters: ccc and iio. P = (1 + 1/3) / 2, chance = (3² + 2² + 1²) / 6² = 14/36.
    found = settle_labels([question("q", 2)], labelled("q", false_1="ccc", false_2="iio"), form=ERROR_CLASSES)
    assert found.kappa.value == pytest.approx((2 / 3 - 14 / 36) / (1 - 14 / 36))
    assert settle_labels([question("q", 2)], [], form=ERROR_CLASSES).kappa.reason == "there is no answer"


def test_raters_are_asked_about_false_candidates_only():
    assert len(utterances_of([question("q", 4)], false_only=ERROR_CLASSES.false_only)) == 4
