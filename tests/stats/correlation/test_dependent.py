from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from dialeval.stats.correlation.coefficients import COEFFICIENTS
from dialeval.stats.correlation.dependent import (
    perm_both,
    permuted,
    subtracter,
    swapped_sums,
    swapper,
    williams,
)
from dialeval.stats.correlation.levels import level_correlation
from dialeval.stats.estimate import LEVELS
from dialeval.stats.resampling.bootstrap import every_swap, random_swaps

KINDS = ("pearson", "spearman", "kendall")


def test_williams_by_hand():
    # K = 1 - .16 - .09 - .25 + 2 * .4 * .3 * .5 = .62; t = .1 sqrt(102 * 1.5 / (2 * .62 * 102 / 100 + .1225 * .125)).
    found = williams(0.4, 0.3, 0.5, 103)
    assert found.value == pytest.approx(0.1 * math.sqrt(153 / (1.2648 + 0.0153125)))
    assert found.value == pytest.approx(1.0933, abs=1e-4)
    assert found.p == pytest.approx(0.27691, abs=1e-4)
    assert found.n == 103


def test_williams_equals_its_formula_by_determinants_on_real_matrices():
    """Steiger (1980), equation 7, with |R| computed as a determinant."""
    rng = np.random.default_rng(1)
    for n in (4, 9, 60):
        rows = rng.normal(size=(3, n)) + rng.normal(size=n)
        r = np.corrcoef(rows)
        mean = (r[0, 1] + r[0, 2]) / 2
        spread = 2 * (n - 1) / (n - 3) * np.linalg.det(r) + mean**2 * (1 - r[1, 2]) ** 3
        t = (r[0, 1] - r[0, 2]) * np.sqrt((n - 1) * (1 + r[1, 2]) / spread)
        found = williams(r[0, 1], r[0, 2], r[1, 2], n)
        assert found.value == pytest.approx(t)
        assert found.p == pytest.approx(2 * scipy.stats.t.sf(abs(t), n - 3))


def test_williams_p_is_right_where_the_two_correlations_are_equal():
    """Of normal variables with r12 = r13, p is as often below a level as the level says."""
    rng = np.random.default_rng(0)
    shape = np.linalg.cholesky([[1, 0.5, 0.5], [0.5, 1, 0.3], [0.5, 0.3, 1]])
    drawn = np.einsum("ij,tjn->tin", shape, rng.normal(size=(4000, 3, 20)))
    ps = []
    for rows in drawn:
        r = np.corrcoef(rows)
        ps.append(williams(r[0, 1], r[0, 2], r[1, 2], 20).p)
    assert np.mean(np.array(ps) < 0.05) == pytest.approx(0.05, abs=0.011)
    assert np.mean(np.array(ps) < 0.5) == pytest.approx(0.5, abs=0.03)


def test_williams_changes_sign_when_measures_change_places():
    assert williams(0.6, 0.2, 0.4, 30).value == -williams(0.2, 0.6, 0.4, 30).value
    assert williams(0.4, 0.4, 0.5, 30).p == 1


@pytest.mark.parametrize(
    ("correlations", "n", "reason"),
    [
        ((0.5, 0.4, 0.3), 3, "fewer than 4 observations (3)"),
        ((0.5, math.nan, 0.3), 10, "one of the three correlations is undefined"),
        ((0.5, 0.5, 1.0), 10, "the two measures say the same (their correlation is 1)"),
        ((0.9, -0.9, 0.9), 10, "no observations can have these three correlations with each other"),
        ((0.0, 0.0, -1.0), 10, "the two measures say the opposite of each other (their correlation is -1)"),
    ],
)
def test_williams_undefined_has_a_reason(correlations, n, reason):
    found = williams(*correlations, n)
    assert math.isnan(found.value)
    assert (found.n, found.reason) == (n, reason)


def tables(systems, items, seed=0, missing=0.1):
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 6, size=(systems, items)).astype(float)
    a, b = human + rng.normal(size=human.shape), 5 * human + rng.normal(scale=6.5, size=human.shape).round()
    human[rng.random(human.shape) < missing] = np.nan
    b[rng.random(human.shape) < missing] = np.nan
    return human, a, b


def coarse_tables(systems, items, seed=0):
    """Measures of two values each, so that after a swap a group may have one value, and not before."""
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 4, size=(systems, items)).astype(float)
    a = (human + rng.normal(size=human.shape) > 2).astype(float)
    return human, a, (human + rng.normal(size=human.shape) > 2.4).astype(float)


def by_loops(human, a, b, kind, level, swaps):
    """How many swaps differ as much as the measures do, and of how many; one correlation after another."""
    # Over systems, people's means are over all that they rated, and cells are swapped that both measures have.
    shared = ~np.isnan(a + b) if level == "system" else ~np.isnan(human + a + b)
    a, b = (np.where(shared, (m - m[shared].mean()) / m[shared].std(), np.nan) for m in (a, b))

    def difference(swap):
        mask = np.zeros(human.shape, bool)
        mask[shared] = swap
        of_a = level_correlation(human, np.where(mask, b, a), kind=kind, level=level).value
        return abs(of_a - level_correlation(human, np.where(mask, a, b), kind=kind, level=level).value)

    observed = difference(np.zeros(shared.sum(), bool))
    found = np.array([difference(swap) for swap in swaps])
    return np.count_nonzero(found >= observed - 1e-9), np.count_nonzero(~np.isnan(found))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_perm_both_equals_a_loop_over_the_same_swaps(level, kind):
    human, a, b = tables(4, 12)
    n = int((~np.isnan(a + b if level == "system" else human + a + b)).sum())
    swaps = np.concatenate(list(random_swaps(n, resamples=60, seed=7, cells=1000))).astype(bool)
    count, defined = by_loops(human, a, b, kind, level, swaps)
    found = perm_both(human, a, b, kind=kind, level=level, resamples=60, seed=7)
    assert found == pytest.approx((1 + count) / (1 + defined))
    assert 1 / 61 < found < 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_perm_both_of_coarse_measures_equals_a_loop_too(level, kind):
    human, a, b = coarse_tables(4, 12)
    swaps = np.concatenate(list(random_swaps(48, resamples=60, seed=7, cells=1000))).astype(bool)
    count, defined = by_loops(human, a, b, kind, level, swaps)
    found = perm_both(human, a, b, kind=kind, level=level, resamples=60, seed=7)
    assert found == pytest.approx((1 + count) / (1 + defined))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("given", [tables, coarse_tables])
def test_compiled_loops_give_the_same_p(given, level, kind, monkeypatch):
    human, a, b = given(4, 12)
    plain = perm_both(human, a, b, kind=kind, level=level, resamples=60, seed=7)
    for module in ("weighted", "dependent"):
        monkeypatch.setattr(f"dialeval.stats.correlation.{module}.MOST_PLAIN", 0)
    assert perm_both(human, a, b, kind=kind, level=level, resamples=60, seed=7) == plain


@pytest.mark.parametrize("level", LEVELS)
def test_few_cells_are_swapped_in_every_way_there_is(level):
    human, a, b = tables(3, 3, missing=0)
    swaps = [np.array(swap, bool) for swap in itertools.product([0, 1], repeat=9)]
    count, defined = by_loops(human, a, b, "spearman", level, swaps)
    found = perm_both(human, a, b, kind="spearman", level=level)
    assert found == pytest.approx(count / defined)


def test_trials_end_once_enough_of_them_differ_as_much():
    human, a, b = tables(4, 12)
    options = {"kind": "spearman", "level": "item", "resamples": 1000, "seed": 7}
    n = int((~np.isnan(human + a + b)).sum())
    swaps = np.concatenate(list(random_swaps(n, resamples=1000, seed=7, cells=1000))).astype(bool)
    whole = perm_both(human, a, b, **options)
    found, parted = (permuted(human, a, b, **options, enough=5, cells=cells) for cells in (10**6, 100))
    assert found == parted
    # The last trial made is the fifth that differs as much: before it there were four.
    counts = [
        by_loops(human, a, b, "spearman", "item", swaps[: found.resamples - less])[0] for less in (0, 1)
    ]
    assert counts == [5, 4]
    assert found.resamples < 400
    assert found.p == 5 / found.resamples
    assert found.error == pytest.approx(math.sqrt(found.p * (1 - found.p) / found.resamples))
    unstopped = permuted(human, a, b, **options, enough=1001)
    assert (unstopped.p, unstopped.resamples) == (whole, 1000)


def test_p_of_trials_that_may_end_early_is_as_often_small_as_it_says():
    rng = np.random.default_rng(3)
    options = {"kind": "pearson", "level": "item", "resamples": 199, "enough": 10}
    ps = [permuted(*rng.normal(size=(3, 2, 10)), **options, seed=seed).p for seed in range(400)]
    assert np.mean(np.array(ps) <= 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(np.array(ps) <= 0.5) == pytest.approx(0.5, abs=0.07)


def test_p_over_every_swap_has_no_error():
    human, a, b = tables(3, 3, missing=0)
    found = permuted(human, a, b, kind="spearman", level="item", enough=5)
    assert found == (perm_both(human, a, b, kind="spearman", level="item"), 512, True)
    assert found.error == 0


@pytest.mark.parametrize("level", LEVELS)
def test_perm_both_does_not_depend_on_how_much_is_held_at_once(level):
    human, a, b = tables(4, 12)
    for kind in KINDS:
        whole, parted = (
            perm_both(human, a, b, kind=kind, level=level, resamples=50, cells=cells)
            for cells in (10**6, 200)
        )
        assert whole == parted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_a_measure_is_no_better_than_itself_on_another_scale(level, kind):
    human, a, _ = tables(4, 12)
    assert perm_both(human, a, a * 37 - 2, kind=kind, level=level, resamples=50) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_neither_which_measure_is_first_nor_its_scale_matters(level):
    human, a, b = tables(4, 12)
    whole = perm_both(human, a, b, kind="pearson", level=level, resamples=100)
    assert perm_both(human, b, a, kind="pearson", level=level, resamples=100) == whole
    assert perm_both(human, 1000 * a + 3, b, kind="pearson", level=level, resamples=100) == whole


def test_a_measure_that_people_agree_with_beats_noise():
    rng = np.random.default_rng(0)
    human = rng.normal(size=(5, 60))
    a, b = human + 0.5 * rng.normal(size=human.shape), rng.normal(size=human.shape)
    for level in ("item", "item_within_system", "system_within_item"):
        assert perm_both(human, a, b, kind="spearman", level=level, resamples=200) == pytest.approx(1 / 201)


@pytest.mark.parametrize("level", LEVELS)
def test_without_a_difference_there_is_no_p(level):
    human, a, b = tables(4, 12)
    assert math.isnan(perm_both(human, np.full_like(a, 3), b, kind="pearson", level=level, resamples=9))
    assert math.isnan(perm_both(np.full_like(a, np.nan), a, b, kind="pearson", level=level, resamples=9))


@pytest.mark.parametrize("size", [1e-165, 1e160])
def test_scores_as_small_as_probabilities_of_sentences_are_compared_as_any(size):
    rng = np.random.default_rng(5)
    human, a, b = rng.normal(size=(3, 3, 8))
    a, b = a + human, b + human
    plain = perm_both(human, a, b, kind="pearson", level="item", resamples=200, seed=1)
    assert perm_both(human, a * size, b, kind="pearson", level="item", resamples=200, seed=1) == plain


def test_clusters_are_swapped_whole():
    """Five clusters can be swapped in 32 ways, whatever the number of cells: all of them, by hand."""
    rng = np.random.default_rng(4)
    human = rng.normal(size=(3, 10))
    a, b = human + rng.normal(size=(3, 10)), rng.normal(size=(3, 10))
    labels = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    found = permuted(human, a, b, kind="pearson", level="item", clusters=labels)
    assert (found.exact, found.resamples) == (True, 32)

    def gap(one, two):
        return np.corrcoef(human.ravel(), one.ravel())[0, 1] - np.corrcoef(human.ravel(), two.ravel())[0, 1]

    x, y = ((table - table.mean()) / table.std() for table in (a, b))
    seen = abs(gap(x, y))
    swaps = [np.array([code >> bit & 1 for bit in range(5)], dtype=bool)[labels] for code in range(32)]
    gaps = [abs(gap(np.where(swap, y, x), np.where(swap, x, y))) for swap in swaps]
    assert found.p == sum(one >= seen - 1e-12 for one in gaps) / 32


def test_items_alone_in_their_clusters_are_swapped_as_one_answer_of_each_system():
    rng = np.random.default_rng(6)
    human, a, b = rng.normal(size=(3, 1, 60))
    one = permuted(human, a, b, kind="spearman", level="item", resamples=200, seed=3)
    same = permuted(human, a, b, kind="spearman", level="item", resamples=200, seed=3, clusters=np.arange(60))
    assert one == same


STARTS = np.array([0, 5, 6, 14])
SIZES = ["plain", "compiled"]


@pytest.fixture(params=SIZES)
def size(request, monkeypatch):
    if request.param == "compiled":
        for module in ("weighted", "dependent"):
            monkeypatch.setattr(f"dialeval.stats.correlation.{module}.MOST_PLAIN", 0)
    return request.param


def triples(levels, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, 14)) if levels is None else rng.integers(levels, size=(3, 14)).astype(float)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("levels", [None, 2, 4])
def test_swaps_equal_correlating_the_swapped_values(size, levels, kind):
    human, a, b = triples(levels)
    bits = np.concatenate(list(random_swaps(14, resamples=50, seed=1, cells=100)))
    found = swapper(human, a, b, kind=kind, starts=STARTS, resamples=50)(bits)
    for trial, swap in enumerate(bits.astype(bool)):
        for group, (start, stop) in enumerate(itertools.pairwise(STARTS)):
            for mine, measure in zip(found, (np.where(swap, b, a), np.where(swap, a, b)), strict=True):
                alone = COEFFICIENTS[kind](human[start:stop], measure[start:stop]).value
                assert mine[trial, group] == pytest.approx(alone, abs=1e-12, nan_ok=True)


def test_pearson_keeps_its_digits_where_a_swap_leaves_almost_no_spread(size):
    human = np.array([1.0, 2.0, 4.0])
    a, b = np.array([1.0, 1.0 + 1e-9, 1.0 - 1e-9]), np.array([5.0, -8.0, 2.0])
    of_a, _ = swapper(human, a, b, kind="pearson", starts=np.array([0, 3]), resamples=1)(
        np.zeros((1, 3), np.uint8)
    )
    assert of_a[0, 0] == pytest.approx(np.corrcoef(human, a)[0, 1], abs=1e-6)


def test_sums_are_of_the_swapped_cells(size):
    found = swapped_sums(every_swap(4), np.array([0, 3, 4]), np.array([1.0, 2.0, 4.0, 8.0]), 16)
    assert found.shape == (16, 2)
    np.testing.assert_array_equal(found.sum(axis=1), np.arange(16))
    np.testing.assert_array_equal(found[:, 1], np.repeat([0, 8], 8))


@pytest.mark.parametrize("levels", [None, 3])
def test_differences_of_kendall_without_ties_equal_those_of_both_coefficients(size, levels):
    _, a, b = triples(None)
    human = triples(levels)[0]
    bits = every_swap(14)[::37]
    subtract = subtracter(human, a, b, starts=STARTS, resamples=len(bits))
    of_a, of_b = swapper(human, a, b, kind="kendall", starts=STARTS, resamples=len(bits))(bits)
    if size == "plain":
        assert subtract is None  # numpy counts so few in no time
    else:
        np.testing.assert_allclose(subtract(bits), of_a - of_b, rtol=0, atol=1e-12)
        assert np.isnan(subtract(bits)[:, 1]).all()  # a group of one cell


@pytest.mark.parametrize("side", [0, 1])
def test_kendall_is_not_subtracted_where_a_swap_could_make_ties(monkeypatch, side):
    monkeypatch.setattr("dialeval.stats.correlation.dependent.MOST_PLAIN", 0)
    human, *measures = triples(None)
    measures[side][0] = measures[1][4]
    assert subtracter(human, *measures, starts=STARTS, resamples=10) is None
    measures[side][0] = measures[1][7]  # of another group
    assert subtracter(human, *measures, starts=STARTS, resamples=10) is not None


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_many_cells_equal_scipy_whether_or_not_values_tie(decimals):
    human, a, b = np.random.default_rng(2).normal(size=(3, 3_000)).round(decimals)
    bits = next(random_swaps(3_000, resamples=70, seed=0))
    starts = np.array([0, 2_900, 3_000])
    found = swapper(human, a, b, kind="kendall", starts=starts, resamples=1_000)(bits)
    for resample in (0, 63, 64, 69):  # both ends of a lot
        swap = bits[resample].astype(bool)
        for mine, measure in zip(found, (np.where(swap, b, a), np.where(swap, a, b)), strict=True):
            alone = [
                scipy.stats.kendalltau(human[part], measure[part]).statistic
                for part in (slice(2_900), slice(2_900, None))
            ]
            np.testing.assert_allclose(mine[resample], alone, rtol=0, atol=1e-12)


def test_counts_beyond_sixteen_bits_are_kept():
    size = 40_000
    human = np.arange(size, dtype=float)
    a, b = human // 2, -human // 3
    bits = np.zeros((2, size), np.uint8)
    bits[1, ::5] = 1
    found = swapper(human, a, b, kind="kendall", starts=np.array([0, size]), resamples=1_000)(bits)
    for resample, swap in enumerate(bits.astype(bool)):
        for mine, measure in zip(found, (np.where(swap, b, a), np.where(swap, a, b)), strict=True):
            alone = scipy.stats.kendalltau(human, measure).statistic
            assert mine[resample, 0] == pytest.approx(alone, abs=1e-12)
