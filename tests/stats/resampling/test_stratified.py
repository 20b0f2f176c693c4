"""Means by strata of known probabilities: textbook variances, censuses, coverage, reasons for no interval."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.stats.resampling.stratified import Stratified, stratified_difference, stratified_mean


def sample(ratings, predictions, strata, clusters=None):  # type: ignore[no-untyped-def]
    n = len(ratings)
    return Stratified(
        np.asarray(ratings, float),
        np.asarray(predictions, float),
        np.asarray(strata),
        np.arange(n) if clusters is None else np.asarray(clusters),
    )


def test_without_predictions_it_is_the_stratified_mean_of_the_textbook() -> None:
    generator = np.random.default_rng(1)
    strata = np.repeat([0, 1], [400, 600])
    truth = generator.normal(np.where(strata == 0, 2.0, 4.0), np.where(strata == 0, 1.0, 0.3))
    ratings = np.full(1000, np.nan)
    ratings[:100] = truth[:100]
    ratings[400:450] = truth[400:450]
    found = stratified_mean(sample(ratings, np.zeros(1000), strata))
    assert found.tuning == 0
    means = [truth[:100].mean(), truth[400:450].mean()]
    assert found.estimate.value == pytest.approx(0.4 * means[0] + 0.6 * means[1])
    # Särndal et al. (1992), 3.7: within strata, and between them as answers like these are meant.
    within = 0.16 * truth[:100].var(ddof=1) / 100 + 0.36 * truth[400:450].var(ddof=1) / 50
    between = 0.24 * (means[1] - means[0]) ** 2 / 1000
    assert 1 < found.error / np.sqrt(within + between) < 1.08  # d² is added to the strata


def test_when_all_is_rated_it_is_the_mean() -> None:
    generator = np.random.default_rng(2)
    ratings = generator.normal(size=60)
    found = stratified_mean(sample(ratings, ratings + 1, np.repeat([0, 1, 2], 20)))
    assert found.estimate.value == pytest.approx(ratings.mean())
    assert found.error == pytest.approx(ratings.std(ddof=1) / np.sqrt(60))


def test_a_biased_judge_is_corrected_also_if_its_bias_differs_by_stratum() -> None:
    generator = np.random.default_rng(3)
    strata = np.repeat([0, 1], 300)
    truth = generator.normal(3, 1, 600)
    judged = truth + np.where(strata == 0, 1.5, 0.2)
    ratings = np.full(600, np.nan)
    for rated in (slice(0, 50), slice(300, 320)):
        ratings[rated] = truth[rated]
    found = stratified_mean(sample(ratings, judged, strata))
    assert found.estimate.value == pytest.approx(
        truth.mean(), abs=0.001
    )  # bias is all that the judge does wrong
    assert found.tuning == pytest.approx(1, abs=0.01)


def test_a_judge_that_knows_nothing_costs_little() -> None:
    generator = np.random.default_rng(4)
    ratings = np.full(800, np.nan)
    ratings[:100] = generator.normal(size=100)
    found = stratified_mean(sample(ratings, generator.normal(size=800), np.zeros(800, int)))
    assert found.error <= 1.03 * found.classical.error


@pytest.mark.parametrize(("wrong", "audit"), [(0.01, 20), (0.05, 20), (0.05, 50), (0.1, 50)])
def test_few_audited_answers_cover_though_the_judge_is_rarely_wrong(wrong: float, audit: int) -> None:
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(300):
        strata = (generator.random(1000) < 0.7).astype(int)
        truth = (generator.random(1000) < 0.7).astype(float)
        errs = generator.random(1000) < np.where(strata == 1, wrong, 0.4)
        ratings = np.full(1000, np.nan)
        for stratum, number in ((0, 150), (1, audit)):
            drawn = generator.choice(np.flatnonzero(strata == stratum), number, replace=False)
            ratings[drawn] = truth[drawn]
        low, high = stratified_mean(sample(ratings, np.where(errs, 1 - truth, truth), strata)).estimate.bounds
        covered += low <= 0.7 <= high
    assert covered >= 0.93 * 300


def test_the_difference_of_two_systems_covers_with_shared_dialogues() -> None:
    generator = np.random.default_rng(6)
    clusters = np.repeat(np.arange(40), 5)
    covered = 0
    for _ in range(300):
        mood = generator.normal(0, 0.6, 40)[clusters]
        sides = []
        for level in (3.0, 3.3):
            truth = level + mood + generator.normal(0, 0.6, 200)
            unsure = generator.random(200) < 0.35
            judged = truth + level - 2.5 + generator.normal(0, 1, 200) * np.where(unsure, 1, 0.2)
            ratings = np.full(200, np.nan)
            for stratum, number in ((True, 50), (False, 20)):
                drawn = generator.choice(np.flatnonzero(unsure == stratum), number, replace=False)
                ratings[drawn] = truth[drawn]
            sides.append(sample(ratings, judged, unsure.astype(int), clusters))
        low, high = stratified_difference(*sides).estimate.bounds
        covered += low <= -0.3 <= high
    assert covered >= 0.93 * 300


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        ([1, 2, np.nan, np.nan, np.nan, np.nan], "0 of 3 answers of a stratum are rated, where 2 are needed"),
        ([1, 2, np.nan, 1, np.nan, np.nan], "1 of 3 answers of a stratum are rated, where 2 are needed"),
        ([1, 1, np.nan, 1, 1, np.nan], "the 4 ratings do not vary"),
    ],
)
def test_no_interval_has_a_reason(ratings: list, reason: str) -> None:
    found = stratified_mean(sample(ratings, [1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]))
    assert found.estimate.reason == reason
    assert found.estimate.bounds is None


def test_answers_without_a_verdict_count_as_average() -> None:
    generator = np.random.default_rng(7)
    truth = generator.normal(3, 1, 300)
    judged = truth.copy()
    judged[::10] = np.nan
    ratings = np.where(np.arange(300) % 3 == 0, truth, np.nan)
    found = stratified_mean(sample(ratings, judged, np.zeros(300, int)))
    assert found.estimate.low < truth.mean() < found.estimate.high
    assert found.effective_n > 200
