"""Intraclass correlation: Shrout and Fleiss' own example, statsmodels' analysis of variance, undefined cases."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from dialeval.stats.agreement.icc import icc
from dialeval.stats.resampling.bootstrap import Floats

_ = math.nan
# Shrout & Fleiss (1979), table 2: six targets, four judges.
SHROUT = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)


def test_shrout_and_fleiss_own_example() -> None:
    one, mean = icc(SHROUT, "2,1"), icc(SHROUT, "2,k")
    assert one.value == pytest.approx(0.29, abs=5e-3)
    assert mean.value == pytest.approx(0.62, abs=5e-3)
    assert (one.n, one.left_out) == (6, 0)
    assert one.p == mean.p == pytest.approx(1.35e-4, rel=0.01)  # F(5, 15) = 11.24 / 1.02


def test_equal_to_an_analysis_of_variance_by_statsmodels() -> None:
    rng = np.random.default_rng(0)
    ratings = rng.normal(size=(12, 1)) + rng.normal(size=(1, 3)) + rng.normal(size=(12, 3))
    unit, rater = np.indices(ratings.shape)
    frame = pd.DataFrame({"unit": unit.ravel(), "rater": rater.ravel(), "value": ratings.ravel()})
    table = anova_lm(ols("value ~ C(unit) + C(rater)", frame).fit())
    bms, jms, ems = table["sum_sq"] / table["df"]
    found = icc(ratings, "2,1")
    assert found.value == pytest.approx((bms - ems) / (bms + 2 * ems + 3 * (jms - ems) / 12), abs=1e-12)
    assert icc(ratings, "2,k").value == pytest.approx((bms - ems) / (bms + (jms - ems) / 12), abs=1e-12)
    assert found.p == pytest.approx(table["PR(>F)"]["C(unit)"], rel=1e-9)


def test_incomplete_units_are_left_out_and_counted() -> None:
    gaps = np.vstack([SHROUT, [[_, 1, 2, 3]], [[5, _, _, _]]])
    assert icc(gaps).value == pytest.approx(icc(SHROUT).value)
    assert (icc(gaps).n, icc(gaps).left_out) == (6, 2)


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (np.full((3, 2), 4.0), "all ratings are equal"),
        (np.array([[1.0], [2.0]]), "1 rater, where two are needed"),
        (np.array([[1.0, _], [_, 2.0]]), "no unit was rated by all 2 raters"),
        (np.array([[1.0, 2.0], [_, 2.0]]), "only one unit was rated by all raters"),
        (np.empty((0, 2)), "no unit was rated by all 2 raters"),
    ],
)
def test_no_icc_comes_with_its_reason(ratings: Floats, reason: str) -> None:
    for form in ("2,1", "2,k"):
        assert icc(ratings, form).reason == reason


def test_raters_who_only_contradict_each_other_have_no_mean_worth_rating() -> None:
    # Units' means are all 1.5, raters' too: BMS = JMS = 0, and ICC(2,k) would be -EMS / (-EMS / n) = n.
    crossed = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    assert (
        icc(crossed, "2,k").reason
        == "units differ too little, compared with raters, for the ratio to mean anything"
    )
    assert icc(crossed, "2,1").value == pytest.approx(-1 / (1 - 2 / 4))


def test_units_that_do_not_differ_beside_raters_who_do_give_zero() -> None:
    found = icc(np.array([[1.0, 2.0], [1.0, 2.0]]))
    assert found.value == 0
    assert math.isnan(found.p)


@given(hnp.arrays(np.int64, st.tuples(st.integers(2, 6), st.integers(2, 4)), elements=st.integers(0, 5)))
def test_affine_maps_leave_icc_alone(values) -> None:
    ratings = values.astype(np.float64)
    for form in ("2,1", "2,k"):
        before, after = icc(ratings, form), icc(1000 - 3 * ratings, form)
        assert after.value == pytest.approx(before.value, rel=1e-6, abs=1e-9, nan_ok=True)
        assert after.reason == before.reason


@given(st.lists(st.integers(0, 5), min_size=2, max_size=8), st.integers(2, 4))
def test_perfect_agreement_is_one(chosen: list[int], raters: int) -> None:
    assume(len(set(chosen)) > 1)
    ratings = np.repeat(np.array(chosen, dtype=np.float64)[:, None], raters, axis=1)
    for form in ("2,1", "2,k"):
        assert icc(ratings, form).value == pytest.approx(1)
        assert icc(ratings, form).p == 0
