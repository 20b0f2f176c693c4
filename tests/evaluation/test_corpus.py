"""The runner of corpus measures: reasons, clusters, provenance, and intervals that cover what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval import Distinct, Length, SelfBleu, Vocabulary
from dialeval.core import Missing, Resampling
from dialeval.data import Example, Response
from dialeval.errors import Unsuitable
from dialeval.evaluation.compare import compare, compare_all
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.stats import skewed_t_interval


def said(*texts: str, system: str = "s") -> list[Example]:
    return [Example(f"d{at // 2}/{at}", system, (), Response(text)) for at, text in enumerate(texts)]


def chatter(seed: int, n: int, *, generic: float = 0.3, system: str = "s") -> list[Example]:
    """Responses of a talker with a few stock phrases and otherwise words of a Zipf distribution."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n):
        words = np.minimum(rng.zipf(1.5, size=rng.integers(1, 12)), 3000)
        stock = ("i do not know", "yes", "that is great", "no i am not sure")[rng.integers(4)]
        texts.append(stock if rng.random() < generic else " ".join(map(str, words)))
    return said(*texts, system=system)


def test_the_score_comes_with_reasons_and_provenance():
    subjects = [*said("a b", "a c"), Missing("d9/9", "s", "the system gave no response")]
    result = evaluate(Distinct(), subjects)
    assert result.score == 3 / 4
    assert (len(result), result.scored, result.coverage) == (3, 2, 2 / 3)
    assert result.reasons == {2: "the system gave no response"}
    assert result.judgements == ()
    assert result.signature == result.provenance.signature == Distinct().signature
    assert result.provenance.data == evaluate(Length(), subjects).provenance.data
    assert evaluate(Distinct(), said("a b", "a d")).provenance.data != result.provenance.data


def test_the_interval_by_hand():
    result = evaluate(
        Distinct(), said("a b", "a c"), Plan(resampling=Resampling(confidence=0.5, cluster="none"))
    )
    assert (result.estimate.bounds, result.absence) == (None, "constant")  # 2 of 2 without either: no spread
    three = evaluate(
        Distinct(), said("a", "a", "a b"), Plan(resampling=Resampling(confidence=0.5, cluster="none"))
    )
    # 2 / 4; without each 2 / 3, 2 / 3, 1 / 2: deviations 1/18, 1/18, -1/9, so error^2 = 2/3 * 1/54.
    error, t = math.sqrt(2 / 3 / 54), 0.8164965809
    assert three.estimate.bounds is not None
    # Of few responses, each end is Student's or, where it is farther, the one corrected for skewness.
    assert three.estimate.low == pytest.approx(0.5 - t * error)
    assert three.estimate.high == pytest.approx(skewed_t_interval(0.5, np.array([2, 2, 1.5]) / 3, 0.5)[1])
    assert three.estimate.high > 0.5 + t * error


def test_intervals_stay_within_what_is_possible():
    result = evaluate(SelfBleu(1), said("a", "a", "b", "a"))
    assert result.estimate.bounds is not None
    assert (result.score, result.estimate.low, result.estimate.high) == (0.75, 0.0, 1.0)


@pytest.mark.parametrize("subjects", [[], [Missing("a", "s", "gone")], said("a b")])
def test_too_little_has_no_interval(subjects):
    assert evaluate(Distinct(), subjects).estimate.bounds is None
    assert evaluate(SelfBleu(), subjects).estimate.bounds is None
    assert math.isnan(evaluate(SelfBleu(), subjects).score)


def test_no_resamples_no_interval():
    subjects = said("a b", "a c")
    assert evaluate(Distinct(), subjects, Plan(resampling=Resampling(resamples=0))).estimate.bounds is None


@pytest.mark.parametrize("measure", [Distinct(1), Distinct(2), Vocabulary(), SelfBleu(2)], ids=str)
def test_the_interval_covers_the_expected_score_about_as_often_as_it_says(measure):
    found = [evaluate(measure, chatter(seed, 60)) for seed in range(150)]
    expected = np.mean([one.score for one in found])
    covered = np.mean([one.estimate.low <= expected <= one.estimate.high for one in found])
    # 95 % of 150 give or take 2.4 standard errors; the jackknife may only be too wide.
    assert 0.907 <= covered <= 1


def test_the_ordinary_bootstrap_would_miss_it():
    # Why it is not used here: a resample's repeats have no new words, so nearly all of them score below the corpus.
    examples = chatter(1, 60)
    rng = np.random.default_rng(0)
    resamples = [[examples[at] for at in rng.integers(60, size=60)] for _ in range(200)]
    scores = [Vocabulary().without(one, np.arange(60)).score for one in resamples]
    assert np.quantile(scores, 0.975) < evaluate(Vocabulary(), examples).score


def test_clusters_are_left_out_whole():
    # Both responses of a dialogue are the same, of three to five words.
    texts = [f"{at // 2} says" + " so" * (1 + at // 2 % 3) for at in range(40)]
    alone, together = (
        evaluate(Distinct(), said(*texts), Plan(resampling=Resampling(cluster=c))) for c in ("none", "auto")
    )
    assert alone.score == together.score
    assert (alone.units, together.units, alone.design_effect) == (40, 20, None)
    assert together.estimate.high - together.estimate.low != alone.estimate.high - alone.estimate.low
    without = Distinct().without(said(*texts), np.repeat(np.arange(20), 2)).without
    words = sum(len(text.split()) for text in texts)
    assert without.tolist() == [21 / (words - 2 * len(text.split())) for text in texts[::2]]


def test_one_pass_serves_metrics_and_corpus_measures_in_the_order_asked():
    subjects = iter(said("a b", "a c") + said("x", "x", system="t"))
    found = evaluate({"distinct": Distinct(), "length": Length()}, subjects, Plan(batch_size=1))
    assert list(found) == [("distinct", "s"), ("distinct", "t"), ("length", "s"), ("length", "t")]
    assert [one.per_item for one in found.values()] == [False, False, True, True]
    assert [one.score for one in found.values()] == [3 / 4, 1 / 2, 2, 1]
    assert found["distinct", "t"].absence == "constant"
    none = evaluate({"distinct": Distinct()}, said("a", "b"), Plan(resampling=Resampling(resamples=0)))
    assert none["distinct", "s"].estimate.bounds is None


def test_systems_are_compared_on_the_items_both_have():
    dull, lively = chatter(1, 80, generic=0.9, system="dull"), chatter(2, 81, generic=0.1, system="lively")
    a, b = evaluate(Distinct(), dull), evaluate(Distinct(), lively)
    found = compare(a, b)
    assert (found.n, found.unpaired, found.a, found.b) == (80, 1, "dull", "lively")
    assert found.basis is not None
    assert found.basis.score_b == evaluate(Distinct(), lively[:80]).score != b.score
    assert found.difference.value == pytest.approx(found.basis.score_a - found.basis.score_b)
    assert found.difference.low < found.difference.value < found.difference.high
    assert found.p_adjusted == found.p_jackknife
    assert found.significant == (found.p_adjusted < 0.05)
    assert found.p_mcnemar is None
    assert found.effect_size * found.difference.value > 0
    assert (found.wins, found.ties, found.losses) == (None, None, None)
    assert compare(b, a).difference.value == pytest.approx(-found.difference.value)


def test_which_way_is_better_depends_on_the_measure():
    dull = chatter(1, 200, generic=0.95, system="dull")
    lively = chatter(2, 200, generic=0.05, system="lively")
    (repeats,) = compare_all([evaluate(SelfBleu(), each) for each in (dull, lively)])
    assert (repeats.better, repeats.more_items) == ("lively", 0)
    assert repeats.sentence.startswith("lively is better than dull by 0.")
    (words,) = compare_all([evaluate(Vocabulary(), each) for each in (dull, lively)])
    assert words.significant
    assert words.better is None


def test_equal_talkers_are_seldom_told_apart():
    wrong = sum(
        compare(
            evaluate(Distinct(2), chatter(seed, 60)),
            evaluate(Distinct(2), chatter(~seed & 0xFFFF, 60, system="t")),
        ).significant
        for seed in range(100)
    )
    assert wrong <= 11  # 5 of 100 expected; more than 11 has a probability of 0.4 %


def test_three_systems_are_corrected_for():
    results = [evaluate(Distinct(), chatter(at, 50, system=f"s{at}")) for at in range(3)]
    pairs = compare_all(results)
    assert [(pair.a, pair.b) for pair in pairs] == [("s0", "s1"), ("s0", "s2"), ("s1", "s2")]
    assert all(pair.p_adjusted >= pair.p_jackknife for pair in pairs)


def test_other_measures_and_shared_nothing_are_refused():
    ours = evaluate(Distinct(), said("a b", "a c"))
    with pytest.raises(Unsuitable, match=r"differ in n \(1 and 2\)"):
        compare(ours, evaluate(Distinct(2), said("a b", "a c", system="t")))
    with pytest.raises(Unsuitable, match="share no item"):
        compare(ours, evaluate(Distinct(), [Example("z", "t", (), Response("a"))]))
