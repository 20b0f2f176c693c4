from __future__ import annotations

import math

import numpy as np
import pytest

from dialeval.stats import AGREEMENTS
from dialeval.stats.agreement.icc import icc_limits
from dialeval.stats.agreement.limits import agreement_limits
from dialeval.stats.resampling.jackknife import skewed_t_interval

NAMES = list(AGREEMENTS)


def made(units, raters=3, *, reliability=0.5, cuts=(-1.2, -0.3, 0.6, 1.6), bias=0.0, seed=0):
    """Ratings of an ordered scale by raters who see the same thing, each with noise and a bias of their own."""
    rng = np.random.default_rng(seed)
    seen = math.sqrt(reliability) * rng.normal(size=(units, 1))
    noise = math.sqrt(1 - reliability) * rng.normal(size=(units, raters))
    return np.searchsorted(cuts, seen + noise + bias * rng.normal(size=raters)).astype(float) + 1


SHROUT_FLEISS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)


def test_limits_of_intraclass_correlations_are_psychs():
    """As published for Shrout and Fleiss' (1979) Table 2 by R's psych::ICC: ICC2 [0.019, 0.76], ICC2k [0.071, 0.93]."""
    assert icc_limits(SHROUT_FLEISS) == pytest.approx((0.0188, 0.7611), abs=5e-5)
    assert icc_limits(SHROUT_FLEISS, "2,k") == pytest.approx((0.0711, 0.9272), abs=5e-5)
    assert agreement_limits("icc_2_1", SHROUT_FLEISS, raters="like-these")[:2] == icc_limits(SHROUT_FLEISS)
    of_mean = agreement_limits("icc_2_k", SHROUT_FLEISS, raters="like-these")
    assert of_mean[:2] == icc_limits(SHROUT_FLEISS, "2,k")


@pytest.mark.parametrize("ratings", [np.full((4, 2), 3.0), np.empty((0, 2)), np.array([[1.0, 1], [2, 2]])])
def test_without_a_spread_to_compare_with_there_are_no_limits(ratings):
    assert np.isnan(icc_limits(ratings)).all()


@pytest.mark.parametrize("name", NAMES)
def test_leaving_a_unit_out_is_estimating_without_it(name):
    ratings = made(12, seed=3)
    ratings[2, 0] = ratings[5, 1:] = np.nan
    value, without = AGREEMENTS[name].leave_out(ratings)
    entering = np.flatnonzero(AGREEMENTS[name].enters(ratings))
    expected = [AGREEMENTS[name].estimate(np.delete(ratings, unit, axis=0)).value for unit in entering]
    if name == "free_kappa":  # chance counts the categories of all units
        assert len(without) == len(expected)
    else:
        np.testing.assert_allclose(without, expected, atol=1e-10)
    assert value == AGREEMENTS[name].estimate(ratings).value
    pairs = AGREEMENTS[name].leave_out(ratings, np.arange(12) // 2)
    assert len(pairs.without) == 6


@pytest.mark.parametrize("name", NAMES)
def test_limits_hold_the_estimate_and_other_raters_widen_them(name):
    ratings = made(100, bias=1.0, seed=1)
    value = AGREEMENTS[name].estimate(ratings).value
    these, like = (agreement_limits(name, ratings, raters=who) for who in ("these", "like-these"))
    for found in (these, like):
        assert found.low < value < found.high <= 1
    assert like.high - like.low > these.high - these.low
    if name != "percent_agreement":  # a share, whose interval never leaves 0 to 1
        low, high = skewed_t_interval(*AGREEMENTS[name].leave_out(ratings))
        assert these == (low, min(1.0, high), None)


def test_pairs_that_always_agree_do_not_prove_it():
    low, high, absence = agreement_limits("percent_agreement", np.ones((10, 3)))
    assert (low, high, absence) == (pytest.approx(0.025 ** (1 / 10)), 1, None)


@pytest.mark.parametrize(
    ("ratings", "raters", "absence"),
    [
        (made(4), "these", "few-units"),
        (made(20, raters=2), "like-these", "few-raters"),
        (np.tile([1.0, 1.0, 2.0, 2.0], (6, 1)), "these", "constant"),
        (np.ones((20, 3)), "these", "undefined"),
    ],
)
def test_what_has_no_interval_has_a_reason(ratings, raters, absence):
    found = agreement_limits("fleiss_kappa", ratings, raters=raters)
    assert found.absence == absence
    assert np.isnan(found[:2]).all()


def test_units_of_a_cluster_count_once():
    ratings = made(30, seed=2)
    once = agreement_limits("alpha_ordinal", ratings)
    copied = np.repeat(ratings, 4, axis=0)
    together = agreement_limits("alpha_ordinal", copied, clusters=np.repeat(np.arange(30), 4))
    alone = agreement_limits("alpha_ordinal", copied)
    assert together.high - together.low == pytest.approx(once.high - once.low, rel=0.1)
    assert alone.high - alone.low < 0.6 * (once.high - once.low)


def test_a_category_nobody_agreed_on_yet_leaves_no_interval():
    """Two raters chose the rare category once each, never for the same unit: kappa is below 0 by accident."""
    ratings = np.ones((20, 2))
    ratings[3, 0] = ratings[8, 1] = 2
    assert agreement_limits("fleiss_kappa", ratings).absence == "unseen"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["percent_agreement", "fleiss_kappa", "alpha_ordinal", "icc_2_1"])
def test_ten_units_are_covered_where_the_bootstrap_falls_short(name):
    truth = AGREEMENTS[name].estimate(made(60_000, seed=99)).value
    held = {"bootstrap": 0, "jackknife": 0}
    samples = 500
    for seed in range(samples):
        ratings = made(10, seed=seed)
        low, high = np.nanquantile(
            AGREEMENTS[name].resample(ratings, resamples=200, seed=seed), [0.025, 0.975]
        )
        held["bootstrap"] += low <= truth <= high
        low, high, _ = agreement_limits(name, ratings)
        held["jackknife"] += bool(np.isnan(low)) or low <= truth <= high
    assert held["jackknife"] >= 0.93 * samples
    assert held["bootstrap"] < 0.92 * samples


@pytest.mark.slow
def test_other_raters_are_covered_only_where_raters_are_in_the_model():
    rng = np.random.default_rng(0)
    many = np.concatenate([made(3000, 300, bias=0.5, seed=seed) for seed in range(2)])
    truth = {name: AGREEMENTS[name].estimate(many[:3000]).value for name in ("alpha_interval", "icc_2_1")}
    for name, value in truth.items():
        held = {"these": 0, "like-these": 0}
        for _ in range(200):
            ratings = made(100, 3, bias=0.5, seed=int(rng.integers(1 << 32)))
            for who in held:
                low, high, _ = agreement_limits(name, ratings, raters=who)
                held[who] += low <= value <= high
        assert held["like-these"] >= 0.9 * 200
        assert held["these"] < 0.88 * 200
