from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats

from dialeval.stats import over_scores
from dialeval.stats.correlation.bootstrap import bootstrap_correlation, bootstrap_level
from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.levels import level_correlation
from dialeval.stats.estimate import LEVELS
from dialeval.stats.resampling.bootstrap import draws

KINDS = ("pearson", "spearman", "kendall")


def counts(n, trials, seed):
    return np.concatenate(list(draws(n, resamples=trials, seed=seed))).astype(int)


def pairs(n, seed=0):
    x, noise = np.random.default_rng(seed).normal(size=(2, n))
    return x.round(1), (x + noise).round(1)


@pytest.mark.parametrize("kind", KINDS)
def test_resamples_equal_pairs_copied_as_often_as_drawn(kind):
    x, y = pairs(25)
    found = bootstrap_correlation(x, y, kind, resamples=30, seed=5)
    expected = [
        COEFFICIENTS[kind](np.repeat(x, drawn), np.repeat(y, drawn)).value for drawn in counts(25, 30, 5)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_clusters_are_drawn_whole(kind):
    x, y = pairs(24)
    clusters = np.repeat([7, 2, 9, 4, 5, 1], 4)
    found = bootstrap_correlation(x, y, kind, resamples=20, seed=5, clusters=clusters)
    labels = sorted(set(clusters.tolist()))
    for value, drawn in zip(found, counts(6, 20, 5), strict=True):
        rows = np.concatenate(
            [np.flatnonzero(clusters == c) for c, k in zip(labels, drawn, strict=True) for _ in range(k)]
        )
        assert value == pytest.approx(COEFFICIENTS[kind](x[rows], y[rows]).value, abs=1e-13)


def test_resamples_do_not_depend_on_how_many_are_held_at_once():
    x, y = pairs(40)
    for kind in KINDS:
        whole = bootstrap_correlation(x, y, kind, resamples=50)
        np.testing.assert_array_equal(whole, bootstrap_correlation(x, y, kind, resamples=50, cells=40 * 3))
        np.testing.assert_array_equal(whole[:10], bootstrap_correlation(x, y, kind, resamples=10))


def test_resamples_without_a_coefficient_are_nan():
    x, y = np.array([0.0, 1.0]), np.array([1.0, 2.0])
    found = bootstrap_correlation(x, y, "spearman", resamples=200)
    assert np.isnan(found).sum() == pytest.approx(100, abs=30)
    assert set(found[~np.isnan(found)]) == {1.0}
    assert np.isnan(bootstrap_correlation([math.nan], [1.0], "pearson", resamples=3)).tolist() == [True] * 3


def test_pairs_with_nan_are_never_drawn():
    x, y = pairs(12)
    holes = np.concatenate([[math.nan, 3.0], x]), np.concatenate([[1.0, math.nan], y])
    expected = bootstrap_correlation(x, y, "kendall", resamples=9)
    np.testing.assert_array_equal(bootstrap_correlation(*holes, "kendall", resamples=9), expected)
    labels = np.arange(12)
    clustered = bootstrap_correlation(
        *holes, "kendall", resamples=9, clusters=np.concatenate([[90, 91], labels])
    )
    np.testing.assert_array_equal(clustered, expected)


def test_cluster_labels_must_be_as_many_as_pairs():
    with pytest.raises(ValueError, match="cluster labels"):
        bootstrap_correlation([1, 2], [1, 2], "pearson", resamples=1, clusters=np.zeros(3, np.int64))


def test_standard_errors_are_near_those_of_scipys_bootstrap():
    x, y = pairs(200)
    ours = bootstrap_correlation(x, y, "spearman", resamples=2000).std(ddof=1)
    theirs = scipy.stats.bootstrap(
        (x, y),
        lambda a, b: scipy.stats.spearmanr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=500,
        method="percentile",
        rng=np.random.default_rng(0),
    ).standard_error
    assert ours == pytest.approx(theirs, rel=0.12)


def tables(seed=0):
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 6, size=(4, 12)).astype(float)
    scores = human + rng.normal(scale=2, size=human.shape).round(1)
    human[rng.random(human.shape) < 0.15] = np.nan
    return human, scores


def resampled(table, items, systems):
    rows = np.arange(len(table)) if systems is None else np.repeat(np.arange(len(table)), systems)
    columns = np.arange(table.shape[1]) if items is None else np.repeat(np.arange(table.shape[1]), items)
    return table[np.ix_(rows, columns)]


@pytest.mark.parametrize("resample", ["items", "systems", "both"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_levels_equal_those_of_tables_with_rows_and_columns_copied(level, kind, resample):
    human, scores = tables()
    trials, seed = 12, 3
    found = bootstrap_level(
        human, scores, kind=kind, level=level, resamples=trials, seed=seed, resample=resample
    )
    other = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    by_item = counts(12, trials, seed) if resample != "systems" else [None] * trials
    by_system = (
        counts(4, trials, other if resample == "both" else seed) if resample != "items" else [None] * trials
    )
    expected = [
        level_correlation(resampled(human, i, s), resampled(scores, i, s), kind=kind, level=level).value
        for i, s in zip(by_item, by_system, strict=True)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize("level", LEVELS)
def test_levels_do_not_depend_on_how_many_are_held_at_once(level):
    human, scores = tables()
    for resample in ("items", "systems", "both"):
        whole, parted = (
            bootstrap_level(
                human, scores, kind="spearman", level=level, resamples=20, resample=resample, cells=cells
            )
            for cells in (10**6, 100)
        )
        np.testing.assert_allclose(parted, whole, atol=1e-12)


def test_a_system_that_loses_all_its_cells_is_left_out_of_that_trial():
    human = np.arange(16.0).reshape(4, 4)
    human[0, 1:] = np.nan
    scores = np.arange(16.0).reshape(4, 4) ** 2
    found = bootstrap_level(human, scores, kind="spearman", level="system", resamples=50)
    assert set(found) == {1.0}


def test_tables_without_a_common_cell_have_no_resamples():
    human, scores = np.full((2, 2), np.nan), np.ones((2, 2))
    found = bootstrap_level(human, scores, kind="pearson", level="item", resamples=4)
    assert np.isnan(found).tolist() == [True] * 4


@pytest.mark.parametrize("level", ["system", "item", "item_within_system", "system_within_item"])
@pytest.mark.parametrize("resample", ["items", "both"])
def test_clusters_of_items_are_drawn_whole(level, resample):
    """Twins of items, clustered with the originals, change nothing but what one draw is worth."""
    rng = np.random.default_rng(3)
    human, scores = rng.normal(size=(4, 12)), rng.normal(size=(4, 12))
    human[0, 3] = np.nan
    labels = np.array([7, 7, 1, 1, 1, 5, 5, 2, 9, 9, 9, 9])
    options = {"kind": "pearson", "level": level, "resamples": 40, "seed": 5, "resample": resample}
    single = bootstrap_level(human, scores, **options)
    alone = bootstrap_level(human, scores, clusters=np.arange(12), **options)
    np.testing.assert_array_equal(single, alone)
    twins = [np.repeat(table, 2, axis=1) for table in (human, scores)]
    paired = bootstrap_level(*twins, clusters=np.repeat(np.arange(12), 2), **options)
    np.testing.assert_allclose(paired, single, atol=1e-9)
    assert not np.array_equal(bootstrap_level(human, scores, clusters=labels, **options), single)


def test_clusters_must_label_every_item():
    with pytest.raises(ValueError, match="3 items need as many cluster labels"):
        bootstrap_level(
            np.ones((2, 3)), np.ones((2, 3)), kind="pearson", level="item", clusters=np.array([1, 2])
        )


def test_test_sets_on_which_all_systems_tie_are_counted() -> None:
    found = over_scores(np.array([1.0, 2, 3]), np.array([[1.0, 2, 3], [2, 2, 2], [3, 2, 1]]))
    assert (found.values.tolist(), found.undefined) == ([1.0, -1.0], 1)


def test_five_numbers_draw_the_box() -> None:
    human = np.arange(4.0)
    orders = np.array([[0, 1, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2], [3, 2, 1, 0], [0, 2, 1, 3]], dtype=float)
    # Spearman of the five orders: 1, .8, .6, -1, .8.
    assert over_scores(human, orders).five == pytest.approx((-1, 0.6, 0.8, 0.8, 1))
    assert over_scores(human, np.zeros((3, 4))).five is None


def test_systems_without_a_score_are_left_out_of_their_test_set_alone() -> None:
    scores = np.array([[1.0, np.nan, 3, 2], [1, 2, 3, 4], [np.nan, np.nan, np.nan, 1]])
    found = over_scores(np.array([1.0, 2, 3, np.nan]), scores)
    assert (found.values.tolist(), found.undefined) == ([1.0, 1.0], 1)
