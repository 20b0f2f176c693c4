"""What the sieve keeps and lists, whoever judges."""

from __future__ import annotations

import pytest

from dialeval.data import Question
from dialeval.selection.vetting.filter import sift
from dialeval.selection.vetting.plausibility import UNJUDGED
from dialeval.selection.vetting.rules import Fewest, Most
from support.drafts import question
from support.sieve_audit import AsLikely
from support.word_judge import DRAFT, Words, asked


def test_the_truth_is_shown_at_each_place_equally_often_whatever_is_spare():
    drafted = [question(f"q{at}", 10) for at in range(200)]
    found = sift(drafted, [], fewest=Fewest(3), most=Most(3)).questions
    places = [[one.correct for one in asked.candidates].index(True) for asked in found]
    # Of 200 by chance 50 at each, with a standard deviation of 6.
    assert all(30 <= places.count(at) <= 70 for at in range(4)), places


def test_what_cannot_be_judged_is_dropped_for_that_reason():
    sifted = sift([asked("", "no idea")], [AsLikely(Words())], fewest=Fewest(1))
    assert {one.text for one in sifted.questions[0].candidates} == {"tea please", "no idea"}
    assert sifted.removed == (("q", "false_1", "", UNJUDGED, None),)


def test_what_is_dropped_is_named_with_its_reason_and_the_rest_stays_unvetted():
    judge = AsLikely(Words())
    sifted = sift([DRAFT], [judge], fewest=Fewest(2), most=None)
    (left,) = sifted.questions
    assert left.status == "unvetted"
    assert {one.text for one in left.candidates} == {"tea please", "no idea", "tea then go now"}
    assert [(one.candidate, one.text, one.excess) for one in sifted.removed] == [
        ("false_1", "coffee please", 0.0),
        ("false_3", "coffee or tea or nothing", pytest.approx(0.6)),
    ]
    assert {one.rule for one in sifted.removed} == {str(judge)}
    assert sifted.judges == ("Drop a false candidate that words finds as likely as the ground truth.",)


def test_too_few_left_drop_the_question_and_too_many_are_spare():
    gone = sift([DRAFT], [AsLikely(Words())])
    assert gone.questions == ()
    # Two went by the judge; the truth and the two that nobody doubted go with the question.
    assert [one[:3] for one in gone.removed[2:]] == [
        ("q", None, "tea please"),
        ("q", "false_2", "no idea"),
        ("q", "false_4", "tea then go now"),
    ]
    assert {one.rule for one in gone.removed[2:]} == {str(Fewest(3))}
    plenty = question("q", 6)
    sifted = sift([plenty], [])
    assert len(sifted.questions[0].candidates) == 4
    assert [one.rule for one in sifted.removed] == [str(Most(3))] * 3


def test_a_question_without_one_truth_is_listed_not_judged():
    sifted = sift([question("q", 3, truth=False), question("r", 3)], [AsLikely(Words())])
    assert sifted.removed[0] == (
        "q",
        None,
        "",
        "Drop a question that has not exactly one ground truth.",
        None,
    )
    assert [one[:2] for one in sifted.removed[1:4]] == [("q", f"false_{at}") for at in (1, 2, 3)]


@pytest.mark.parametrize(("fewest", "most"), [(3, 3), (1, 2), (4, 1)])
def test_every_drafted_candidate_is_kept_or_listed_once(fewest, most):
    drafted = [DRAFT, question("r", 6), question("s", 2)]
    sifted = sift(drafted, [AsLikely(Words())], fewest=Fewest(fewest), most=Most(most))
    kept = [(one.item, own.text) for one in sifted.questions for own in one.candidates]
    listed = [(one.question, one.text) for one in sifted.removed]
    assert sorted(kept + listed) == sorted((one.item, own.text) for one in drafted for own in one.candidates)


def test_what_people_vetted_stays_vetted():
    vetted = Question("q", (), question("q", 3).candidates, "vetted")
    assert sift([vetted], []).questions[0].status == "vetted"
