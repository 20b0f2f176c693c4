"""Certainty and Variety on lists made by hand."""

from __future__ import annotations

import pytest

from dialeval.core import Resampling
from dialeval.data.types import NBest, Response, Turn
from dialeval.evaluation.runner import Plan, break_down, evaluate
from dialeval.nbest.answers.classifier import FirstWord
from dialeval.nbest.measure import default_sizes, nbest, nbest_variety
from dialeval.nbest.measuring.judged import JudgedList, judge_lists
from dialeval.nbest.measuring.metrics import AMBIGUOUS, EMPTY, NONE_CONSISTENT, Certainty, Variety

VERDICTS = {"+": "consistent", "-": "contradictory", "?": "ambiguous"}


def judged(signs: str, item: str = "a", expected: str = "yes", system: str = "s") -> JudgedList:
    """A list with a verdict for each sign."""
    context = (Turn("assistant", "I'm in Texas."), Turn("user", "Are you in Texas?"))
    nbest = NBest(item, system, context, tuple(Response(sign) for sign in signs), expected)
    return JudgedList(nbest, tuple(VERDICTS[sign] for sign in signs), (1.0,) * len(signs))


def score(metric, *lists):
    return evaluate(metric, lists, Plan(resampling=Resampling(resamples=0))).score


class TestTheTwoExamplesOfTheThesis:
    """Section 5.2.1: mixed lists against all-or-nothing lists."""

    def test_mixed_lists_have_a_high_certainty_and_a_low_variety(self):
        lists = [judged("+---", "a"), judged("-+--", "b"), judged("--+-", "c"), judged("---+", "d")]
        assert (score(Certainty(), *lists), score(Variety(), *lists)) == (1.0, 0.25)

    def test_all_or_nothing_lists_have_the_reverse(self):
        lists = [judged("++++", "a"), judged("----", "b"), judged("----", "c"), judged("----", "d")]
        assert (score(Certainty(), *lists), score(Variety(), *lists)) == (0.25, 1.0)


def test_variety_is_the_mean_of_shares_and_not_the_share_of_all_responses():
    # 1/4 and 2/2: the mean is 5/8, the pooled share would be 3/6.
    assert score(Variety(), judged("+---", "a"), judged("++", "b")) == pytest.approx(5 / 8)


def test_lists_with_an_ambiguous_response_are_left_out_with_the_reason():
    result = evaluate(Certainty(), [judged("+?-", "a"), judged("--", "b"), judged("", "c")])
    assert dict(result.reasons) == {0: AMBIGUOUS}
    assert (result.score, result.scored) == (0.0, 2)  # a list without a response has no consistent one
    assert dict(evaluate(Variety(), [judged("", "c")]).reasons) == {0: EMPTY}


def test_an_ambiguous_response_beyond_the_first_n_does_not_matter():
    assert score(Certainty(n=2), judged("+-?")) == 1.0
    assert score(Variety(n=2), judged("+-?")) == 0.5


def test_lists_without_a_consistent_response_count_for_certainty_only():
    lists = [judged("--", "a"), judged("+-", "b")]
    assert score(Certainty(), *lists) == 0.5
    variety = evaluate(Variety(), lists)
    assert (variety.score, dict(variety.reasons)) == (0.5, {0: NONE_CONSISTENT})


def parts_of(lists, measure, n=10, sizes=""):
    """Value, bounds, number of lists and reasons of each part."""
    found = break_down("m", "s", measure(n=n, sizes=sizes).breakdowns(lists), Plan())
    return {tuple(each.part.values()): (each.estimate, each.unscored) for each in found}


def test_what_is_undefined_is_neither_0_nor_1():
    estimate, unscored = parts_of([judged("?")], nbest)["ENTQ",]
    assert (estimate.value, estimate.n, unscored) == (None, 0, {AMBIGUOUS: 1})
    assert parts_of([judged("-")], nbest)["ENTQ",][0].value == 0.0
    estimate, unscored = parts_of([judged("-")], nbest_variety)["ENTQ",]
    assert (estimate.value, estimate.bounds, estimate.n, unscored) == (None, None, 0, {NONE_CONSISTENT: 1})


def test_breakdowns_by_kind_with_exact_intervals():
    lists = [judged("+", str(number)) for number in range(20)]
    lists += [judged("-", "x", "no"), judged("+?", "y", "no")]
    found = parts_of(lists, nbest)
    # Clopper and Pearson: 20 of 20 is at least 0.025 ** (1 / 20).
    assert found["ENTQ",][0] == (1.0, pytest.approx(0.025 ** (1 / 20)), 1.0, 20, None)
    estimate, unscored = found["CNTQ",]
    assert (estimate.value, estimate.n, unscored) == (0.0, 1, {AMBIGUOUS: 1})


def test_curves_cut_the_lists():
    lists = [judged("-+--", "a"), judged("--", "b")]
    certainty, variety = parts_of(lists, nbest, sizes="1,2,4"), parts_of(lists, nbest_variety, sizes="1,2,4")
    assert [certainty["ENTQ", size][0].value for size in (1, 2, 4)] == [0.0, 0.5, 0.5]
    assert [variety["ENTQ", size][0].value for size in (1, 2, 4)] == [None, 0.5, 0.25]
    assert default_sizes(0) == ()


def test_the_expected_answer_decides_what_contradicts():
    context = (Turn("assistant", "I'm in Texas."), Turn("user", "Aren't you in Ohio?"))
    said = tuple(map(Response, ("Yes, I am.", "No, in Texas.", "Who knows?")))
    (found,) = judge_lists([NBest("a", "s", context, said, "no")], FirstWord())
    assert found.verdicts == ("contradictory", "consistent", "ambiguous")
    assert found.kind == "CNTQ"
