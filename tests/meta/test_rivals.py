"""Which measure agrees better with people."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from dialeval.core import Estimate, Resampling
from dialeval.display.notes import codes
from dialeval.meta.correlation import correlate
from dialeval.meta.document import LEVELS, Rivalry, Row
from dialeval.meta.rivals import ENOUGH, compare_measures, rank_groups, with_rank_groups
from dialeval.ratings.joined import Counts, Grid, Joined, MeasureGrid, PeopleRatings
from dialeval.stats.correlation.dependent import permuted, williams
from dialeval.stats.correlation.jackknife import correlation_difference, leave_out_level


def joined(human: np.ndarray, **measures: np.ndarray) -> Joined:
    systems = tuple(f"s{at}" for at in range(len(human)))
    items = tuple(f"i{at}" for at in range(human.shape[1]))
    none = np.zeros(0, dtype=np.int64)
    return Joined(
        human=Grid(systems, items, human),
        people=PeopleRatings((), none, none, none, np.zeros(0)),
        criterion="overall",
        measures=tuple(
            MeasureGrid(name, name, name, Grid(systems, items, values)) for name, values in measures.items()
        ),
        counts=Counts(0, 0, 0),
    )


def noisy(*spreads: float, shape: tuple[int, int] = (5, 60)) -> tuple[np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(7)
    truth = rng.normal(size=shape)
    return truth, [truth + spread * rng.normal(size=shape) for spread in spreads]


@pytest.mark.parametrize("level", LEVELS)
def test_a_rivalry_puts_the_tests_of_stats_side_by_side(level: str) -> None:
    human, (a, b) = noisy(1.0, 2.0)
    (found,) = compare_measures(
        joined(human, a=a, b=b),
        level=level,
        coefficient="pearson",
        resampling=Resampling(resamples=200, seed=3),
    )
    options = {"kind": "pearson", "level": level, "resamples": 200, "seed": 3}
    test = permuted(human, a, b, **options, swap="items", enough=ENOUGH)
    assert (found.p_permutation, found.p_error) == (test.p, test.error)
    assert found.p_adjusted == found.p_permutation
    assert found.significant == (found.p_permutation < 0.05)
    both = [leave_out_level(human, scores, kind="pearson", level=level, seed=3) for scores in (a, b)]
    jackknife = correlation_difference(*both)
    bounds = (None, None) if level == "system" else jackknife.estimate.bounds
    assert (found.difference.low, found.difference.high, found.p_jackknife) == (*bounds, jackknife.p)
    assert found.difference.value == found.value_a - found.value_b
    assert (found.p_williams is not None) == (level in ("system", "item"))


def test_williams_uses_the_points_of_the_level() -> None:
    human, (a, b) = noisy(1.0, 2.0)
    (found,) = compare_measures(joined(human, a=a, b=b), level="item", resampling=Resampling(resamples=50))
    r12, r13, r23 = (spearmanr(x.ravel(), y.ravel()).statistic for x, y in ((human, a), (human, b), (a, b)))
    assert found.p_williams == pytest.approx(williams(r12, r13, r23, 300).p)
    assert found.difference.n == 300


def test_rivals_meet_on_the_cells_that_all_three_have() -> None:
    human, (a, b) = noisy(1.0, 1.0)
    a[0, :30], b[1, 30:], human[2, 5] = np.nan, np.nan, np.nan
    (found,) = compare_measures(
        joined(human, a=a, b=b), coefficient="pearson", resampling=Resampling(resamples=20)
    )
    shared = ~(np.isnan(human) | np.isnan(a) | np.isnan(b))
    assert found.difference.n == shared.sum() == 300 - 30 - 30 - 1
    assert found.value_a == pytest.approx(pearsonr(human[shared], a[shared]).statistic)
    assert found.value_b == pytest.approx(pearsonr(human[shared], b[shared]).statistic)


def test_holm_corrects_over_all_pairs() -> None:
    human, (a, b, c) = noisy(1.0, 1.1, 4.0)
    found = compare_measures(joined(human, a=a, b=b, c=c), resampling=Resampling(resamples=300))
    assert [(one.a, one.b) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    smallest = min(found, key=lambda one: one.p_permutation)
    assert smallest.p_adjusted == pytest.approx(min(1, 3 * smallest.p_permutation))
    assert [one.significant for one in found] == [False, True, True]


def test_a_measure_is_no_better_than_itself() -> None:
    human, (a,) = noisy(1.0)
    (found,) = compare_measures(joined(human, a=a, twin=a.copy()), resampling=Resampling(resamples=50))
    assert (*found.difference[:3], found.p_permutation) == (0, None, None, 1)
    assert not found.significant
    assert found.p_williams is None


def test_a_constant_measure_has_no_rivals() -> None:
    human, (a,) = noisy(1.0)
    (found,) = compare_measures(joined(human, a=a, flat=np.ones_like(a)), resampling=Resampling(resamples=50))
    assert (found.value_b, found.difference.value, found.p_permutation, found.p_adjusted) == (None,) * 4
    assert found.significant is False


def row(measure: str, value: float | None) -> Row:
    estimate = Estimate(value, None, None, 9)
    return Row(measure, measure, measure, "item", None, value, None, {}, "spearman", estimate, 3, 3, None, 0)


def rivalry(better: str, worse: str) -> Rivalry:
    return Rivalry(
        better, worse, "item", "spearman", 0.5, 0.1, Estimate(0.4, None, None, 9), significant=True
    )


def test_a_significantly_worse_measure_begins_the_next_cluster() -> None:
    rows = [row("d", 0.1), row("a", 0.9), row("c", 0.3), row("b", 0.8), row("none", None)]
    # c loses to a but not to b; d loses to a and b, but not to c, with which it shares a cluster.
    found = rank_groups(rows, [rivalry("a", "c"), rivalry("a", "d"), rivalry("b", "d")])
    assert found == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert [one.cluster for one in with_rank_groups(rows, [rivalry("a", "c")])] == [2, 1, 2, 1, None]


def test_without_significant_differences_all_share_one_cluster() -> None:
    assert rank_groups([row("a", 0.2), row("b", 0.1)], []) == {"a": 1, "b": 1}


def test_negative_differences_count_for_the_other_side() -> None:
    lost = Rivalry("a", "b", "item", "spearman", 0.1, 0.5, Estimate(-0.4, None, None, 9), significant=True)
    assert rank_groups([row("a", 0.1), row("b", 0.5)], [lost]) == {"b": 1, "a": 2}


def test_clusters_stay_within_their_level() -> None:
    human, (a, c) = noisy(1.0, 4.0)
    both = joined(human, a=a, c=c)
    rows = correlate(both, resampling=Resampling(resamples=0))
    found = with_rank_groups(rows, compare_measures(both, level="item", resampling=Resampling(resamples=200)))
    assert {(one.measure, one.level): one.cluster for one in found if one.cluster} == {
        ("a", "item"): 1,
        ("c", "item"): 2,
    }


def unequal() -> Joined:
    """Measure a scores 40 of 100 items, those that people and b agree on better than a does; b scores all."""
    rng = np.random.default_rng(2)
    human = rng.normal(size=(1, 100))
    a, b = human + 0.8 * rng.normal(size=human.shape), human + 0.2 * rng.normal(size=human.shape)
    b[0, 40:] = rng.normal(size=60)
    a[0, 40:] = np.nan
    return joined(human, a=a, b=b)


def test_an_order_that_depends_on_coverage_is_no_cluster_and_is_said() -> None:
    both = unequal()
    rows = correlate(both, levels=["item"], resampling=Resampling(resamples=0))
    (found,) = rivalries = compare_measures(both, resampling=Resampling(resamples=500))
    assert rows[0].value > rows[1].value
    assert (found.better, found.cells, found.only_a, found.only_b) == ("b", 40, 0, 60)
    of_a, of_b = with_rank_groups(rows, rivalries)
    assert (of_a.cluster, of_b.cluster) == (1, 2)
    assert of_a.warnings == rows[0].warnings
    assert codes(of_b.warnings) == ("compared_over_fewer", "order_depends_on_coverage")


def test_measures_of_the_same_cells_need_no_word_on_coverage() -> None:
    human, (a, c) = noisy(1.0, 4.0)
    human[0, 3] = np.nan
    both = joined(human, a=a, c=c)
    rows = correlate(both, levels=["item"], resampling=Resampling(resamples=0))
    assert [
        one.warnings
        for one in with_rank_groups(rows, compare_measures(both, resampling=Resampling(resamples=200)))
    ] == [(), ()]


def test_what_is_resampled_decides_interval_and_p() -> None:
    human, (a, b) = noisy(1.0, 2.0)
    tables = joined(human, a=a, b=b)
    items, systems, both = (
        compare_measures(tables, level="item", resampling=Resampling(resamples=200), resample=side)[0]
        for side in ("items", "systems", "both")
    )
    assert len({one.difference.bounds for one in (items, systems, both)}) == 3
    assert (systems.p_permutation, systems.p_error) == (
        2 / 2**5,
        0,
    )  # all ways to swap five systems were tried
    assert (both.p_permutation, both.p_adjusted) == (None, both.p_jackknife)
    assert [one.test for one in (items, systems, both)] == ["swapped_items", "swapped_systems", "jackknife"]
    assert [one.significant for one in (items, systems, both)] == [True, False, True]


def test_a_measure_that_favours_some_systems_is_better_on_these_systems_only() -> None:
    # The audit's finding 4: two measures that follow people alike, each kinder to some systems than to others.
    rejected = {"items": 0, "systems": 0, "both": 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = rng.normal(size=(6, 40)) + 0.5 * rng.normal(size=(6, 1))
        human, a, b = (truth + rng.normal(size=(6, 40)) for _ in range(3))
        tables = joined(human, a=a + rng.normal(size=(6, 1)), b=b + rng.normal(size=(6, 1)))
        for side in rejected:
            (found,) = compare_measures(
                tables,
                level="system",
                coefficient="pearson",
                resampling=Resampling(resamples=60, seed=seed),
                resample=side,
            )
            rejected[side] += found.significant
    assert rejected["items"] > 20  # a difference there is, on these systems
    assert max(rejected["systems"], rejected["both"]) <= 7  # 3 of 60 are expected where there is none


def test_a_clear_difference_has_room_below_alpha_and_a_clear_tie_costs_little() -> None:
    rng = np.random.default_rng(0)
    human = rng.normal(size=(2, 80))
    scores = {f"m{at}": rng.normal(size=human.shape) for at in range(5)}
    found = compare_measures(
        joined(human, good=human + 0.1 * rng.normal(size=human.shape), **scores),
        resampling=Resampling(resamples=100),
    )
    clear = [one for one in found if one.a == "good"]
    # 15 pairs: ten times the room is 3,000 permutations.
    assert [one.p_permutation for one in clear] == pytest.approx([1 / 3001] * 5)
    assert max(one.p_adjusted for one in clear) == pytest.approx(15 / 3001)
    for one in found[5:]:
        assert one.p_permutation > 0.03
        # Stopped at the hundredth that is as extreme: the error is a tenth of p at most.
        assert one.p_error == pytest.approx(one.p_permutation * ((1 - one.p_permutation) / 100) ** 0.5)


def two_of(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People, and two measures of which the first is nearer to them."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(1, 60))
    return human, human + 1.2 * rng.normal(size=(1, 60)), human + 2 * rng.normal(size=(1, 60))


def test_verdicts_that_another_seed_turns_are_on_the_edge() -> None:
    human, a, b = two_of(59)  # p = 0.0507
    found = [
        compare_measures(
            joined(human, a=a, b=b), coefficient="pearson", resampling=Resampling(resamples=400, seed=seed)
        )[0]
        for seed in range(12)
    ]
    assert {one.significant for one in found} == {True, False}
    for one in found:
        assert one.on_edge == (abs(one.p_permutation - 0.05) <= 2 * one.p_error)
    assert sum(one.on_edge for one in found) >= 11


def test_clear_verdicts_are_not_on_the_edge() -> None:
    human, (a, b, c) = noisy(0.5, 2.0, 2.6)
    by_pair = {
        (one.a, one.b): one
        for one in compare_measures(joined(human, a=a, b=b, c=c), resampling=Resampling(resamples=1000))
    }
    assert (by_pair["a", "b"].significant, by_pair["a", "b"].on_edge) == (True, False)
    assert (by_pair["b", "c"].significant, by_pair["b", "c"].on_edge) == (False, False)


def test_edges_count_the_correction_over_all_pairs() -> None:
    """A p of 0.017 is far from 0.05 on its own, and near to it once three pairs are corrected for."""
    human, a, b = two_of(71)
    options = {"coefficient": "pearson", "resampling": Resampling(resamples=2000)}
    (alone,) = compare_measures(joined(human, a=a, b=b), **options)
    assert (alone.significant, alone.on_edge) == (True, False)
    same, twin = compare_measures(joined(human, a=a, b=b, c=a), **options)[:2]
    assert same.p_permutation == alone.p_permutation
    assert same.on_edge
    assert not twin.on_edge
