"""Every measure of agreement: intervals over resampled units, and the published values on real ratings."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from dialeval.stats.agreement.coefficients import AGREEMENTS, AgreementName, agreement_limits
from dialeval.stats.agreement.icc import icc_limits
from dialeval.stats.resampling.bootstrap import Floats, draws
from dialeval.stats.resampling.jackknife import skewed_t_interval

_ = math.nan
NAMES = tuple(AGREEMENTS)


def some_ratings(units: int, raters: int = 4, seed: int = 0, missing: float = 0.0) -> Floats:
    rng = np.random.default_rng(seed)
    ratings = 1.0 + rng.integers(4, size=(units, 1)) + rng.integers(3, size=(units, raters))
    return np.where(rng.random(ratings.shape) < missing, np.nan, ratings)


def enters(name: AgreementName, ratings: Floats) -> Floats:
    """The units that can enter the statistic."""
    rated = (~np.isnan(ratings)).sum(axis=1)
    return ratings[rated >= (ratings.shape[1] if name.startswith("icc") else 2)]


@pytest.mark.parametrize("name", NAMES)
def test_each_resample_is_the_statistic_of_the_units_drawn(name: AgreementName) -> None:
    ratings = some_ratings(25, seed=2, missing=0.2)
    statistic, units = AGREEMENTS[name], enters(name, ratings)
    weights = np.concatenate(list(draws(len(units), resamples=25, seed=6)))
    drawn = [statistic.estimate(np.repeat(units, row.astype(int), axis=0)).value for row in weights]
    found = statistic.resample(ratings, resamples=25, seed=6)
    if name == "free_kappa":  # chance counts the categories of all units, also those that a resample missed
        assert np.unique(units[~np.isnan(units)]).tolist() == [1, 2, 3, 4, 5, 6]
        drawn = [1 - (1 - agreed) * 6 / 5 for agreed in _percent(units, weights)]
    assert found == pytest.approx(drawn, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_interval_holds_the_estimate_and_narrows_with_more_units(name: AgreementName) -> None:
    few, many = some_ratings(40, seed=1), some_ratings(640, seed=1)
    narrow, wide = (agreement_limits(name, given).bounds for given in (many, few))
    assert narrow[0] < AGREEMENTS[name].estimate(many).value < narrow[1]
    assert (narrow[1] - narrow[0]) == pytest.approx((wide[1] - wide[0]) / 4, rel=0.5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "ratings", [np.array([[1.0, _], [_, 2.0]]), np.array([[1.0], [2.0]]), np.empty((0, 3))]
)
def test_what_is_undefined_has_a_reason_and_no_interval(name: AgreementName, ratings: Floats) -> None:
    assert AGREEMENTS[name].estimate(ratings).reason
    assert agreement_limits(name, ratings).absence == "undefined"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "percent_agreement"])
def test_one_category_is_no_evidence_of_agreement(name: AgreementName) -> None:
    same = np.full((5, 3), 2.0)
    assert AGREEMENTS[name].estimate(same).reason
    assert agreement_limits(name, same).absence == "undefined"


@pytest.mark.parametrize("name", NAMES)
def test_measurements_get_a_number_or_a_reason_never_a_crash(name: AgreementName) -> None:
    measured = np.random.default_rng(0).random((400, 1)) + np.random.default_rng(1).random((400, 3))
    found = AGREEMENTS[name].estimate(measured)
    categorical = "kappa" in name or name == "percent_agreement"
    assert (found.reason is not None and "measurements" in found.reason) == categorical
    assert (agreement_limits(name, measured).absence == "undefined") == categorical


# Facts of the papers' own data, recomputed by others before us: ../shared/facts.md, section 3.
@pytest.mark.parametrize(
    ("level", "criterion", "fleiss", "items"),
    [
        ("turn", "Interesting", 0.153, None),
        ("turn", "Overall", 0.087, None),
        ("dialogue", "Coherent", 0.244, None),
        ("dialogue", "Error recovery", 0.105, 50),
    ],
)
def test_reproduces_fleiss_of_fed(
    shared_data: Path, level: str, criterion: str, fleiss: float, items: int | None
) -> None:
    ratings = _fed(shared_data, level, criterion)
    whole = ratings[~np.isnan(ratings).any(axis=1)]
    found = AGREEMENTS["fleiss_kappa"].estimate(whole)
    assert found.value == pytest.approx(fleiss, abs=5e-4)
    assert items is None or found.n == items


@pytest.mark.parametrize(("level", "alpha"), [("turn", 0.327), ("dialogue", 0.368)])
def test_reproduces_interval_alpha_of_fed(shared_data: Path, level: str, alpha: float) -> None:
    found = AGREEMENTS["alpha_interval"].estimate(_fed(shared_data, level, "Overall"))
    assert found.value == pytest.approx(alpha, abs=5e-4)


def test_reproduces_interval_alpha_of_grade(shared_data: Path) -> None:
    rows = json.loads((shared_data / "grade" / "human_score" / "human_judgement.json").read_text())
    by_system: dict[tuple[str, str], list[list[float]]] = {}
    for row in rows:
        by_system.setdefault((row["Dataset"], row["DialogModel"]), []).append(json.loads(row["HumanScores"]))
    alphas = [AGREEMENTS["alpha_interval"].estimate(_padded(scores)).value for scores in by_system.values()]
    assert min(alphas) == pytest.approx(0.058, abs=5e-4)
    assert max(alphas) == pytest.approx(0.164, abs=5e-4)


def _fed(shared_data: Path, level: str, criterion: str) -> Floats:
    rows = json.loads((shared_data / "fed" / "fed_data.json").read_text())
    chosen = [row["annotations"][criterion] for row in rows if ("response" in row) == (level == "turn")]
    return _padded([[value if isinstance(value, int) else _ for value in values] for values in chosen])


def _padded(rows: list[list[float]]) -> Floats:
    width = max(map(len, rows))
    return np.array([[*row, *[_] * (width - len(row))] for row in rows], dtype=np.float64)


def _percent(units: Floats, weights: Floats) -> list[float]:
    estimate = AGREEMENTS["percent_agreement"].estimate
    return [estimate(np.repeat(units, row.astype(int), axis=0)).value for row in weights]


ALL_NAMES = list(AGREEMENTS)


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
    assert agreement_limits("icc_2_1", SHROUT_FLEISS, raters="like-these").bounds == icc_limits(SHROUT_FLEISS)
    of_mean = agreement_limits("icc_2_k", SHROUT_FLEISS, raters="like-these")
    assert of_mean.bounds == icc_limits(SHROUT_FLEISS, "2,k")


@pytest.mark.parametrize("ratings", [np.full((4, 2), 3.0), np.empty((0, 2)), np.array([[1.0, 1], [2, 2]])])
def test_without_a_spread_to_compare_with_there_are_no_limits(ratings):
    assert np.isnan(icc_limits(ratings)).all()


@pytest.mark.parametrize("name", ALL_NAMES)
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


@pytest.mark.parametrize("name", ALL_NAMES)
def test_limits_hold_the_estimate_and_other_raters_widen_them(name):
    ratings = made(100, bias=1.0, seed=1)
    value = AGREEMENTS[name].estimate(ratings).value
    these, like = (agreement_limits(name, ratings, raters=who) for who in ("these", "like-these"))
    for found in (these, like):
        assert found.bounds[0] < value < found.bounds[1] <= 1
    assert like.bounds[1] - like.bounds[0] > these.bounds[1] - these.bounds[0]
    if name != "percent_agreement":  # a share, whose interval never leaves 0 to 1
        low, high = skewed_t_interval(*AGREEMENTS[name].leave_out(ratings))
        assert these == ((low, min(1.0, high)), None)


def test_pairs_that_always_agree_do_not_prove_it():
    bounds, absence = agreement_limits("percent_agreement", np.ones((10, 3)))
    assert (bounds, absence) == (pytest.approx((0.025 ** (1 / 10), 1)), None)


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
    assert found.bounds is None


def test_units_of_a_cluster_count_once():
    ratings = made(30, seed=2)
    once = agreement_limits("alpha_ordinal", ratings)
    copied = np.repeat(ratings, 4, axis=0)
    together = agreement_limits("alpha_ordinal", copied, clusters=np.repeat(np.arange(30), 4))
    alone = agreement_limits("alpha_ordinal", copied)
    assert together.bounds[1] - together.bounds[0] == pytest.approx(once.bounds[1] - once.bounds[0], rel=0.1)
    assert alone.bounds[1] - alone.bounds[0] < 0.6 * (once.bounds[1] - once.bounds[0])


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
        low, high = agreement_limits(name, ratings).bounds or (-np.inf, np.inf)
        held["jackknife"] += low <= truth <= high
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
                low, high = agreement_limits(name, ratings, raters=who).bounds
                held[who] += low <= value <= high
        assert held["like-these"] >= 0.9 * 200
        assert held["these"] < 0.88 * 200
