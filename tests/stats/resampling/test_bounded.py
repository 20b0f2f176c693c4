"""Gaffke's bound against exact intervals and random weights, and what it does to intervals of few units."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from dialeval.stats.resampling import bounded
from dialeval.stats.resampling.bounded import BoundedMean, pull
from dialeval.stats.resampling.intervals import difference_interval, interval_of
from dialeval.stats.resampling.jackknife import jackknife_interval, leave_out, skewed_t, skewed_t_interval
from dialeval.stats.resampling.proportions import clopper_pearson


def mean(totals):
    return totals[..., 0] / totals[..., 1]


def rows_of(values):
    return np.column_stack([values, np.ones(len(values))])


def ends(values, low=0.0, high=1.0, confidence=0.95):
    return BoundedMean(np.asarray(values, dtype=float), np.ones(len(values)), low, high).ends(confidence)


@pytest.mark.parametrize(("right", "n"), [(0, 10), (1, 48), (3, 10), (10, 10), (5, 200), (1, 2), (7, 1000)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_of_yes_no_values_it_is_clopper_and_pearsons_interval(right, n, confidence):
    found = ends([1.0] * right + [0.0] * (n - right), confidence=confidence)
    assert found == pytest.approx(clopper_pearson(right, n, confidence), abs=1e-6)


def test_of_equal_values_it_is_the_share_of_others_times_the_way_to_the_limit():
    others = 1 - 0.025 ** (1 / 20)
    assert ends([0.4] * 20) == pytest.approx((0.4 - 0.4 * others, 0.4 + 0.6 * others))
    assert ends([1.0] * 20) == pytest.approx((1 - others, 1.0))


@pytest.mark.parametrize("n", [2, 5, 12, 50])
def test_ends_are_quantiles_of_means_with_random_weights(n):
    rng = np.random.default_rng(n)
    values = rng.beta(0.5, 2, size=n)
    weights = rng.dirichlet(np.ones(n + 1), size=200_000)
    least, most = (
        np.quantile(weights @ np.append(values, limit), q) for limit, q in ((0, 0.025), (1, 0.975))
    )
    assert ends(values) == pytest.approx((least, most), abs=4e-3)


def test_units_of_several_values_count_by_these():
    """Each cluster twice as large and of one value: the same as so many single values."""
    single = np.array([0.1, 0.5, 0.9, 0.4, 0.2])
    assert BoundedMean(2 * single, np.full(5, 2.0), 0.0, 1.0).ends(0.95) == pytest.approx(ends(single))


def test_many_units_are_grouped_without_moving_the_ends(monkeypatch):
    values = np.random.default_rng(0).lognormal(-3, 1, size=600).clip(0, 1)
    grouped = ends(values)
    monkeypatch.setattr(bounded, "MOST", 1000)
    one_by_one = ends(values)
    assert grouped == pytest.approx(one_by_one, abs=0.02 * (one_by_one[1] - one_by_one[0]))


def test_equal_values_in_clusters_of_many_sizes_are_one_group():
    sizes = np.arange(1.0, 200.0)
    low, high = BoundedMean(0.5 * sizes, sizes, 0.0, 1.0).ends(0.95)
    assert 0 < low < 0.5 < high < 1


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.floats(0.5, 0.98))
@settings(deadline=None, max_examples=25)
def test_more_confidence_reaches_farther_and_no_end_leaves_the_limits(values, confidence):
    narrow, wide = ends(values, confidence=confidence), ends(values, confidence=(1 + confidence) / 2)
    score = float(np.mean(values))
    assert 0 <= wide[0] <= narrow[0] + 1e-7
    assert narrow[0] <= score + 1e-12
    assert score - 1e-12 <= narrow[1]
    assert narrow[1] - 1e-7 <= wide[1] <= 1


@pytest.mark.parametrize("size", [1e-170, 1e-300, 5e-324])
def test_very_small_values_have_ends_too(size):
    found = ends(np.array([0.0, size, size]))
    assert 0 <= found[0] <= size
    found = BoundedMean(np.array([0.0, size, size]), np.ones(3), 0.0, 2 * size).ends(0.95)
    assert 0 <= found[0] <= found[1] <= 2 * size


def test_how_far_ends_are_drawn_by_hand():
    assert pull(30, 50, 0.0) == 0
    assert pull(10, 50, 0.0) == pytest.approx(0.5 * 0.15)
    assert pull(10, 50, 0.75) == pytest.approx(0.5 * 0.65)
    assert pull(5, 50, -2.0) == 0
    assert pull(40, 10, 1.5) == pytest.approx(0.4 * 0.8 * 0.5)


def test_ten_values_have_no_end_below_reason():
    """It was 0.704 [0.103, 0.850], the least of the ten values being 0.188."""
    values = np.array([0.188, 0.60, 0.66, 0.70, 0.74, 0.78, 0.80, 0.83, 0.86, 0.882])
    found = interval_of(rows_of(values), mean, limits=(0.0, 1.0))
    before = skewed_t_interval(*leave_out(rows_of(values), mean))
    assert before[0] < 0.35
    assert 0.4 < found.estimate.low < jackknife_interval(*leave_out(rows_of(values), mean))[0]
    assert found.estimate.high < 0.9


def test_a_tail_that_ten_values_hardly_show_is_reckoned_with():
    """Nine zeros and a small value: nothing here says that the others cannot be large."""
    values = np.append(np.zeros(9), 0.1)
    found = interval_of(rows_of(values), mean, limits=(0.0, 1.0))
    assert found.estimate.low < 0.01
    assert found.estimate.high > skewed_t_interval(*leave_out(rows_of(values), mean))[1]
    assert found.estimate.high <= ends(values)[1]


def test_fifty_units_and_more_are_as_without_limits():
    values = np.random.default_rng(0).uniform(size=60)
    with_limits, without = (
        interval_of(rows_of(values), mean, limits=limits) for limits in ((0.0, 1.0), None)
    )
    assert with_limits == without


def test_values_without_limits_are_held_to_twice_the_range_seen():
    values = np.array([0.05, 0.08, 0.1, 0.12, 0.2, 1.5])
    found, before = interval_of(rows_of(values), mean), skewed_t_interval(*leave_out(rows_of(values), mean))
    assert found.estimate.high == pytest.approx(ends(values, -10.0, 1.5 + 1.45)[1])
    assert found.estimate.high < before[1]


def test_equal_values_have_an_interval_where_there_are_limits():
    found = interval_of(rows_of(np.ones(48)), mean, limits=(0.0, 1.0))
    assert (found.method, found.absence, found.estimate.high) == ("gaffke", None, 1.0)
    assert found.estimate.low == pytest.approx(0.025 ** (1 / 48))
    for limits in (None, (0.0, math.inf)):
        assert interval_of(rows_of(np.ones(48)), mean, limits=limits).absence == "constant"


def test_one_worse_answer_of_48():
    """The lower end was -0.107; Student's t gives -0.044, which misses one in five such losses."""
    main = np.full(48, 0.704)
    pr = main.copy()
    pr[0] = 0
    found = difference_interval(rows_of(pr), rows_of(main), mean, limits=(0.0, 1.0))
    share = clopper_pearson(1, 48)[1]
    plain = jackknife_interval(*leave_out(rows_of(pr - main), mean))
    assert plain[0] == pytest.approx(-0.0441, abs=1e-4)
    assert -share * 0.704 - 1e-6 <= found.estimate.low < plain[0]
    assert found.estimate.low == pytest.approx(-0.0779, abs=1e-4)
    assert 0 < found.estimate.high < share
    swapped = difference_interval(rows_of(main), rows_of(pr), mean, limits=(0.0, 1.0))
    assert (swapped.estimate.low, swapped.estimate.high) == pytest.approx(
        (-found.estimate.high, -found.estimate.low)
    )


def test_of_equal_scores_the_share_that_differs_is_bounded_and_a_difference_is_as_that_of_two_items():
    values = np.random.default_rng(0).uniform(0.2, 0.9, size=48)
    found = difference_interval(rows_of(values), rows_of(values), mean, limits=(0.0, 1.0))
    reach = max(values.mean(), 1 - values.mean())
    typical = math.sqrt(2 * (48 * values.var() + reach**2) / 49)
    largest = clopper_pearson(0, 48)[1] * typical
    assert (found.estimate.low, found.estimate.high) == pytest.approx((-largest, largest))
    assert found.method == "gaffke"


def geometric_mean(totals):
    """Of two parts, as BLEU is of its precisions: no mean of the items' own."""
    return np.sqrt(totals[..., 0] * totals[..., 1]) / totals[..., 2]


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=60),
    st.floats(1e-6, 1),
    st.sampled_from([0.5, 0.9, 0.95, 0.999]),
    st.booleans(),
)
@example([6.4e-296, 0.0, 1.0], 1.0, 0.9, False)  # a loss too small for floating point
@settings(deadline=None, max_examples=60)
def test_equal_scores_never_have_a_wider_interval_than_with_one_answer_worse(
    values, loss, confidence, clustered
):
    """48 answers in other words gave ±0.047, and one that was .1 worse [-0.015, 0.002]."""
    b = np.array(values)
    a = b.copy()
    a[0] = max(0.0, a[0] - loss)
    clusters = np.arange(len(b)) // 2 if clustered and len(b) > 3 else None
    for statistics, aggregate in ((rows_of, mean), (two_parts, geometric_mean)):
        equal, worse = (
            difference_interval(
                statistics(side),
                statistics(b),
                aggregate,
                limits=(0.0, 1.0),
                clusters=clusters,
                confidence=confidence,
                yes_no=False,
            )
            for side in (b, a)
        )
        if worse.absence is None and confidence > 0.5:
            assert equal.absence is None
            assert equal.estimate.low >= worse.estimate.low - 1e-12
            room = min(1.0, worse.estimate.value + equal.estimate.high) - worse.estimate.value
            assert worse.estimate.high - worse.estimate.value >= room - 1e-12


def two_parts(values):
    return np.column_stack([values, values / 2 + 0.1, np.ones(len(values))])


@pytest.mark.parametrize("loss", [0.001, 0.05, 0.3])
def test_while_no_test_could_show_a_difference_a_few_slight_losses_do_not_shorten_the_interval(loss):
    main = np.random.default_rng(1).uniform(0.3, 0.9, size=48)
    found = []
    for worse in range(8):
        pr = np.where(np.arange(48) < worse, main - loss, main)
        found.append(difference_interval(rows_of(pr), rows_of(main), mean, limits=(0.0, 1.0)).estimate)
    widths = [high - low for _, low, high, *_ in found]
    assert min(widths[:6]) == widths[0]
    assert all(estimate.low < found[0].low for estimate in found[1:6])
    # From six signs on, of which all are one way once in 32 trials, the losses seen speak for themselves.
    assert found[6].high < 0


def test_without_limits_equal_scores_have_no_interval():
    values = np.random.default_rng(0).uniform(size=20)
    assert difference_interval(rows_of(values), rows_of(values), mean).absence == "constant"


@pytest.mark.parametrize("level", [0.4, 0.7, 0.9, 1.0])
def test_the_more_answers_get_worse_the_farther_the_lower_end_reaches(level):
    main = np.random.default_rng(0).uniform(level - 0.1, level, size=48)
    ends = []
    for worse in range(12):
        pr = np.where(np.arange(48) < worse, 0.0, main)
        ends.append(difference_interval(rows_of(pr), rows_of(main), mean, limits=(0.0, 1.0)).estimate.low)
    assert ends == sorted(ends, reverse=True)


def test_two_rates_without_an_error_differ_by_little_though_nothing_limits_them():
    """Errors per slot of sentences with one, two or three slots: there was no interval, so no gate could be met."""
    rows = np.column_stack([np.zeros(20), 1 + np.arange(20) % 3])
    limited, unlimited = (
        difference_interval(rows, rows, mean, limits=(0.0, high)) for high in (1.0, math.inf)
    )
    assert unlimited.estimate == limited.estimate
    low, high = unlimited.estimate.bounds
    assert -0.1 < low < 0 < high < 0.1


def test_a_rate_without_an_error_has_an_interval_though_nothing_limits_it():
    found = interval_of(rows_of(np.zeros(40)), mean, limits=(0.0, math.inf))
    assert (found.estimate.low, found.estimate.high) == pytest.approx((0.0, clopper_pearson(0, 40)[1]))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20))
@settings(deadline=None, max_examples=20)
def test_differences_keep_to_their_limits_and_swap_with_their_systems(pairs):
    a, b = (rows_of(np.array(side)) for side in zip(*pairs, strict=True))
    found, swapped = (difference_interval(*sides, mean, limits=(0.0, 1.0)) for sides in ((a, b), (b, a)))
    assert found.absence == swapped.absence
    if found.absence is None:
        assert -1 <= found.estimate.low <= found.estimate.high <= 1
        assert (found.estimate.low, found.estimate.high) == pytest.approx(
            (-swapped.estimate.high, -swapped.estimate.low), abs=1e-6
        )


def test_a_score_that_is_no_mean_keeps_to_its_limits_and_no_more():
    def root(totals):
        return np.sqrt(totals[..., 0] / totals[..., 1])

    values = np.array([0.3, 0.9, 0.95, 1.0])
    found = interval_of(rows_of(values), root, limits=(0.0, 1.0))
    low, high = skewed_t_interval(*leave_out(rows_of(values), root))
    assert (found.estimate.low, found.estimate.high) == (max(0.0, low), min(1.0, high))


def test_ends_of_differences_and_of_dialogues_means_are_held_but_not_drawn():
    values = np.array([0.1, 0.12, 0.15, 0.2, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7])
    left_out = leave_out(rows_of(values), mean)
    skewed = skewed_t(*left_out)
    score = BoundedMean(values, np.ones(10), 0.0, 1.0)
    for held in (
        score._replace(is_difference=True, least=-1.0),
        score._replace(sums=3 * values, counts=np.full(10, 3.0)),
    ):
        assert held.drawn(skewed, 0.95)[1] == skewed.interval(0.95)[1]
    assert score.drawn(skewed, 0.95)[1] > skewed.interval(0.95)[1]
