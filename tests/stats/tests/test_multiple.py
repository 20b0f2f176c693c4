"""Holm's and Benjamini and Hochberg's corrections: by hand, scipy, statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from scipy.stats import norm, ttest_1samp
from statsmodels.stats.multitest import multipletests

from dialeval.stats.tests.multiple import (
    Family,
    adjust_families,
    benjamini_hochberg,
    combined_p,
    holm,
    looks,
    spent_alpha,
)


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


@pytest.mark.parametrize(
    ("spending", "share", "limits"),
    [
        # As published for two looks at equal distances, such as in the manual of R's ldbounds; not run here.
        ("obrien-fleming", 0.5, (2.963, 1.969)),
        ("pocock", 0.5, (2.157, 2.201)),
    ],
)
def test_limits_are_those_of_lan_and_demets(spending, share, limits):
    found = looks(share, spending=spending)
    assert [norm.isf(p / 2) for p in found] == pytest.approx(limits, abs=6e-4)


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_all_of_alpha_is_spent_at_the_end_and_less_before(spending):
    assert spent_alpha(1.0, spending=spending) == pytest.approx(0.05)
    spent = [spent_alpha(share, spending=spending, alpha=0.01) for share in (0.1, 0.5, 0.9)]
    assert spent == sorted(spent)
    assert spent[-1] < 0.01


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_both_looks_together_err_as_often_as_alpha_says(share, spending):
    rng = np.random.default_rng(0)
    first, new = rng.normal(size=(2, 400_000))
    both = math.sqrt(share) * first + math.sqrt(1 - share) * new
    limits = [norm.isf(p / 2) for p in looks(share, spending=spending)]
    claimed = (np.abs(first) > limits[0]) | (np.abs(both) > limits[1])
    assert claimed.mean() == pytest.approx(0.05, abs=0.002)


def test_looks_are_combined_by_their_signs():
    assert combined_p((1.0, 0.1), (1.0, 0.1)) < 0.05
    assert combined_p((1.0, 0.1), (-1.0, 0.1)) == pytest.approx(1)
    assert combined_p((-1.0, 0.1), (-2.0, 0.1)) == combined_p((1.0, 0.1), (2.0, 0.1))
    z = (norm.isf(0.02) * math.sqrt(0.3) + norm.isf(0.15) * math.sqrt(0.7),)
    assert combined_p((1.0, 0.04), (1.0, 0.3), 0.3) == pytest.approx(2 * norm.sf(z[0]))


def test_a_share_lies_between_0_and_1():
    with pytest.raises(ValueError, match="between 0 and 1"):
        looks(1.0)


@pytest.mark.slow
def test_a_second_look_at_as_many_items_as_the_first_asked_for_is_honest():
    """Equal systems, and as many more items as the first result says it takes: testing them all errs in 11 %."""
    rng = np.random.default_rng(2)
    limits = looks()
    naive = honest = 0
    studies = 2000
    for _ in range(studies):
        first = rng.normal(size=50)
        seen = ttest_1samp(first, 0)
        if seen.pvalue < 0.05:
            naive += 1
            honest += seen.pvalue < limits.first
            if seen.pvalue < limits.first:
                continue
        needed = int(min(2000, max(20, 50 * (2.8 / abs(seen.statistic)) ** 2 - 50)))
        new = rng.normal(size=needed)
        if seen.pvalue >= 0.05:
            naive += ttest_1samp(np.concatenate([first, new]), 0).pvalue < 0.05
        later = ttest_1samp(new, 0)
        honest += combined_p((first.mean(), seen.pvalue), (new.mean(), later.pvalue)) < limits.second
    assert naive > 0.085 * studies
    assert honest <= 0.062 * studies
