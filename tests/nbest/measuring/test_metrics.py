"""Certainty and Variety on lists made by hand."""

from __future__ import annotations

import pytest

from dialeval.core import Resampling
from dialeval.data.types import NBest, Response, Turn
from dialeval.evaluation.runner import evaluate
from dialeval.nbest.answers.classifier import FirstWord
from dialeval.nbest.measuring.judged import JudgedList, judge_lists
from dialeval.nbest.measuring.metrics import AMBIGUOUS, EMPTY, NONE_CONSISTENT, Certainty, Variety
from dialeval.nbest.measuring.results import curves_of, default_sizes, results_of

VERDICTS = {"+": "consistent", "-": "contradictory", "?": "ambiguous"}


def judged(signs: str, item: str = "a", expected: str = "yes", system: str = "s") -> JudgedList:
    """A list with a verdict for each sign."""
    context = (Turn("assistant", "I'm in Texas."), Turn("user", "Are you in Texas?"))
    nbest = NBest(item, system, context, tuple(Response(sign) for sign in signs), expected)
    return JudgedList(nbest, tuple(VERDICTS[sign] for sign in signs), (1.0,) * len(signs))


def score(metric, *lists):
    return evaluate(metric, lists, resampling=Resampling(resamples=0)).score


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


def test_what_is_undefined_is_neither_0_nor_1():
    (result,) = results_of([judged("?")], "r")
    assert (result.certainty, result.variety, result.n, result.excluded) == (None, None, 0, 1)
    (result,) = results_of([judged("-")], "r")
    assert (result.certainty, result.variety, result.with_consistent) == (0.0, None, 0)


def test_results_by_system_and_kind_with_exact_intervals():
    lists = [judged("+", str(number)) for number in range(20)]
    lists += [judged("-", "x", "no"), judged("+?", "y", "no"), judged("+", "z", "no", "other")]
    first, second, third = results_of(lists, "r")
    assert [(r.system, r.kind, r.n, r.excluded) for r in (first, second, third)] == [
        ("s", "ENTQ", 20, 0),
        ("s", "CNTQ", 1, 1),
        ("other", "CNTQ", 1, 0),
    ]
    # Clopper and Pearson: 20 of 20 is at least 0.025 ** (1 / 20).
    assert first.certainty_interval == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    assert second.reasons == {AMBIGUOUS: 1}


def test_curves_cut_the_lists_and_count_the_short_ones():
    lists = [judged("-+--", "a"), judged("--", "b")]
    curve = {result.size: result for result in curves_of(lists, "r", [1, 2, 4])}
    assert [curve[size].certainty for size in (1, 2, 4)] == [0.0, 0.5, 0.5]
    assert [curve[size].variety for size in (1, 2, 4)] == [None, 0.5, 0.25]
    assert [curve[size].shorter for size in (1, 2, 4)] == [0, 0, 1]
    assert default_sizes(0) == ()


def test_the_expected_answer_decides_what_contradicts():
    context = (Turn("assistant", "I'm in Texas."), Turn("user", "Aren't you in Ohio?"))
    said = tuple(map(Response, ("Yes, I am.", "No, in Texas.", "Who knows?")))
    (found,) = judge_lists([NBest("a", "s", context, said, "no")], FirstWord())
    assert found.verdicts == ("contradictory", "consistent", "ambiguous")
    assert found.kind == "CNTQ"
