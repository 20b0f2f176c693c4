"""Systems with several runs: means over them, and intervals and tests that hold for other runs."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval import Example, Missing, Resampling, Response, compare
from dialeval.catalogue import build_any
from dialeval.evaluation.runner import evaluate
from dialeval.evaluation.runs import (
    MeanOverRuns,
    Repetition,
    over_runs,
    repeated,
    scores_of_corpus,
)
from dialeval.stats.resampling.jackknife import Source, skewed_t, source_of

FEW = Resampling(resamples=99)
WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"]


def answer(item: int, system: str, right: int) -> Example:
    """A response that has so many of the eight words of its reference."""
    text = " ".join([*WORDS[:right], *["no"] * (8 - right)])
    return Example(f"i{item}", system, (), Response(text), (" ".join(WORDS),))


def runs_of(system: str, rights: np.ndarray) -> list[Repetition | Missing]:
    """The answers of a system with so many right words, shape (items, runs)."""
    return repeated([[answer(i, system, int(r)) for i, r in enumerate(run)] for run in rights.T])


def test_a_score_is_the_mean_of_the_runs_own_scores():
    rights = np.random.default_rng(0).integers(0, 9, size=(20, 3))
    for name in ("rouge_l", "bleu(order=2)"):
        metric = build_any(name)
        alone = [evaluate(metric, [answer(i, "a", int(r)) for i, r in enumerate(run)]) for run in rights.T]
        together = evaluate(MeanOverRuns(metric, 3), runs_of("a", rights))
        assert together.score == pytest.approx(np.mean([result.score for result in alone]))
        assert together.values == pytest.approx(np.mean([result.values for result in alone], axis=0))
        assert together.signature == metric.signature


def test_runs_that_say_the_same_are_as_good_as_one():
    rights = np.random.default_rng(1).integers(0, 9, size=(30, 1))
    metric = build_any("rouge_l")
    one = evaluate(metric, [answer(i, "a", int(r)) for i, r in enumerate(rights[:, 0])])
    three = evaluate(MeanOverRuns(metric, 3), runs_of("a", np.repeat(rights, 3, axis=1)))
    assert (three.estimate.low, three.estimate.high) == pytest.approx((one.estimate.low, one.estimate.high))


def test_the_variance_of_runs_is_added_with_satterthwaites_degrees_of_freedom():
    rng = np.random.default_rng(2)
    values = rng.normal(size=12)
    without = (values.sum() - values) / 11
    scores = np.array([0.2, 0.9, 0.4])
    source = source_of(scores)
    assert source == Source(pytest.approx(scores.var(ddof=1) / 3), 2)
    wide, plain = skewed_t(values.mean(), without).widened([source]), skewed_t(values.mean(), without)
    variances = plain.error**2, source.variance
    assert wide.error == pytest.approx(np.sqrt(sum(variances)))
    assert wide.degrees == pytest.approx(
        sum(variances) ** 2 / (variances[0] ** 2 / 11 + variances[1] ** 2 / 2)
    )
    assert plain.widened([Source(0.0, 2)]) == plain


def test_an_item_without_an_answer_in_one_run_has_none():
    answered = [answer(0, "a", 5), answer(1, "a", 6)]
    lacking = [answer(0, "a", 5), Missing("i1", "a", "the system gave no response")]
    result = evaluate(MeanOverRuns(build_any("rouge_l"), 2), repeated([answered, lacking]))
    assert result.reasons == {1: "run 2: the system gave no response"}


def test_corpus_measures_are_means_over_runs_too():
    rights = np.random.default_rng(3).integers(0, 9, size=(20, 3))
    measure = build_any("distinct(n=1)")
    alone = [evaluate(measure, [answer(i, "a", int(r)) for i, r in enumerate(run)]) for run in rights.T]
    together = evaluate(MeanOverRuns(measure, 3), runs_of("a", rights))
    assert together.score == pytest.approx(np.mean([result.score for result in alone]))
    runs = scores_of_corpus(together.metric, together.subjects)
    assert runs == pytest.approx([result.score for result in alone])
    assert over_runs(measure, 1) is measure


@pytest.mark.parametrize("runs", [3, 5])
def test_equal_systems_whose_runs_differ_are_rarely_called_different(runs):
    """By the mean of an item's runs alone, as if other runs would be like these, a third are."""
    rng, claimed, covered, studies = np.random.default_rng(runs), 0, 0, 120
    for _ in range(studies):
        levels = rng.normal(4, 0.5, size=(2, 1, runs))
        rights = np.clip(np.round(levels + rng.normal(0, 1.2, size=(2, 40, runs))), 0, 8)
        a, b = (
            evaluate(MeanOverRuns(build_any("rouge_l"), runs), runs_of(name, side))
            for name, side in zip("ab", rights, strict=True)
        )
        found = compare(a, b, FEW)
        claimed += found.significant
        covered += found.difference.low < 0 < found.difference.high
        assert (found.p_jackknife < 0.05) is found.significant
    assert claimed / studies < 0.11
    assert covered / studies > 0.89


def test_a_system_with_runs_is_compared_with_one_without():
    rng = np.random.default_rng(4)
    metric, high, low = build_any("rouge_l"), rng.integers(5, 9, size=(30, 3)), rng.integers(0, 3, size=30)
    a = evaluate(MeanOverRuns(metric, 3), runs_of("a", high))
    b = evaluate(metric, [answer(i, "b", int(r)) for i, r in enumerate(low)])
    found = compare(a, b, FEW)
    assert (found.better, found.verdict, found.wins) == ("a", "better", 30)
    assert found.p_permutation is None
    assert compare(b, a, FEW).difference.value == pytest.approx(-found.difference.value)
