from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings, strategies as st

from dialeval.stats.correlation.levels import (
    grouped_correlation,
    identity_correlation,
    level_correlation,
    settled,
)
from dialeval.stats.estimate import LEVELS

KINDS = ("pearson", "spearman", "kendall")
SCIPY = {
    "pearson": scipy.stats.pearsonr,
    "spearman": scipy.stats.spearmanr,
    "kendall": scipy.stats.kendalltau,
}


def by_loops(human, scores, kind, level):
    """The four definitions, cell by cell."""
    both = ~(np.isnan(human) | np.isnan(scores))
    if level == "item":
        return SCIPY[kind](human[both], scores[both]).statistic
    if level == "system":
        return SCIPY[kind](*(np.nanmean(table, axis=1) for table in (human, scores))).statistic
    if level == "system_within_item":
        human, scores, both = human.T, scores.T, both.T
    found = []
    for of_people, of_measure, there in zip(human, scores, both, strict=True):
        x, y = of_people[there], of_measure[there]
        if len(set(x)) > 1 and len(set(y)) > 1:
            found.append(SCIPY[kind](x, y).statistic)
    return np.mean(found)


def tables(seed, systems=5, items=30):
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 6, size=(systems, items)).astype(float)
    scores = human + rng.normal(scale=3, size=human.shape).round(1)
    human[rng.random(human.shape) < 0.2] = np.nan
    scores[rng.random(human.shape) < 0.2] = np.nan
    human[:, 3] = 2
    return human, scores


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_each_level_equals_its_definition(level, kind):
    for seed in range(5):
        human, scores = tables(seed)
        found = level_correlation(human, scores, kind=kind, level=level)
        assert found.value == pytest.approx(by_loops(human, scores, kind, level), abs=1e-11)


def test_by_hand():
    human = [[1, 2, 3], [3, 3, 6], [5, 7, 6]]
    scores = [[1, 3, 2], [2, 2, 5], [9, 3, 9]]
    pearson = {level: level_correlation(human, scores, kind="pearson", level=level) for level in LEVELS}
    # Means 2, 4, 6 and 2, 3, 7.
    assert pearson["system"].value == pytest.approx(5 / math.sqrt(2 * 14))
    assert (pearson["system"].n, pearson["system"].groups) == (3, 1)
    within = [0.5, 1.0, -math.sqrt(3) / 2]
    assert pearson["item_within_system"].value == pytest.approx(np.mean(within))
    assert (pearson["item_within_system"].n, pearson["item_within_system"].groups) == (9, 3)
    assert pearson["item"].n == 9


def test_over_systems_each_table_counts_with_its_own_items():
    """People on the first two items and the measure on all but one of them: means 1, 2, 4 and 5, 1, 6."""
    nan = math.nan
    human = [[0, 2, nan, nan], [1, 3, nan, nan], [4, nan, nan, nan], [5, nan, nan, nan]]
    scores = [[nan, 4, 5, 6], [nan, 0, 1, 2], [nan, 6, 6, 6], [nan] * 4]
    found = level_correlation(human, scores, kind="pearson", level="system")
    assert found.value == pytest.approx(3 / math.sqrt(14 / 3 * 14))
    assert found.n == 3
    apart = [[nan, nan, *row[2:]] for row in scores]
    assert level_correlation(human, apart, kind="pearson", level="system").n == 3


def test_p_is_of_the_points_at_system_and_item_level_only():
    human, scores = tables(1)
    both = ~(np.isnan(human) | np.isnan(scores))
    item = level_correlation(human, scores, kind="spearman", level="item")
    assert item.p == pytest.approx(scipy.stats.spearmanr(human[both], scores[both]).pvalue)
    assert item.n == both.sum()
    for level in ("item_within_system", "system_within_item"):
        assert math.isnan(level_correlation(human, scores, kind="spearman", level=level).p)


def test_undefined_groups_are_counted_and_left_out():
    human, scores = [[1, 2, 3], [4, 4, 4], [1, 5, math.nan]], [[1, 2, 3], [1, 2, 3], [5, 1, 2]]
    found = level_correlation(human, scores, kind="kendall", level="item_within_system")
    assert found.value == 0
    assert (found.n, found.groups, found.undefined, found.reason) == (5, 3, 1, None)


def test_systems_and_items_that_share_no_cell_do_not_count():
    human = [[1, 2, math.nan], [2, 3, math.nan], [math.nan] * 3]
    scores = [[1, 2, 3], [1, 3, 4], [1, 2, 3]]
    assert level_correlation(human, scores, kind="pearson", level="system").n == 2
    assert level_correlation(human[1:], scores[1:], kind="pearson", level="system").n == 1
    assert level_correlation(human, scores, kind="pearson", level="item_within_system").groups == 2
    assert level_correlation(human, scores, kind="pearson", level="system_within_item").groups == 2


@pytest.mark.parametrize(
    ("level", "reason"),
    [
        ("system", "fewer than 2 pairs (1)"),
        ("item", "all values of the first variable are equal (3)"),
        ("item_within_system", "one side has a single value in each of the 1 groups"),
        ("system_within_item", "no group has 2 pairs or more (3 groups)"),
    ],
)
def test_undefined_has_a_reason(level, reason):
    found = level_correlation([[3, 3, 3]], [[1, 2, 3]], kind="spearman", level=level)
    assert math.isnan(found.value)
    assert (found.reason, found.undefined) == (reason, found.groups)


def test_means_that_are_equal_on_paper_tie():
    # Added up in another order, 0.1 + 0.2 + 0.3 gives another last bit.
    human = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.9, 0.9, 0.9]]
    scores = [[1, 1, 1], [2, 2, 2], [3, 3, 3]]
    assert sum(human[0]) != sum(human[1])
    found = level_correlation(human, scores, kind="kendall", level="system").value
    assert found == pytest.approx(2 / math.sqrt(2 * 3))


def test_a_missing_mean_keeps_none_of_the_others_from_being_settled():
    found = settled(np.array([[(0.1 + 0.2 + 0.3) * 1e6, math.nan, (0.3 + 0.2 + 0.1) * 1e6], [math.nan] * 3]))
    assert found[0, 0] == found[0, 2] == pytest.approx(6e5)
    assert np.isnan(found).tolist() == [[False, True, False], [True] * 3]


@settings(max_examples=25)
@given(
    st.integers(0, 10**6), st.sampled_from(LEVELS), st.sampled_from(KINDS), st.randoms(use_true_random=False)
)
def test_neither_the_order_of_items_nor_of_systems_matters(seed, level, kind, random):
    human, scores = tables(seed)
    rows, columns = list(range(len(human))), list(range(human.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    here = level_correlation(human, scores, kind=kind, level=level)
    there = level_correlation(
        human[np.ix_(rows, columns)], scores[np.ix_(rows, columns)], kind=kind, level=level
    )
    assert there.value == pytest.approx(here.value, abs=1e-10)
    assert (there.n, there.groups, there.undefined) == (here.n, here.groups, here.undefined)


@pytest.mark.parametrize("other", [(2, 3), (3, 2, 1), (6,)])
def test_tables_of_another_shape_are_refused(other):
    with pytest.raises(ValueError, match="one shape"):
        level_correlation(np.zeros((3, 2)), np.zeros(other), kind="pearson", level="item")


def test_groups_without_a_coefficient_are_counted_and_left_out():
    x = np.array([1, 2, 3, 5, 5, 5, 7, 1, 2, math.nan])
    y = np.array([1, 3, 2, 1, 2, 3, 0, 9, 8, 1])
    groups = np.array(list("aaabbbcddd"))
    found = grouped_correlation(x, y, groups, "spearman")
    assert found.mean == pytest.approx((0.5 - 1) / 2)
    assert (found.n, found.groups, found.undefined, found.reason) == (5, 4, 2, None)


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_the_mean_equals_a_loop_over_scipy_whatever_the_order_of_pairs(kind):
    scipys = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr}
    coefficient = scipys.get(kind, scipy.stats.kendalltau)
    rng = np.random.default_rng(0)
    groups = rng.integers(6, size=120)
    x, y = rng.normal(size=(2, 120)).round(1)
    expected = np.mean([coefficient(x[groups == g], y[groups == g]).statistic for g in range(6)])
    assert grouped_correlation(x, y, groups, kind).mean == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(
    ("x", "groups", "reason"),
    [
        ([], [], "fewer than 2 pairs (0)"),
        ([1, 2], [0, 1], "no group has 2 pairs or more (2 groups)"),
        ([1, 1, 2, 2], [0, 0, 1, 1], "one side has a single value in each of the 2 groups"),
    ],
)
def test_no_group_at_all_has_a_reason(x, groups, reason):
    found = grouped_correlation(x, np.arange(len(x)), np.array(groups, int), "pearson")
    assert math.isnan(found.mean)
    assert (found.n, found.undefined, found.reason) == (0, found.groups, reason)


def test_labels_must_be_as_many_as_pairs():
    with pytest.raises(ValueError, match="group labels"):
        grouped_correlation([1, 2], [1, 2], np.zeros(3), "pearson")


def test_the_observed_one_is_pearsons_with_the_systems_means():
    table = np.random.default_rng(0).normal(size=(4, 15)) + np.arange(4)[:, None]
    table[1, 3] = table[3, 3:8] = np.nan
    rated = ~np.isnan(table)
    means = np.nanmean(table, axis=1)[:, None] * np.ones_like(table)
    found = identity_correlation(table)
    assert found.observed == pytest.approx(np.corrcoef(table[rated], means[rated])[0, 1])
    assert found.corrected < found.observed


def test_epsilon_squared_by_hand():
    """Groups (1, 2, 3) and (5, 6, 7) with a rating missing, so one-way: B = 19.2, W = 2.5 on 3 degrees of freedom."""
    table = np.array([[1, 2, 3.0], [5, 6, np.nan]])
    between, within = 2.1**2 * 2 + 1.4**2 * 3, 2 + 0.5
    found = identity_correlation(table)
    assert found.observed == pytest.approx(math.sqrt(between / (between + within)))
    assert found.corrected == pytest.approx(math.sqrt((between - within / 3) / (between + within)))
    assert found.by_chance == pytest.approx(math.sqrt(within / 3 / (between + within)))


@pytest.mark.parametrize(("systems", "items", "naive"), [(3, 100, 0.05), (20, 10, 0.2), (40, 5, 0.35)])
def test_equal_systems_know_nothing(systems, items, naive):
    rng = np.random.default_rng(1)
    found = np.mean(
        [
            identity_correlation(rng.normal(size=(systems, items)) + rng.normal(size=(1, items)))
            for _ in range(200)
        ],
        axis=0,
    )
    observed, by_chance, corrected = found
    assert observed > 0.7 * naive
    assert by_chance == pytest.approx(observed, rel=0.1)
    assert corrected < observed / 2


def test_systems_that_differ_much_keep_their_correlation():
    table = np.random.default_rng(2).normal(size=(4, 200)) + 3 * np.arange(4)[:, None]
    found = identity_correlation(table)
    assert found.corrected == pytest.approx(found.observed, abs=0.001)


@pytest.mark.parametrize("table", [np.empty((0, 0)), np.full((2, 3), 4.0), np.full((2, 2), np.nan)])
def test_ratings_that_do_not_vary_have_none(table):
    assert np.isnan(identity_correlation(table)).all()
