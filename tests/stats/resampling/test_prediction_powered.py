"""Prediction-powered estimates: ppi_py, the formulas by hand, and coverage on real ratings."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import ppi_py
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from dialeval.stats.resampling.bootstrap import Floats
from dialeval.stats.resampling.prediction_powered import (
    PartlyRated,
    PPIEstimate,
    Quantiles,
    ppi_difference,
    ppi_mean,
)

_ = math.nan


def some(n: int, n_unrated: int, *, quality: float = 0.7, slope: float = 1.0, seed: int = 0) -> PartlyRated:
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, n + n_unrated)
    predicted = slope * (quality * truth + math.sqrt(1 - quality**2) * rng.normal(size=len(truth)))
    return PartlyRated(truth[:n], predicted[:n], predicted[n:])


@pytest.mark.parametrize(("n", "n_unrated"), [(10, 300), (60, 60), (200, 20)])
@pytest.mark.parametrize("slope", [1.0, 0.3, -1.0])  # tuned inside (0, 1), clipped at 1, clipped at 0
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_papers_interval_is_that_of_ppi_py(n: int, n_unrated: int, slope: float, level: float) -> None:
    sample = some(n, n_unrated, slope=slope)
    for lam, tuning in ((None, True), (1, False)):
        low, high = ppi_py.ppi_mean_ci(*sample, alpha=1 - level, lam=lam)
        value = ppi_py.ppi_mean_pointestimate(*sample, lam=lam)
        found = ppi_mean(*sample, confidence=level, power_tuning=tuning, quantiles="normal")
        theirs = (float(np.squeeze(value)), low.item(), high.item())
        assert (found.estimate.value, found.estimate.low, found.estimate.high) == pytest.approx(
            theirs, abs=1e-9
        )


@pytest.mark.parametrize("power_tuning", [True, False])
def test_both_intervals_are_around_one_estimate_with_one_lambda(power_tuning: bool) -> None:
    for_few, papers = (
        ppi_mean(*some(20, 100), power_tuning=power_tuning, quantiles=quantiles)
        for quantiles in ("t", "normal")
    )
    assert for_few.estimate.value == papers.estimate.value
    assert for_few.tuning == papers.tuning
    assert for_few.estimate.low < papers.estimate.low
    assert papers.estimate.high < for_few.estimate.high


def test_the_interval_for_few_ratings_by_hand() -> None:
    sample = some(12, 40)
    found, y, f, rest = ppi_mean(*sample), *sample
    centred = np.concatenate([f, rest])
    tuning = np.mean((y - y.mean()) * (f - f.mean())) / ((1 + 12 / 40) * np.var(centred, ddof=1))
    residual = y - tuning * f
    of_rated = np.sum((residual - residual.mean()) ** 2) / (12 - 2) / 12
    of_rest = tuning**2 * np.var(rest, ddof=1) / 40
    df = (of_rated + of_rest) ** 2 / (of_rated**2 / 10 + of_rest**2 / 39)
    assert 0 < tuning < 1
    assert found.tuning == pytest.approx(tuning)
    assert found.error == pytest.approx(math.sqrt(of_rated + of_rest))
    reach = scipy.stats.t.ppf(0.975, df) * found.error
    assert (found.estimate.low, found.estimate.high) == pytest.approx(
        (found.estimate.value - reach, found.estimate.value + reach)
    )
    assert found.p == pytest.approx(2 * scipy.stats.t.sf(abs(found.estimate.value) / found.error, df))
    assert found.effective_n == pytest.approx(12 * (found.classical.error / found.error) ** 2)
    assert found.gained == pytest.approx(found.effective_n - 12)


def test_the_classical_estimate_beside_it_is_the_t_interval_of_the_ratings() -> None:
    y, f, rest = some(15, 60)
    found = ppi_mean(y, f, rest, confidence=0.9).classical
    theirs = scipy.stats.ttest_1samp(y, 0).confidence_interval(0.9)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((theirs.low, theirs.high))
    assert found.estimate.value == pytest.approx(y.mean())


@pytest.mark.parametrize(
    "sample",
    [
        PartlyRated(np.array([1.0, 2, 4, 5]), np.ones(4), np.ones(9)),  # constant predictions
        PartlyRated(
            np.array([1.0, 2, 4, 5]), np.array([4.0, 3, 2, 1]), np.array([1.0, 3, 4])
        ),  # the wrong way round
        PartlyRated(np.array([1.0, 2, 4, 5]), np.array([1.0, 2, 3, 4]), np.empty(0)),  # all items rated
        PartlyRated(np.array([1.0, 2, 4, 5]), np.array([1.0, 2, 3, 4]), np.array([3.0])),  # one other item
        PartlyRated(
            np.array([1.0, 4]), np.array([1.0, 4]), np.array([3.0, 4, 5])
        ),  # two rated items tune nothing
    ],
)
def test_useless_predictions_leave_the_classical_estimate(sample: PartlyRated) -> None:
    found = ppi_mean(*sample)
    assert found.tuning == 0
    assert (found.estimate, found.error) == found.classical
    assert found.effective_n == found.estimate.n
    assert found.gained == 0


@pytest.mark.parametrize(
    ("n", "reason"), [(0, "0 rated items, where 2 are needed"), (1, "1 rated item, where 2 are needed")]
)
def test_too_few_ratings_say_so(n: int, reason: str) -> None:
    sample = some(n, 30)
    found = ppi_mean(*sample)
    assert found.estimate.reason == reason
    assert found.estimate.value is None
    assert math.isnan(found.gained)
    assert (found.estimate.n, found.n_unrated) == (n, 30)
    assert ppi_difference(some(9, 9), sample, paired=False).estimate.reason == reason


@pytest.mark.parametrize("quantiles", ["t", "normal"])
def test_ratings_that_do_not_vary_have_a_mean_and_no_interval(quantiles: Quantiles) -> None:
    """Two raters who both say 4 prove nothing about the next item, and surely not p = 0."""
    found = ppi_mean(np.full(2, 4.0), np.array([1.0, 2]), np.array([1.0, 2, 3]), quantiles=quantiles)
    assert (found.estimate.value, found.classical.estimate.value, found.estimate.n, found.tuning) == (
        4,
        4,
        2,
        0,
    )
    assert (found.estimate.bounds, found.classical.estimate.bounds, found.classical.error) == (None,) * 3
    assert np.isnan([found.error, found.p, found.effective_n]).all()
    assert (
        found.estimate.reason
        == "the 2 ratings do not vary, so there is no telling how far the mean may be off"
    )


def test_a_system_whose_ratings_vary_lends_the_other_its_interval() -> None:
    still = PartlyRated(np.full(4, 3.0), np.zeros(4), np.zeros(0))
    found = ppi_difference(some(9, 9), still, paired=False)
    assert found.estimate.reason is None
    assert found.estimate.low < found.estimate.value < found.estimate.high


def test_predictions_that_leave_no_error_give_no_interval() -> None:
    y = np.array([1.0, 2, 3, 4])
    found = ppi_mean(y, y, np.full(6, 2.0), power_tuning=False)
    assert found.estimate.reason is not None
    assert found.estimate.reason.startswith("predictions leave nothing of the ratings")
    assert found.classical.estimate.low < found.classical.estimate.value


def test_ratings_without_a_prediction_count_where_ratings_stand_alone() -> None:
    y, f, rest = some(12, 40)
    absent = np.concatenate([f, [np.nan, np.nan]])
    found = ppi_mean(np.concatenate([y, [9.0, 8.0]]), absent, rest)
    plain = ppi_mean(y, f, rest)
    assert (found.estimate.value, found.estimate.low, found.effective_n) == (
        plain.estimate.value,
        plain.estimate.low,
        plain.effective_n,
    )
    assert (found.estimate.n, found.classical.estimate.n, plain.classical.estimate.n) == (12, 14, 12)
    assert found.classical.estimate.value == pytest.approx(np.mean([*y, 9, 8]))
    none = ppi_mean(y, np.full(12, np.nan), rest)
    assert none.estimate.reason == "0 rated items, where 2 are needed"
    assert none.classical.estimate.value == pytest.approx(y.mean())


def test_items_without_a_prediction_are_left_out() -> None:
    y, f, rest = some(20, 50)
    gaps = ppi_mean(np.append(y, [3.0, _]), np.append(f, [_, 3.0]), np.append(rest, _))
    whole = ppi_mean(y, f, rest)
    assert dataclasses.replace(gaps, classical=whole.classical) == whole


def test_ratings_and_predictions_must_match() -> None:
    with pytest.raises(ValueError, match="one rating and one prediction"):
        ppi_mean(np.ones(3), np.ones(4), np.ones(5))
    with pytest.raises(ValueError, match="between 0 and 1"):
        ppi_mean(np.ones(3), np.ones(3), np.ones(5), confidence=95)
    with pytest.raises(ValueError, match="the same rated and the same unrated items"):
        ppi_difference(some(5, 9), some(5, 8), paired=True)


def test_predictions_on_a_smaller_scale_are_clipped_where_they_could_help() -> None:
    y, f, rest = some(40, 400)
    assert ppi_mean(y, f / 20, rest / 20).tuning == 1
    assert ppi_mean(y, f / 20, rest / 20).gained < 5
    assert ppi_mean(y, f, rest).gained > 15


@given(st.floats(-50, 50))
def test_a_bias_of_all_predictions_cancels(bias: float) -> None:
    y, f, rest = some(20, 80)
    moved, found = ppi_mean(y, f + bias, rest + bias), ppi_mean(y, f, rest)
    assert (moved.estimate.value, moved.estimate.low, moved.estimate.high) == pytest.approx(
        (found.estimate.value, found.estimate.low, found.estimate.high)
    )


def test_a_paired_difference_is_the_mean_of_the_differences() -> None:
    a, b = some(20, 60, seed=1), some(20, 60, seed=2)
    assert ppi_difference(a, b, paired=True) == ppi_mean(
        *(of_a - of_b for of_a, of_b in zip(a, b, strict=True))
    )


def test_an_independent_difference_subtracts_estimates_and_adds_variances() -> None:
    a, b = some(20, 60, seed=1), some(35, 90, seed=2)
    of_a, of_b, found = ppi_mean(*a), ppi_mean(*b), ppi_difference(a, b, paired=False)
    assert found.estimate.value == pytest.approx(of_a.estimate.value - of_b.estimate.value)
    assert found.error == pytest.approx(math.hypot(of_a.error, of_b.error))
    assert found.classical.error == pytest.approx(math.hypot(of_a.classical.error, of_b.classical.error))
    assert found.tuning == pytest.approx((of_a.tuning + of_b.tuning) / 2)
    assert (found.estimate.n, found.n_unrated) == (55, 150)


def test_without_predictions_an_independent_difference_is_welchs_test() -> None:
    a, b = (
        sample._replace(predicted_rest=np.empty(0)) for sample in (some(9, 1, seed=1), some(30, 1, seed=2))
    )
    theirs = scipy.stats.ttest_ind(a.rated, b.rated, equal_var=False)
    found = ppi_difference(a, b, paired=False)
    assert found.p == pytest.approx(theirs.pvalue)
    assert (found.estimate.low, found.estimate.high) == pytest.approx(tuple(theirs.confidence_interval()))


@pytest.mark.parametrize("paired", [True, False])
def test_swapping_the_systems_negates_the_difference(paired: bool) -> None:
    a, b = some(20, 60, seed=1), some(20, 60, seed=2)
    forth, back = (ppi_difference(*both, paired=paired) for both in ((a, b), (b, a)))
    assert (forth.estimate.value, forth.estimate.low, forth.estimate.high) == pytest.approx(
        (-back.estimate.value, -back.estimate.high, -back.estimate.low)
    )
    assert forth.p == pytest.approx(back.p)


# How often 95 % intervals hold the mean of all real ratings. Items are drawn with replacement, so that the ratings at
# hand are the population; over 1,000 draws the rate has a standard error of .007, so .93 to .97 is three of them.
REPEATS, BAND = 1000, (0.93, 0.97)


def coverage(
    ratings: Floats, predictions: Floats, estimate: Callable[[PartlyRated], PPIEstimate], n: int
) -> tuple[float, float]:
    """The share of intervals that hold the mean of all, and the mean number of ratings gained.

    Predictions come with the ratings' spread, and of a wrong metric with any.
    """
    rng, truth, held, gained = np.random.default_rng(7), ratings.mean(), 0, 0.0
    for _trial in range(REPEATS):
        at = rng.integers(len(ratings), size=len(ratings))
        found = estimate(PartlyRated(ratings[at[:n]], predictions[at[:n]], predictions[at[n:]]))
        held += found.estimate.low <= truth <= found.estimate.high
        gained += found.gained / REPEATS
    return held / REPEATS, gained


def tuned(sample: PartlyRated) -> PPIEstimate:
    return ppi_mean(*sample)


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50])
@pytest.mark.parametrize("measure", ["ruber", "unieval"])
def test_intervals_cover_the_mean_of_usr(shared_data: Path, measure: str, n: int) -> None:
    ratings, scores = usr(shared_data)
    held, gained = coverage(ratings, scores[measure], tuned, n)
    assert BAND[0] <= held <= BAND[1]
    assert gained > (n / 4 if measure == "unieval" else 0)  # r = .59 and .25 with the ratings


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 50])
def test_intervals_cover_the_mean_of_grade(shared_data: Path, n: int) -> None:
    ratings, scores = grade(shared_data)
    held, gained = coverage(ratings, scores, tuned, n)
    assert BAND[0] <= held <= BAND[1]
    assert abs(gained) < 1  # r = -.03 with the ratings: nothing to gain, and next to nothing lost


@pytest.mark.slow
@pytest.mark.parametrize("power_tuning", [True, False])
@pytest.mark.parametrize("corpus", ["usr", "grade"])
def test_intervals_cover_though_the_metric_is_shifted_and_negated(
    shared_data: Path, corpus: str, power_tuning: bool
) -> None:
    ratings, scores = (
        (usr(shared_data)[0], usr(shared_data)[1]["unieval"]) if corpus == "usr" else grade(shared_data)
    )
    wrong = 40 - 5 * scores
    held, gained = coverage(ratings, wrong, lambda sample: ppi_mean(*sample, power_tuning=power_tuning), 50)
    assert BAND[0] <= held <= BAND[1]
    assert gained > -1 if power_tuning else gained < -20  # tuning sets such predictions aside


@pytest.mark.slow
def test_the_papers_interval_is_too_narrow_for_twenty_ratings(shared_data: Path) -> None:
    ratings, scores = usr(shared_data)
    held, _gained = coverage(
        ratings, scores["unieval"], lambda sample: ppi_mean(*sample, quantiles="normal"), 20
    )
    assert held < BAND[0]


@pytest.mark.slow
def test_intervals_of_a_difference_cover_that_of_two_systems(shared_data: Path) -> None:
    rows = json.loads((shared_data / "usr-topicalchat" / "topical_chat_result.json").read_text())
    rows = [row for row in rows if row["system_id"] != "Original Ground Truth"]
    systems = sorted({row["system_id"] for row in rows})[:2]
    both = [[row for row in rows if row["system_id"] == system] for system in systems]
    y, f = (
        np.array([[row[key]["overall"] for row in of] for of in both]) for key in ("scores", "predict_scores")
    )
    rng, truth, n = np.random.default_rng(3), y[0].mean() - y[1].mean(), 30
    held = {True: 0, False: 0}
    for _trial in range(REPEATS):
        for paired in held:
            at = rng.integers(60, size=(2, 300))
            at[1] = at[0] if paired else at[1]
            a, b = (PartlyRated(y[i, at[i, :n]], f[i, at[i, :n]], f[i, at[i, n:]]) for i in (0, 1))
            found = ppi_difference(a, b, paired=paired)
            held[paired] += found.estimate.low <= truth <= found.estimate.high
    assert all(BAND[0] <= count / REPEATS <= BAND[1] for count in held.values())


def usr(shared_data: Path) -> tuple[Floats, dict[str, Floats]]:
    rows = json.loads((shared_data / "usr-topicalchat" / "topical_chat_result.json").read_text())
    rows = [row for row in rows if row["system_id"] != "Original Ground Truth"]
    ruber = json.loads((shared_data / "ruber-scores" / "topicalchat_usr.json").read_text())
    unieval = [row["predict_scores"]["overall"] for row in rows]
    ratings = np.array([row["scores"]["overall"] for row in rows])
    return ratings, {"ruber": spread_as(ratings, ruber), "unieval": spread_as(ratings, unieval)}


def grade(shared_data: Path) -> tuple[Floats, Floats]:
    ratings: list[float] = []
    scores: list[float] = []
    for system in ("bert_ranker", "dialogGPT", "transformer_generator", "transformer_ranker"):
        people = shared_data / "grade" / "human_score" / "convai2" / system / "human_score.txt"
        ratings += [float(line) for line in people.read_text().split()]
        scores += json.loads((shared_data / "ruber-scores" / f"convai2_grade_{system}.json").read_text())
    return np.array(ratings), spread_as(np.array(ratings), scores)


def spread_as(ratings: Floats, scores: list[float]) -> Floats:
    return np.array(scores) * ratings.std() / np.std(scores)


def test_clusters_of_one_are_items_and_copies_of_a_cluster_tell_nothing_new() -> None:
    rng = np.random.default_rng(3)
    y, f, rest = rng.normal(size=12), rng.normal(size=12), rng.normal(size=40)
    y = y + f
    labels = (np.arange(12), 12 + np.arange(40))
    alone = ppi_mean(y, f, rest, power_tuning=False)
    apart = ppi_mean(y, f, rest, power_tuning=False, clusters=labels)
    assert apart.estimate.value == pytest.approx(alone.estimate.value)
    assert apart.error == pytest.approx(alone.error, rel=0.05)
    assert apart.classical.error == pytest.approx(alone.classical.error)
    copied = [np.repeat(each, 5) for each in (y, f, rest)]
    copies = (np.repeat(labels[0], 5), np.repeat(labels[1], 5))
    together = ppi_mean(*copied, power_tuning=False, clusters=copies)
    assert together.error == pytest.approx(apart.error)
    assert (together.estimate.low, together.estimate.high) == pytest.approx(
        (apart.estimate.low, apart.estimate.high)
    )
    assert ppi_mean(*copied, power_tuning=False).error < 0.6 * together.error
    one = (np.zeros(60, dtype=np.int64), copies[1])
    assert ppi_mean(*copied, clusters=one).estimate.reason == "1 rated dialogue, where 2 are needed"


def test_rated_turns_of_dialogues_are_covered() -> None:
    # Taken to be independent, they are covered in 75 to 80 of 100 samples (finding 3 of the audit).
    rng = np.random.default_rng(4)
    covered, samples = np.zeros(2), 300
    label = np.repeat(np.arange(60), 5)
    for _ in range(samples):
        y = 3 + 0.7 * np.repeat(rng.normal(size=60), 5) + rng.normal(size=300)
        f = y + rng.normal(size=300)
        for index, clusters in enumerate([None, (label[:100], label[100:])]):
            estimate = ppi_mean(y[:100], f[:100], f[100:], clusters=clusters)
            covered[index] += estimate.estimate.low <= 3 <= estimate.estimate.high
    naive, clustered = covered / samples
    assert naive < 0.88
    assert clustered >= 0.93
