"""The rules of the paper, vote by vote, and the sentences they print as."""

from __future__ import annotations

import pytest

from dialeval.selection.vetting.rules import SATO_2020, Fewest, Most, Rules, Settled, Votes


@pytest.mark.parametrize(
    ("scores", "dropped_as"),
    [
        ((3, 3, 3, 1, 1), "acceptable"),  # a score of 3 or higher by three or more
        ((5, 4, 3, 0, 0), "acceptable"),
        ((3, 3, 2, 2, 2), None),
        ((5, 5, 2, 2, 2), None),
        ((0, 0, 0, 5, 5), "ungrammatical"),  # a score of 0 by three or more
        ((0, 0, 2, 2, 5), None),
        ((1, 1, 1, 1, 1), None),
    ],
)
def test_false_candidates_by_the_letter_of_section_3_1(scores, dropped_as):
    rule = SATO_2020.false_rule(Votes(scores))
    assert getattr(rule, "reason", None) == dropped_as


@pytest.mark.parametrize(
    ("scores", "stands"),
    [
        ((4, 4, 4, 3, 3), True),
        ((5, 5, 5, 0, 0), True),
        ((4, 4, 3, 3, 3), False),  # three or more give a score of 3 or lower
        ((5, 5, 0, 0, 0), False),
    ],
)
def test_ground_truths_by_the_letter_of_section_3_1(scores, stands):
    assert (SATO_2020.truth_rule(Votes(scores)) is None) == stands


def test_missing_raters_matter_only_where_they_could_change_the_outcome():
    assert SATO_2020.false_rule(Votes((1, 1, 1, 2), absent=1)) is None
    assert SATO_2020.false_rule(Votes((4, 4, 1, 1), absent=1)) == SATO_2020.settled
    assert SATO_2020.false_rule(Votes((0, 0, 1, 1), absent=1)) == SATO_2020.settled
    assert SATO_2020.false_rule(Votes((4, 4, 4), absent=2)) == SATO_2020.acceptable
    assert SATO_2020.truth_rule(Votes((5, 5, 3, 4), absent=1)) is None
    assert SATO_2020.truth_rule(Votes((5, 5, 3, 3), absent=1)) == SATO_2020.settled
    assert SATO_2020.truth_rule(Votes((), absent=5)) == SATO_2020.settled


def test_rules_print_as_sentences():
    assert str(SATO_2020).splitlines() == [
        "Drop a question that has not exactly one ground truth.",
        "Drop a question if 3 or more raters score its ground truth 0, 1, 2 or 3.",
        "Drop a false candidate as acceptable if 3 or more raters score it 3, 4 or 5.",
        "Drop a false candidate as ungrammatical if 3 or more raters score it 0.",
        "Drop what raters who are missing could still decide (5 scores are expected).",
        "Where 6 or more false candidates are left, make a second question of half of them, its ground truth being the "
        "best-scored utterance that was dropped as acceptable and would stand as one.",
        "Drop a question with fewer than 3 false candidates left.",
        "Keep 3 false candidates of each question, drawn by seed; the others are spare.",
    ]
    assert "spare" not in str(Rules(most=None))


def test_rules_that_no_question_can_meet_are_refused():
    with pytest.raises(ValueError, match="no question can have 4 or more and at most 3"):
        Rules(fewest=Fewest(4), most=Most(3))


def test_fewer_raters_than_a_rule_needs_are_refused_for_then_nothing_would_ever_be_dropped():
    with pytest.raises(ValueError, match="2 raters cannot be 3, as a rule needs"):
        Rules(settled=Settled(2))
    assert Rules(settled=Settled(3)).false_rule(Votes((5, 5), absent=1)) == Settled(3)
