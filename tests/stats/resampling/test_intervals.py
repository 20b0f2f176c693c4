from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.stats import jackknife_interval, percentile_interval
from dialeval.stats.resampling.bootstrap import bootstrap
from dialeval.stats.resampling.intervals import difference_interval, interval_of, unseen
from dialeval.stats.resampling.jackknife import leave_out, skewed_t_interval
from dialeval.stats.resampling.proportions import clopper_pearson, paired_proportions


def mean(totals):
    return totals[..., 0] / totals[..., 1]


def pooled_precision(totals):
    """A geometric mean of two precisions, as BLEU-2 without its penalty."""
    return np.sqrt(totals[..., 0] * totals[..., 1]) / totals[..., 2]


def rows_of(values):
    return np.column_stack([values, np.ones(len(values))])


values = st.lists(st.floats(-100, 100), min_size=2, max_size=30)


@given(values, st.sampled_from([0.8, 0.95]))
def test_an_interval_holds_its_score_and_is_never_of_width_zero(given_values, confidence):
    found = interval_of(rows_of(np.array(given_values)), mean, confidence=confidence)
    if found.absence is None:
        assert found.estimate.low < found.estimate.high
        assert found.estimate.low <= np.mean(given_values) <= found.estimate.high
    else:
        assert found.estimate.bounds is None


@given(values, st.floats(0.1, 10), st.floats(-10, 10))
def test_another_scale_moves_the_ends_with_it(given_values, times, plus):
    sample = np.array(given_values)
    one, other = (skewed_t_interval(*leave_out(rows_of(v), mean)) for v in (sample, times * sample + plus))
    assert other == pytest.approx([times * end + plus for end in one], rel=1e-6, abs=1e-6)


def test_without_skewness_it_is_students_interval():
    sample = np.array([1, 2, 3, 4, 5, 6.0])
    left_out = leave_out(rows_of(sample), mean)
    assert skewed_t_interval(*left_out) == pytest.approx(jackknife_interval(*left_out))


def test_halls_transformation_by_hand():
    """Many exponential values: b = skewness / sqrt(n) put into Hall's cubic gives back Student's quantile."""
    from scipy.stats import skew, t

    sample = np.random.default_rng(0).exponential(size=400)
    low, high = skewed_t_interval(*leave_out(rows_of(sample), mean))
    b, error = skew(sample) / math.sqrt(400), sample.std(ddof=1) / math.sqrt(400)
    for end, quantile in ((low, t.ppf(0.975, 399)), (high, t.ppf(0.025, 399))):
        z = (sample.mean() - end) / error
        assert z + b * z**2 / 3 + b**2 * z**3 / 27 + b / 6 == pytest.approx(quantile)
    assert high - sample.mean() > sample.mean() - low


@pytest.mark.parametrize("direction", [1, -1])
def test_fewer_than_fifty_units_have_the_wider_end_on_either_side(direction):
    sample = direction * np.random.default_rng(1).exponential(size=20)
    left_out = leave_out(rows_of(sample), mean)
    plain, found = jackknife_interval(*left_out), skewed_t_interval(*left_out)
    assert found[0] <= plain[0] < plain[1] <= found[1]
    assert found != plain


def test_many_units_of_which_few_differ_are_few():
    """Two hundred differences, of which six are not 0: Hall's ends alone covered 90 % of such samples."""
    sample = np.zeros(200)
    sample[:6] = [1, 1, 1, 1, 1, -1]
    left_out = leave_out(rows_of(sample), mean)
    plain, found = jackknife_interval(*left_out), skewed_t_interval(*left_out)
    assert found[0] == plain[0]
    assert found[1] >= plain[1]


def test_yes_no_measures_have_the_exact_interval():
    right = np.array([1, 1, 1, 0, 1.0])
    found = interval_of(rows_of(right), mean)
    assert (found.estimate.low, found.estimate.high) == clopper_pearson(4, 5)
    assert (found.method, found.estimate.n, found.absence) == ("clopper-pearson", 5, None)
    every = interval_of(rows_of(np.ones(5)), mean, yes_no=True)
    assert (every.estimate.low, every.estimate.high) == clopper_pearson(5, 5)
    clustered = interval_of(rows_of(right), mean, clusters=np.array([0, 0, 1, 1, 2]))
    assert (clustered.method, clustered.estimate.n) == ("korn-graubard", 3)
    assert clustered.estimate.low < found.estimate.low < found.estimate.high < clustered.estimate.high


def test_a_score_that_is_no_share_is_not_yes_or_no_though_items_are():
    assert (
        interval_of(rows_of(np.array([0, 1, 1.0])), lambda t: (t[..., 0] / t[..., 1]) ** 2).method
        == "jackknife-t"
    )


@pytest.mark.parametrize(
    ("rows", "aggregate", "absence"),
    [
        (np.empty((0, 2)), mean, "undefined"),
        (rows_of(np.array([3.0])), mean, "one-unit"),
        (rows_of(np.array([3.0, 3.0, 3.0])), mean, "constant"),
        (np.array([[2.0, 0.0, 9.0], [1.0, 0.0, 5.0]]), pooled_precision, "constant"),
        (np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 5.0]]), pooled_precision, "undefined"),
    ],
)
def test_where_nothing_honest_can_be_said_there_is_a_reason(rows, aggregate, absence):
    with np.errstate(all="ignore"):
        found = interval_of(rows, aggregate)
    assert found.absence == absence
    assert found.estimate.bounds is None


def test_a_score_that_hangs_on_what_nobody_has_seen_has_no_interval():
    """BLEU puts a tiny number where no 4-gram matches: its spread is small and says nothing."""

    def smoothed(totals):
        return np.sqrt(totals[..., 0] * np.maximum(totals[..., 1], 1e-9)) / totals[..., 2]

    rows = np.array([[2.0, 0.0, 9.0], [1.0, 0.0, 5.0], [3.0, 0.0, 6.0]])
    assert unseen(rows, smoothed)
    assert interval_of(rows, smoothed).absence == "unseen"
    rows[1, 1] = 1
    assert not unseen(rows, smoothed)
    assert interval_of(rows, smoothed).absence is None
    assert difference_interval(rows, rows * [1, 0, 1], smoothed).absence == "unseen"


def test_a_mean_of_values_that_are_all_0_hangs_on_nothing():
    """A system that is silent throughout scores 0: that was seen, and the other one's spread is the difference's."""

    def mean(totals):
        return totals[..., 0] / totals[..., 1]

    values = np.linspace(0.6, 0.9, 20)
    rows = np.column_stack([values, np.ones(20)])
    silent = rows * [0, 1]
    assert not unseen(silent, mean)
    found = difference_interval(rows, silent, mean, limits=(0, 1))
    alone = interval_of(rows, mean)
    assert found.absence is None
    assert found.estimate.bounds == pytest.approx(alone.estimate.bounds, abs=0.02)


def test_limits_are_kept():
    found = interval_of(
        rows_of(np.array([0.1, 0.9, 0.95, 1.0])), lambda t: np.sqrt(mean(t)), limits=(0.0, 1.0)
    )
    assert found.estimate.high == 1.0


@given(values, values)
def test_a_difference_swapped_is_the_same_difference_the_other_way(one, other):
    n = min(len(one), len(other))
    a, b = rows_of(np.array(one[:n])), rows_of(np.array(other[:n]))
    found, swapped = difference_interval(a, b, mean), difference_interval(b, a, mean)
    assert found.absence == swapped.absence
    if found.absence is None:
        assert (found.estimate.low, found.estimate.high) == pytest.approx(
            (-swapped.estimate.high, -swapped.estimate.low), rel=1e-6, abs=1e-9
        )


def test_differences_of_yes_no_measures_and_of_clusters():
    a, b = np.array([1, 1, 0, 1, 1.0]), np.array([1, 0, 0, 0, 1.0])
    found = difference_interval(rows_of(a), rows_of(b), mean)
    assert (found.estimate.low, found.estimate.high) == paired_proportions(a, b)
    assert found.method == "bonett-price"
    clustered = difference_interval(rows_of(a), rows_of(b), mean, clusters=np.array([0, 0, 1, 1, 2]))
    assert (clustered.method, clustered.estimate.n) == ("jackknife-t", 3)
    with pytest.raises(ValueError, match="one shape"):
        difference_interval(rows_of(a), rows_of(b[:3]), mean)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 30, 100])
def test_skewed_scores_are_covered_where_the_bootstrap_falls_short(n):
    """Nine tenths of the items score 0, as with sparse n-grams; the percentile bootstrap covers 63 to 91 % of these."""
    rng = np.random.default_rng(n)
    held = {"bootstrap": 0, "here": 0}
    given_intervals = 0
    samples = 1000
    for seed in range(samples):
        sample = np.where(rng.random(n) < 0.9, 0, rng.random(n))
        ends = percentile_interval(bootstrap(rows_of(sample), mean, resamples=200, seed=seed))
        held["bootstrap"] += ends[0] <= 0.05 <= ends[1]
        found = interval_of(rows_of(sample), mean)
        given_intervals += found.absence is None
        held["here"] += found.absence is None and found.estimate.low <= 0.05 <= found.estimate.high
    assert held["bootstrap"] < 0.92 * samples
    assert held["here"] >= 0.93 * given_intervals


def test_a_rate_without_an_error_has_seen_that_there_is_none():
    """Errors per slot, of acts with different numbers of slots; no matches of a kind that BLEU multiplies."""
    needed = np.array([2.0, 3.0, 5.0] * 8)
    clean = np.column_stack([np.zeros(24), needed])
    bad = np.column_stack([np.arange(24) % 4 == 0, needed]).astype(float)

    def rate(totals):
        return totals[..., 0] / totals[..., 1]

    assert not unseen(clean, rate)
    found = difference_interval(bad, clean, rate, limits=(0, np.inf)).estimate
    assert 0 < found.low < found.value < found.high
