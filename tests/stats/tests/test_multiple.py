"""Holm's and Benjamini and Hochberg's corrections: by hand, scipy, statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from statsmodels.stats.multitest import multipletests

from dialeval.stats.tests.multiple import Family, adjust_families, benjamini_hochberg, holm


@pytest.mark.parametrize(
    ("given_p", "adjusted"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),  # 3 x 0.01; 2 x 0.03; 1 x 0.04 lifted to 0.06
        ([0.04, 0.01, 0.03], [0.06, 0.03, 0.06]),  # the same in another order
        ([0.02, 0.02], [0.04, 0.04]),
        ([0.9, 0.6, 0.5], [1.0, 1.0, 1.0]),  # clipped
        ([0.2], [0.2]),
        ([], []),
    ],
)
def test_holm_by_hand(given_p: list[float], adjusted: list[float]) -> None:
    assert holm(given_p) == pytest.approx(adjusted)


def test_what_was_not_tested_stays_out_of_the_count() -> None:
    assert holm([math.nan, 0.01, 0.03]) == pytest.approx([math.nan, 0.02, 0.03], nan_ok=True)
    assert np.isnan(holm([math.nan])).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_between_the_raw_and_the_bonferroni_value_and_in_the_same_order(ps: list[float]) -> None:
    raw = np.array(ps)
    adjusted = holm(raw)
    assert (adjusted >= raw).all()
    assert (adjusted <= np.minimum(1, raw * len(ps))).all()
    assert (np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0).all()
    assert adjusted[raw.argmin()] == min(1, raw.min() * len(ps))


@pytest.mark.parametrize(
    ("given_p", "adjusted"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.04, 0.04]),  # 3/1 x 0.01; 3/2 x 0.03 lowered to 3/3 x 0.04
        ([0.9, 0.6], [0.9, 0.9]),
        ([math.nan, 0.01, 0.03], [math.nan, 0.02, 0.03]),
        ([], []),
    ],
)
def test_benjamini_hochberg_by_hand(given_p: list[float], adjusted: list[float]) -> None:
    assert benjamini_hochberg(given_p) == pytest.approx(adjusted, nan_ok=True)


@pytest.mark.parametrize("m", [1, 2, 7, 40])
def test_both_corrections_equal_statsmodels_and_scipy(m: int) -> None:
    ps = np.round(np.random.default_rng(m).beta(0.3, 1, size=m), 2)  # with ties
    assert holm(ps) == pytest.approx(multipletests(ps, method="holm")[1])
    assert benjamini_hochberg(ps) == pytest.approx(scipy.stats.false_discovery_control(ps))
    assert (benjamini_hochberg(ps) <= holm(ps) + 1e-15).all()


def test_all_measures_are_one_family_unless_one_was_declared():
    p_values = {"bleu": [0.01, 0.04], "rouge": [0.03, math.nan]}
    found = adjust_families(p_values)
    together = holm([0.01, 0.04, 0.03])
    assert found["bleu"].p_values.tolist() == together[:2].tolist()
    assert found["rouge"].p_values[0] == together[2]
    assert (
        found["bleu"].family == found["rouge"].family == Family("exploratory", ("bleu", "rouge"), 3, "holm")
    )
    by_discovery = adjust_families(p_values, correction="bh")
    assert by_discovery["rouge"].p_values[0] == benjamini_hochberg([0.01, 0.04, 0.03])[2]


def test_a_primary_measure_is_corrected_by_itself():
    p_values = {"bleu": [0.01, 0.04], "rouge": [0.03, 0.5], "length": [0.2, 0.2]}
    found = adjust_families(p_values, primary="rouge", correction="bh")
    assert list(found) == list(p_values)
    assert found["rouge"].p_values.tolist() == holm([0.03, 0.5]).tolist()
    assert found["rouge"].family == Family("confirmatory", ("rouge",), 2, "holm")
    assert found["length"].family == Family("exploratory", ("bleu", "length"), 4, "bh")
    with pytest.raises(ValueError, match="'bert' is none of bleu, rouge"):
        adjust_families(p_values, primary="bert")


def test_a_primary_measure_may_stand_alone():
    assert adjust_families({"a": [0.01]}, primary="a")["a"].p_values.tolist() == [0.01]


def test_correcting_each_measure_alone_makes_false_claims_often():
    """Six equal systems and ten measures: a false claim somewhere in a third of the studies, or in one of twenty."""
    rng = np.random.default_rng(0)
    alone = together = 0
    studies = 600
    first, second = np.triu_indices(6, 1)
    for _ in range(studies):
        shared = rng.normal(size=(1, 6))
        scores = 0.5**0.5 * shared + 0.5**0.5 * rng.normal(size=(10, 6))
        p = 2 * scipy.stats.norm.sf(np.abs(scores[:, first] - scores[:, second]) / 2**0.5)
        by_measure = {str(place): row.tolist() for place, row in enumerate(p)}
        alone += any(holm(row).min() < 0.05 for row in p)
        together += any(one.p_values.min() < 0.05 for one in adjust_families(by_measure).values())
    assert alone > 0.15 * studies
    assert together <= 0.07 * studies
