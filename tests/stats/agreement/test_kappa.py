"""Kappas: published examples, scikit-learn, statsmodels, and what must leave them alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from dialeval.stats.agreement.coefficients import AGREEMENTS
from dialeval.stats.agreement.kappa import (
    Weights,
    cohen_kappa,
    counts_of,
    fleiss_kappa,
    fleiss_rows,
    mean_cohen_kappa,
    pairwise_cohen,
    percent_agreement,
)
from dialeval.stats.resampling.bootstrap import Floats, draws

_ = math.nan
# Fleiss (1971), table 1: thirty patients, six psychiatrists each; depression, personality disorder, schizophrenia,
# neurosis, other.
FLEISS = np.array(
    [
        [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
        [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0],
        [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0],
        [0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0],
        [1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
    ]
)  # fmt: skip
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")


def some_ratings(units: int, raters: int, seed: int, missing: float = 0.3) -> Floats:
    rng = np.random.default_rng(seed)
    ratings = np.clip(rng.integers(5, size=(units, 1)) + rng.integers(-1, 2, size=(units, raters)), 0, 4)
    return np.where(rng.random(ratings.shape) < missing, np.nan, ratings.astype(float))


@st.composite
def ratings_strategy(draw: st.DrawFn) -> Floats:
    shape = (draw(st.integers(1, 8)), draw(st.integers(2, 5)))
    values = draw(hnp.arrays(np.int64, shape, elements=st.integers(-1, 3))).astype(np.float64)
    values[values < 0] = np.nan
    return values


def test_fleiss_own_example() -> None:
    found = fleiss_kappa(FLEISS)
    assert found.value == pytest.approx(0.430, abs=5e-4)
    assert found.n == 30
    assert percent_agreement(FLEISS).value == pytest.approx(0.555, abs=1e-3)


@pytest.mark.parametrize(("ours", "theirs"), [("fleiss", "fleiss"), ("free", "randolph")])
def test_fleiss_and_randolph_equal_statsmodels(ours, theirs) -> None:
    for seed in range(3):
        counts = counts_of(some_ratings(50, 5, seed, missing=0))
        assert fleiss_kappa(counts, chance=ours).value == pytest.approx(
            statsmodels_fleiss(counts, method=theirs), abs=1e-12
        )


def test_fleiss_with_a_varying_number_of_raters_by_hand() -> None:
    # Units: (2, 0) agree 1; (1, 2) agree 1/3; (1, 0) has one rating and is left out. Shares 3/5 and 2/5.
    found = fleiss_kappa(np.array([[2, 0], [1, 2], [1, 0]]))
    agreement, chance = (1 + 1 / 3) / 2, (9 + 4) / 25
    assert found.value == pytest.approx((agreement - chance) / (1 - chance))
    assert found.n == 2


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        ([[3, 0], [3, 0]], "only one category is used"),
        ([[1, 0], [0, 1]], "no unit has two ratings or more"),
        (np.empty((0, 2)), "no unit has two ratings or more"),
    ],
)
def test_no_fleiss_comes_with_its_reason(counts, reason: str) -> None:
    assert fleiss_kappa(np.array(counts)).reason == reason


def test_raters_who_choose_freely_may_all_choose_one_category() -> None:
    assert fleiss_kappa(np.array([[3, 0], [3, 0]]), chance="free").value == 1
    assert fleiss_kappa(np.array([[3], [3]]), chance="free").reason == "only one category is used"


def test_percent_agreement_needs_no_second_category() -> None:
    assert percent_agreement(np.array([[3, 0], [3, 0]])).value == 1
    assert percent_agreement(np.array([[1, 0]])).reason == "no unit has two ratings or more"


def test_counts_by_hand() -> None:
    ratings = np.array([[1.0, 3.0, 3.0], [_, _, 1.0]])
    assert counts_of(ratings).tolist() == [[1, 2], [1, 0]]
    assert counts_of(ratings, [3, 2, 1]).tolist() == [
        [1, 0, 2],
        [1, 0, 0],
    ]  # ascending, whatever the order given
    with pytest.raises(ValueError, match=r"3 is none of the categories \[1.0, 2.0\]"):
        counts_of(ratings, [1, 2])


def test_measurements_are_no_categories() -> None:
    ratings = np.random.default_rng(0).random((300, 2))
    with pytest.raises(ValueError, match="600 different values are measurements"):
        counts_of(ratings)
    with pytest.raises(ValueError, match="600 different values are measurements"):
        pairwise_cohen(ratings.T)
    for found in (mean_cohen_kappa(ratings), cohen_kappa(*ratings.T)):
        assert found.reason is not None
        assert found.reason.startswith("600 different values are measurements")
    assert np.isnan(AGREEMENTS["mean_cohen_kappa"].resample(ratings, resamples=2)).all()


def test_counts_that_are_none_are_refused() -> None:
    for bad in ([1, 2], [[-1, 3]], [[_, 3]]):
        with pytest.raises(ValueError, match="counts must be 0 or more"):
            fleiss_rows(np.array(bad, dtype=float))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_cohen_equals_scikit_learn(weights: Weights) -> None:
    for seed in range(3):
        a, b = some_ratings(80, 2, seed, missing=0).T
        theirs = cohen_kappa_score(a, b, weights=None if weights == "none" else weights)
        found = cohen_kappa(a, b, weights=weights)
        assert found.value == pytest.approx(theirs, abs=1e-12)
        assert found.n == 80


def test_cohen_by_hand() -> None:
    # 45 + 15 both say yes and no, 25 and 15 disagree: agreement .6, chance .6 * .7 + .4 * .3 = .54.
    a = np.repeat([1.0, 1.0, 0.0, 0.0], [45, 15, 25, 15])
    b = np.repeat([1.0, 0.0, 1.0, 0.0], [45, 15, 25, 15])
    assert cohen_kappa(a, b).value == pytest.approx((0.60 - 0.54) / (1 - 0.54))


def test_cohen_leaves_out_what_only_one_rated() -> None:
    a, b = np.array([1.0, 2, _, 1, 2]), np.array([1.0, 2, 2, _, 1])
    assert cohen_kappa(a, b) == cohen_kappa(np.array([1.0, 2, 2]), np.array([1.0, 2, 1]))
    assert cohen_kappa(a, b).n == 3


def test_categories_nobody_chose_widen_the_steps() -> None:
    a, b = np.array([1.0, 3, 4, 1, 3]), np.array([1.0, 4, 4, 3, 3])
    given = cohen_kappa(a, b, weights="quadratic", categories=[1, 2, 3, 4])
    theirs = cohen_kappa_score(a, b, weights="quadratic", labels=[1, 2, 3, 4])
    assert given.value == pytest.approx(theirs)
    assert given.value != pytest.approx(cohen_kappa(a, b, weights="quadratic").value)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ([2.0, 2, 2], [2.0, 2, 2], "both raters always chose one category (2)"),
        ([1.0, _], [_, 2.0], "no unit was rated by both raters"),
        ([], [], "no unit was rated by both raters"),
    ],
)
def test_no_cohen_comes_with_its_reason(a, b, reason: str) -> None:
    assert cohen_kappa(np.array(a), np.array(b)).reason == reason


def test_two_raters_who_never_meet_agree_as_chance_would() -> None:
    assert cohen_kappa(np.array([1.0, 1]), np.array([2.0, 2])).value == 0


def test_raters_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one rating each per unit"):
        cohen_kappa(np.ones(3), np.ones(4))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_all_pairs_at_once_equal_each_pair_alone(weights: Weights) -> None:
    ratings = some_ratings(40, 7, seed=3, missing=0.6).T
    ratings[6] = np.nan  # a rater who rated nothing
    ratings[5] = np.where(np.isnan(ratings[5]), np.nan, 2.0)  # and one who always chose the same
    found = pairwise_cohen(ratings, weights=weights)
    for i in range(7):
        assert math.isnan(found.kappa[i, i])
        assert found.n[i, i] == np.count_nonzero(~np.isnan(ratings[i]))
        for j in set(range(7)) - {i}:
            alone = cohen_kappa(ratings[i], ratings[j], weights=weights, categories=range(5))
            assert found.kappa[i, j] == pytest.approx(alone.value, abs=1e-12, nan_ok=True)
            assert found.n[i, j] == alone.n


def test_mean_cohen_is_the_mean_of_the_defined_pairs() -> None:
    ratings = some_ratings(40, 5, seed=4)
    ratings[:, 4] = np.nan
    kappa = pairwise_cohen(ratings.T).kappa
    found = mean_cohen_kappa(ratings)
    assert found.value == pytest.approx(np.nanmean(kappa))
    assert found.n == 6
    assert mean_cohen_kappa(np.ones((4, 3))).reason is not None
    assert mean_cohen_kappa(np.array([[1.0, _], [_, 2.0]])).n == 0


def test_each_resample_is_the_mean_cohen_of_the_units_drawn() -> None:
    ratings = some_ratings(15, 4, seed=8)
    rated = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    weights = np.concatenate(list(draws(len(rated), resamples=30, seed=5)))
    drawn = [mean_cohen_kappa(np.repeat(rated, row.astype(int), axis=0)).value for row in weights]
    assert AGREEMENTS["mean_cohen_kappa"].resample(ratings, resamples=30, seed=5) == pytest.approx(
        drawn, abs=1e-12, nan_ok=True
    )
    assert np.isnan(AGREEMENTS["mean_cohen_kappa"].resample(np.array([[1.0, _]]), resamples=3)).all()


@given(ratings_strategy(), st.permutations(range(4)))
def test_relabelling_leaves_fleiss_and_cohen_alone(ratings: Floats, names: list[int]) -> None:
    renamed = np.where(np.isnan(ratings), np.nan, np.array(names)[np.nan_to_num(ratings).astype(int)])
    for kappa in (lambda given: fleiss_kappa(counts_of(given)), mean_cohen_kappa):
        assert kappa(renamed).value == pytest.approx(kappa(ratings).value, abs=1e-12, nan_ok=True)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=8), st.integers(2, 4))
def test_perfect_agreement_on_two_categories_is_one(chosen: list[int], raters: int) -> None:
    assume(len(set(chosen)) > 1)
    ratings = np.repeat(np.array(chosen, dtype=np.float64)[:, None], raters, axis=1)
    counts = counts_of(ratings)
    assert fleiss_kappa(counts).value == pytest.approx(1)
    assert fleiss_kappa(counts, chance="free").value == pytest.approx(1)
    assert mean_cohen_kappa(ratings).value == pytest.approx(1)


@given(ratings_strategy())
def test_absent_raters_and_unrated_units_change_nothing(ratings: Floats) -> None:
    padded = np.pad(ratings, ((1, 1), (1, 2)), constant_values=np.nan)
    before, after = (fleiss_kappa(counts_of(given)) for given in (ratings, padded))
    assert after.value == pytest.approx(before.value, nan_ok=True)
    assert (after.n, after.reason) == (before.n, before.reason)
    assert mean_cohen_kappa(padded).value == pytest.approx(mean_cohen_kappa(ratings).value, nan_ok=True)


@given(ratings_strategy())
def test_cohen_does_not_care_who_is_first(ratings: Floats) -> None:
    a, b = ratings[:, 0], ratings[:, 1]
    assert cohen_kappa(a, b).value == pytest.approx(cohen_kappa(b, a).value, nan_ok=True)
