"""One system's choices: ties, several right answers, normalisation, failures, and the cache."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from dialeval.core import Missing
from dialeval.data import Candidate, Question
from dialeval.data.choices import Choice
from dialeval.engine import Cache
from dialeval.errors import Unsuitable
from dialeval.selection.asking.choices import QUESTIONS_AT_ONCE, choose
from dialeval.systems.baselines import Echo
from support.choosing_systems import Table, question, town_questions

KNOWN = {"short": -2.0, "a longer one": -3.0, "the longest of them": -8.0, "same": -2.0}


def test_the_likeliest_candidate_is_chosen():
    table = Table("t", KNOWN)
    (choice,) = choose(table, [question("q", "short", false=["a longer one", "the longest of them"])])
    assert isinstance(choice, Choice)
    assert choice.scores == (-2.0, -3.0, -8.0)
    assert (choice.item, choice.system, choice.chosen, choice.right, choice.rank) == ("q", "t", 0, True, 1)


def test_the_mean_over_tokens_can_turn_the_choice():
    table = Table("t", KNOWN)
    asked = [question("q", "short", false=["a longer one"])]
    (summed,) = choose(table, asked)
    (mean,) = choose(table, asked, normalise="mean")
    assert isinstance(summed, Choice)
    assert isinstance(mean, Choice)
    assert summed.right
    assert mean.scores == (-2.0, -1.0)  # one token and three
    assert not mean.right


@pytest.mark.parametrize("right_first", [True, False])
def test_a_tie_goes_against_the_system_wherever_the_candidates_stand(right_first):
    tied = (Candidate("short", True), Candidate("same", False))
    asked = Question("q", (), tied if right_first else tied[::-1])
    (choice,) = choose(Table("t", KNOWN), [asked])
    assert isinstance(choice, Choice)
    assert not choice.right
    assert choice.tied
    assert choice.rank == 2
    assert not asked.candidates[choice.chosen].correct


def test_one_of_several_right_answers_above_all_false_ones_is_enough():
    asked = question("q", "the longest of them", "short", false=["a longer one"])
    (choice,) = choose(Table("t", KNOWN), [asked])
    assert isinstance(choice, Choice)
    assert choice.right
    assert choice.chosen == 1
    assert choice.rank == 1


@given(
    scores=st.lists(st.sampled_from([-3.0, -2.0, -1.0, -math.inf]), min_size=2, max_size=6),
    data=st.data(),
)
def test_right_means_that_the_chosen_candidate_is_correct(scores, data):
    marks = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    if len(set(marks)) < 2:
        return
    candidates = tuple(Candidate(str(at), mark) for at, mark in enumerate(marks))
    choice = Choice(Question("q", (), candidates), "s", tuple(scores))
    best_false = max(s for s, mark in zip(scores, marks, strict=True) if not mark)
    best_right = max(s for s, mark in zip(scores, marks, strict=True) if mark)
    assert choice.right is (best_right > best_false) is candidates[choice.chosen].correct
    assert choice.tied is (best_right == best_false)
    assert choice.scores[choice.chosen] == max(scores)
    assert choice.rank == 1 + sum(s >= best_right for s, mark in zip(scores, marks, strict=True) if not mark)


def test_a_system_without_likelihood_is_told_so():
    with pytest.raises(Unsuitable, match="echo has no log-probabilities"):
        choose(Echo("echo"), [question("q", "short", false=["same"])])


def test_a_question_that_cannot_be_scored_is_missing_and_its_neighbours_are_not():
    asked = [
        question("a", "short", false=["same"]),
        question("b", "short", false=["never heard"]),
        question("c", "short", false=["a longer one"]),
    ]
    first, second, third = choose(Table("t", KNOWN), asked)
    assert isinstance(first, Choice)
    assert isinstance(third, Choice)
    assert second == Missing("b", "t", "t does not know 'never heard'")


def test_a_choice_by_scores_of_which_one_is_no_number_is_missing():
    asked = [question("a", "short", false=["odd"]), question("b", "short", false=["same"])]
    first, second = choose(Table("t", {**KNOWN, "odd": math.nan}), asked)
    assert first == Missing("a", "t", "a candidate's score is not a number")
    assert isinstance(second, Choice)


def test_a_mean_over_no_token_is_undefined_and_other_reasons_are_kept():
    asked = [
        question("a", "short", false=[""]),
        question("b", "short", false=["never heard"]),
        question("c", "short", false=["same"]),
    ]
    first, second, third = choose(Table("t", {**KNOWN, "": -1.0}), asked, normalise="mean")
    assert first == Missing(
        "a", "t", "a candidate has no token, so that its mean log-probability is undefined"
    )
    assert second == Missing("b", "t", "t does not know 'never heard'")
    assert isinstance(third, Choice)


def test_of_equal_false_candidates_the_first_is_the_choice():
    asked = question("q", "a longer one", false=["short", "same"])
    (choice,) = choose(Table("t", KNOWN), [asked])
    assert isinstance(choice, Choice)
    assert choice.chosen == 1


def test_where_nothing_can_be_scored_the_reason_is_raised():
    with pytest.raises(Unsuitable, match="t does not know 'what'"):
        choose(Table("t", KNOWN), [question("q", "what", false=["same"])])


def test_a_cache_spares_the_system_what_it_has_scored(tmp_path):
    asked = town_questions(2 * QUESTIONS_AT_ONCE)
    known = {one.text: -float(at) for at, one in enumerate(c for q in asked for c in q.candidates)}
    cache = Cache(tmp_path)
    before = Table("t", known)
    cut_short = choose(before, asked[:QUESTIONS_AT_ONCE], cache=cache)
    again = Table("t", known)
    whole = choose(again, asked, cache=cache)
    assert whole[:QUESTIONS_AT_ONCE] == cut_short
    assert whole == choose(Table("t", known), asked)
    assert len(again.asked) == len(before.asked) == 4 * QUESTIONS_AT_ONCE
    # Normalising needs token counts but no new log-probability.
    means = choose(again, asked, cache=cache, normalise="mean")
    assert len(again.asked) == 4 * QUESTIONS_AT_ONCE
    assert means == choose(Table("t", known), asked, normalise="mean")


def test_a_cache_knows_other_weights_under_the_same_name(tmp_path):
    class Weighted(Table):
        """Names the file its numbers come from."""

        @property
        def resources(self):
            return {"weights": str(sorted(self.known.items()))}

    asked, cache = [question("q", "short", false=["same"])], Cache(tmp_path)
    (old,) = choose(Weighted("t", KNOWN), asked, cache=cache)
    (new,) = choose(Weighted("t", {**KNOWN, "short": -1.0}), asked, cache=cache)
    assert isinstance(old, Choice)
    assert isinstance(new, Choice)
    assert (old.right, new.right) == (False, True)
