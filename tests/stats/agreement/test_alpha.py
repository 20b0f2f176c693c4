"""Krippendorff's alpha: his own worked example, the krippendorff package, and what must leave it alone."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hnp

from dialeval.stats.agreement import alpha as module
from dialeval.stats.agreement.alpha import DISAGREEMENTS, Scale, krippendorff_alpha
from dialeval.stats.agreement.coefficients import AGREEMENTS
from dialeval.stats.resampling.bootstrap import Floats, draws

_ = math.nan
# Krippendorff (2011), section C: four observers, twelve units, missing data.
WORKED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    ]
).T
SCALES = tuple(DISAGREEMENTS)


def some_ratings(units: int, raters: int, top: int, seed: int, missing: float = 0.2) -> Floats:
    rng = np.random.default_rng(seed)
    ratings = (rng.integers(top, size=(units, 1)) + rng.integers(3, size=(units, raters))).astype(float)
    ratings[rng.random(ratings.shape) < missing] = np.nan
    return ratings


@st.composite
def ratings_strategy(draw: st.DrawFn, top: int = 4) -> Floats:
    shape = (draw(st.integers(1, 8)), draw(st.integers(2, 5)))
    values = draw(hnp.arrays(np.int64, shape, elements=st.integers(-1, top))).astype(np.float64)
    values[values < 0] = np.nan
    return values


@pytest.mark.parametrize(
    ("scale", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_krippendorffs_own_example(scale: Scale, value: float) -> None:
    found = krippendorff_alpha(WORKED, scale)
    assert found.value == pytest.approx(value, abs=5e-4)
    assert found.n == 11  # the unit with a single rating is left out


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(3))
def test_equal_to_the_krippendorff_package(scale: Scale, seed: int) -> None:
    ratings = some_ratings(60, 6, 5, seed)
    theirs = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=scale)
    assert krippendorff_alpha(ratings, scale).value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_by_hand_on_two_units(scale: Scale) -> None:
    # (1, 3) and (3, 3): observed 2 d / 1, expected 2 * 1 * 3 d with n = 4, so alpha = 1 - 3 * 2 / 6 whatever d is.
    assert krippendorff_alpha(np.array([[1.0, 3.0], [3.0, 3.0]]), scale).value == pytest.approx(0)


@pytest.mark.parametrize("scale", SCALES)
def test_many_different_values_take_the_sparse_way_to_the_same_number(
    scale: Scale, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratings = np.round(np.random.default_rng(0).gamma(3, size=(80, 4)) + np.arange(80)[:, None] / 9, 2)
    dense, trials = (
        krippendorff_alpha(ratings, scale),
        AGREEMENTS[f"alpha_{scale}"].resample(ratings, resamples=20),
    )
    monkeypatch.setattr(module, "DENSE", 0)
    assert krippendorff_alpha(ratings, scale).value == pytest.approx(dense.value, abs=1e-12)
    assert AGREEMENTS[f"alpha_{scale}"].resample(ratings, resamples=20) == pytest.approx(trials, abs=1e-12)
    theirs = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=scale)
    assert dense.value == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("scale", SCALES)
def test_each_resample_is_the_alpha_of_the_units_drawn(scale: Scale) -> None:
    ratings = some_ratings(15, 4, 3, seed=8)
    rated = ratings[(~np.isnan(ratings)).sum(axis=1) >= 2]
    weights = np.concatenate(list(draws(len(rated), resamples=30, seed=5)))
    drawn = [krippendorff_alpha(np.repeat(rated, row.astype(int), axis=0), scale).value for row in weights]
    assert AGREEMENTS[f"alpha_{scale}"].resample(ratings, resamples=30, seed=5) == pytest.approx(
        drawn, abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (np.array([[3.0, 3.0], [3.0, 3.0]]), "all ratings are equal (3)"),
        (np.array([[1.0, _], [_, 2.0]]), "no unit has two ratings or more"),
        (np.array([[1.0], [2.0]]), "no unit has two ratings or more"),
        (np.empty((0, 3)), "no unit has two ratings or more"),
    ],
)
@pytest.mark.parametrize("scale", SCALES)
def test_no_alpha_comes_with_its_reason(ratings: Floats, reason: str, scale: Scale) -> None:
    assert krippendorff_alpha(ratings, scale).reason == reason
    assert np.isnan(AGREEMENTS[f"alpha_{scale}"].resample(ratings, resamples=3)).all()


def test_a_ratio_scale_has_no_values_below_its_zero() -> None:
    ratings = np.array([[-1.0, 2.0], [0.0, 0.0]])
    assert (
        krippendorff_alpha(ratings, "ratio").reason
        == "a ratio scale starts at 0, but there is a rating of -1"
    )
    assert krippendorff_alpha(ratings, "interval").defined


def test_ratings_that_are_no_matrix_or_infinite_are_refused() -> None:
    for bad in (np.array([1.0, 2.0]), np.array([[1.0, np.inf]])):
        with pytest.raises(ValueError, match="finite or NaN"):
            krippendorff_alpha(bad)


def test_a_distant_zero_costs_no_digits() -> None:
    ratings = some_ratings(40, 4, 4, seed=1)
    near, far = (krippendorff_alpha(ratings + shift, "interval").value for shift in (0, 1e7))
    assert far == pytest.approx(near, abs=1e-9)


@given(ratings_strategy(), st.permutations(range(5)))
def test_relabelling_leaves_nominal_alpha_alone(ratings: Floats, names: list[int]) -> None:
    renamed = np.where(np.isnan(ratings), np.nan, np.array(names)[np.nan_to_num(ratings).astype(int)])
    assert _same(krippendorff_alpha(ratings).value, krippendorff_alpha(renamed).value)


@given(ratings_strategy(), st.floats(0.1, 50), st.floats(-100, 100))
def test_affine_maps_leave_interval_alpha_alone(ratings: Floats, slope: float, shift: float) -> None:
    mapped = krippendorff_alpha(slope * ratings + shift, "interval").value
    assert _same(krippendorff_alpha(ratings, "interval").value, mapped)
    assert _same(mapped, krippendorff_alpha(-slope * ratings + shift, "interval").value)


@given(ratings_strategy())
def test_monotone_maps_leave_ordinal_alpha_alone(ratings: Floats) -> None:
    value = krippendorff_alpha(ratings, "ordinal").value
    assert _same(value, krippendorff_alpha(np.exp(ratings), "ordinal").value)
    assert _same(value, krippendorff_alpha(-(ratings**3), "ordinal").value)


@given(ratings_strategy(), st.floats(0.1, 50))
def test_units_of_measurement_leave_ratio_alpha_alone(ratings: Floats, slope: float) -> None:
    assert _same(
        krippendorff_alpha(ratings, "ratio").value, krippendorff_alpha(slope * ratings, "ratio").value
    )


@pytest.mark.parametrize("scale", SCALES)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=8), st.integers(2, 4))
def test_perfect_agreement_on_two_categories_is_one(scale: Scale, chosen: list[int], raters: int) -> None:
    assume(len(set(chosen)) > 1)
    ratings = np.repeat(np.array(chosen, dtype=np.float64)[:, None], raters, axis=1)
    assert krippendorff_alpha(ratings, scale).value == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("scale", SCALES)
@given(ratings_strategy(), st.data())
def test_absent_raters_unrated_units_and_order_change_nothing(
    scale: Scale, ratings: Floats, data: st.DataObject
) -> None:
    value = krippendorff_alpha(ratings, scale).value
    padded = np.pad(ratings, ((1, 1), (1, 2)), constant_values=np.nan)
    assert _same(value, krippendorff_alpha(padded, scale).value)
    order = data.draw(st.permutations(range(ratings.shape[1])))
    assert _same(value, krippendorff_alpha(ratings[::-1, order], scale).value)


def _same(a: float, b: float) -> bool:
    return a == pytest.approx(b, abs=1e-9, nan_ok=True)
