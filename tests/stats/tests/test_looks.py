from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp

from dialeval.stats.tests.looks import combined_p, looks, spent_alpha


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
