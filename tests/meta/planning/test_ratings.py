"""Power by resampling: against textbook power where that is known, and on real ratings."""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np
import pytest
from statsmodels.stats.power import TTestIndPower, TTestPower
from statsmodels.stats.proportion import proportion_confint

from dialeval.core import Estimate, Resampling
from dialeval.display.notes import codes, texts
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.document import PowerCurve, PowerPoint, WidthCurve, WidthPoint
from dialeval.meta.planning.ratings import (
    _significant,
    power_of_items,
    power_of_raters,
    power_point,
    sizes_to_try,
)
from dialeval.ratings.joined import Joined

NONE = math.nan


def powers(curve) -> list[float]:
    return [point.power.value for point in curve.points]


def normal_scores(n: int) -> np.ndarray:
    """n values of mean 0 and variance 1 that look as normal as they can."""
    from scipy.special import ndtri

    values = ndtri((np.arange(n) + 0.5) / n)
    return values / values.std()


def test_paired_power_is_that_of_the_t_test(make_joined) -> None:
    # Differences of mean 0.3 and standard deviation 1: the power of a paired t test is in the books.
    difference = np.random.default_rng(0).permutation(normal_scores(400)) + 0.3
    joined = make_joined([[difference, np.zeros(400)]], {"m": np.zeros((2, 400))})
    curve = power_of_items(joined, "s0", "s1", [20, 50, 90, 150], resampling=Resampling(resamples=4000))
    expected = [TTestPower().power(0.3, n, 0.05) for n in (20, 50, 90, 150)]
    np.testing.assert_allclose(powers(curve), expected, atol=0.025)
    assert curve.effect == pytest.approx(0.3)
    assert curve.enough == 90  # power .804
    assert "paired t test" in curve.design


def test_power_without_shared_items_is_that_of_two_samples(make_joined) -> None:
    ratings = np.full((1, 2, 600), NONE)
    ratings[0, 0, :300], ratings[0, 1, 300:] = normal_scores(300) + 0.5, normal_scores(300)
    curve = power_of_items(
        make_joined(ratings, {"m": np.zeros((2, 600))}),
        "s1",
        "s0",
        [20, 64],
        resampling=Resampling(resamples=4000),
    )
    expected = [TTestIndPower().power(0.5, n, 0.05) for n in (20, 64)]
    np.testing.assert_allclose(powers(curve), expected, atol=0.025)
    assert curve.effect == pytest.approx(-0.5)
    assert curve.question == "to find that s0 is rated above s1"
    assert codes(curve.notes) == ("different_items",)


def test_without_a_real_difference_power_is_about_half_of_alpha(make_joined) -> None:
    """Only differences the right way round count, and by chance half of the false alarms are."""
    difference = normal_scores(200) + 1e-9
    joined = make_joined([[difference, np.zeros(200)]], {"m": np.zeros((2, 200))})
    assert powers(power_of_items(joined, "s0", "s1", [40], resampling=Resampling(resamples=4000)))[
        0
    ] == pytest.approx(0.025, abs=0.01)


def test_raters_average_their_noise_away(make_joined) -> None:
    # Differences between items have variance 0.04, a rater's difference on top 2: over r raters 0.04 + 2 / r.
    rng = np.random.default_rng(1)
    true = 0.3 + 0.2 * rng.permutation(normal_scores(300))
    ratings = rng.normal(size=(8, 2, 300))
    ratings[:, 0] += true
    joined = make_joined(ratings, {"m": np.zeros((2, 300))})
    curve = power_of_raters(joined, "s0", "s1", [1, 2, 4, 8], items=40, resampling=Resampling(resamples=2000))
    expected = [TTestPower().power(0.3 / math.sqrt(0.04 + 2 / r), 40, 0.05) for r in (1, 2, 4, 8)]
    np.testing.assert_allclose(powers(curve), expected, atol=0.08)
    again = power_of_items(joined, "s0", "s1", [40], raters=4, resampling=Resampling(resamples=2000))
    assert powers(again)[0] == pytest.approx(powers(curve)[2], abs=0.04)
    replaced = power_of_raters(
        joined, "s0", "s1", [16], items=40, with_replacement=True, resampling=Resampling(resamples=500)
    )
    assert "drawn with replacement" in replaced.design


def test_all_raters_without_replacement_are_the_ratings_as_they_stand(make_joined) -> None:
    ratings = np.random.default_rng(3).normal(size=(3, 2, 25)) + np.array([0.6, 0])[:, None]
    joined = make_joined(ratings, {"m": np.zeros((2, 25))})
    plain = power_of_items(joined, "s0", "s1", [5, 10, 25])
    drawn = power_of_items(joined, "s0", "s1", [5, 10, 25], raters=3)
    assert powers(plain) == pytest.approx(powers(drawn), abs=0.05)


@pytest.mark.parametrize("with_replacement", [False, True])
def test_a_drawn_rater_is_one_person_for_both_systems(make_joined, with_replacement: bool) -> None:
    # Each rater has a level of their own and rates s0 exactly 1 higher: their differences never vary.
    levels = np.array([0.0, 10.0, 20.0, 30.0])[:, None]
    ratings = np.stack([levels + 1 + np.zeros(9), levels + np.zeros(9)], axis=1)
    joined = make_joined(ratings, {"m": np.zeros((2, 9))})
    curve = power_of_items(
        joined,
        "s0",
        "s1",
        [6],
        raters=1,
        with_replacement=with_replacement,
        resampling=Resampling(resamples=50),
    )
    assert powers(curve) == [1.0]
    # Six equal differences reach 2^-5 = .031 by the sign test; five do not reach .05.
    assert powers(power_of_items(joined, "s0", "s1", [5], raters=1, resampling=Resampling(resamples=50))) == [
        0.0
    ]


def test_significance_equals_scipy_row_by_row() -> None:
    import scipy.stats

    rng = np.random.default_rng(8)
    x, y = rng.normal(3.2, 1, size=(2, 300, 30))
    for n in (3, 10, 30):
        paired = scipy.stats.ttest_1samp(x[:, :n] - 3.2, 0, axis=1)
        # An effect of +1 or -1 picks the side.
        for side in (1.0, -1.0):
            found = _significant((x - 3.2, None), [n], side, 0.2)[0]
            assert found == np.sum((paired.pvalue < 0.2) & (np.sign(paired.statistic) == side))
            welch = scipy.stats.ttest_ind(x[:, :n], y[:, :n], axis=1, equal_var=False)
            found = _significant((x, y), [n], side, 0.2)[0]
            assert found == np.sum((welch.pvalue < 0.2) & (np.sign(welch.statistic) == side))


def test_answers_with_too_few_ratings_are_left_out_and_said(make_joined) -> None:
    ratings = np.random.default_rng(2).normal(size=(3, 2, 20)) + np.array([1, 0])[:, None]
    ratings[1:, 0, :5] = NONE
    ratings[:, 1, 19] = NONE
    joined = make_joined(ratings, {"m": np.zeros((2, 20))})
    curve = power_of_items(joined, "s0", "s1", [10], raters=2, resampling=Resampling(resamples=20))
    assert texts(curve.notes) == ("6 items are left out: too few ratings, or of one system only",)
    assert power_of_raters(joined, "s0", "s1", resampling=Resampling(resamples=20)).points[-1].size == 1
    with pytest.raises(Unsuitable, match="Found 0 items with 4 or more ratings"):
        power_of_items(joined, "s0", "s1", [10], raters=4)


def test_what_has_no_answer_is_refused(make_joined) -> None:
    joined = make_joined([[[1, 2, 3], [3, 2, 1]]], {"m": np.zeros((2, 3))})
    with pytest.raises(Unsuitable, match="same mean rating"):
        power_of_items(joined, "s0", "s1")
    with pytest.raises(UnknownName, match="s0"):
        power_of_items(joined, "s0", "s9")
    with pytest.raises(Unsuitable, match="two systems"):
        power_of_items(joined, "s0", "s0")
    with pytest.raises(Unsuitable, match="0 raters"):
        power_of_items(joined, "s0", "s1", raters=0)


def test_the_same_seed_gives_the_same_curve(make_joined) -> None:
    ratings = np.random.default_rng(2).normal(size=(3, 2, 20)) + np.array([0.5, 0])[:, None]
    joined = make_joined(ratings, {"m": np.zeros((2, 20))})
    one, two, other = (
        power_of_items(joined, "s0", "s1", [8, 16], raters=2, resampling=Resampling(seed=s))
        for s in (1, 1, 2)
    )
    assert one == two
    assert one.points != other.points
    assert (one.seed, one.trials, one.alpha) == (1, 1000, 0.05)


def test_more_items_find_more_on_grade_and_quickly(convai2: Joined) -> None:
    started = time.perf_counter()
    curve = power_of_items(convai2, "bert_ranker", "dialogGPT", [50, 100, 200, 400], raters=8)
    assert time.perf_counter() - started < 5
    assert powers(curve) == sorted(powers(curve))
    assert curve.enough == 400
    assert powers(power_of_raters(convai2, "bert_ranker", "dialogGPT", [1, 8]))[0] < 0.15


def test_a_pilot_of_thirty_items_is_not_believed_to_the_digit(make_joined) -> None:
    """Planned with the observed difference, many studies are far too small (finding 13 of the audit)."""
    rng, weak = np.random.default_rng(8), np.zeros(2)
    for _ in range(40):
        difference = rng.normal(0.25, 1, size=30)
        joined = make_joined([[difference, np.zeros(30)]], {"m": np.zeros((2, 30))})
        curve = power_of_items(joined, "s0", "s1", resampling=Resampling(resamples=200))
        for index, size in enumerate((curve.enough, curve.needed.assured)):
            weak[index] += (
                size is not None and curve.effect > 0 and TTestPower().power(0.25, size, 0.05) < 0.5
            )
    assert weak[0] >= 8
    assert weak[1] <= 4


def test_whole_dialogues_are_drawn_and_counted(make_joined) -> None:
    difference = np.random.default_rng(9).normal(0.5, 1, size=25)
    plain = make_joined([[difference, np.zeros(25)]], {"m": np.zeros((2, 25))})
    turns = make_joined([[np.repeat(difference, 4), np.zeros(100)]], {"m": np.zeros((2, 100))})
    names = tuple(f"d{place // 4}/{place}" for place in range(100))
    turns = dataclasses.replace(turns, human=dataclasses.replace(turns.human, items=names))
    asked = {"sizes": [20, 60], "resampling": Resampling(resamples=300)}
    alone, together = (power_of_items(joined, "s0", "s1", **asked) for joined in (plain, turns))
    assert (together.over, together.at_hand, together.needed) == ("dialogues", 25, alone.needed)
    np.testing.assert_allclose(powers(together), powers(alone))
    raters = [
        power_of_raters(joined, "s0", "s1", resampling=Resampling(resamples=300)).points[0].power.value
        for joined in (plain, turns)
    ]
    assert raters[1] == pytest.approx(raters[0], abs=0.06)


@pytest.mark.parametrize(("found", "trials"), [(0, 50), (1, 50), (37, 100), (999, 1000), (50, 50)])
def test_bounds_are_wilsons(found: int, trials: int) -> None:
    low, high = proportion_confint(found, trials, method="wilson")
    point = power_point(10, found, trials)
    assert (point.size, point.power.value, point.power.n) == (10, found / trials, trials)
    assert point.power.bounds == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))


def test_sizes_are_sorted_or_round_numbers_up_to_four_times_what_there_is() -> None:
    assert sizes_to_try([30, 10, 10], 5, fewest=2) == (10, 30)
    assert sizes_to_try(None, 20, fewest=2) == (10, 15, 20, 30, 50, 70)
    assert sizes_to_try(None, 1, fewest=2) == (10,)
    for bad in ([], [1, 5]):
        with pytest.raises(Unsuitable, match="none below 2"):
            sizes_to_try(bad, 20, fewest=2)


def test_the_smallest_size_that_is_enough() -> None:
    points = tuple(
        PowerPoint(size, Estimate(power, 0.0, 1.0, 100)) for size, power in ((10, 0.3), (20, 0.8), (30, 0.95))
    )
    known = {"question": "to know", "design": "t test", "trials": 100, "seed": 0, "at_hand": 9}
    power = {**known, "points": points, "effect": 0.1, "alpha": 0.05}
    curve = PowerCurve(**power, over="items", target=0.8)
    assert (curve.enough, curve.verdict) == (20, "to know: 20 items are enough for power 0.8.")
    strict = PowerCurve(**power, over="raters", target=0.99)
    assert strict.enough is None
    assert strict.verdict == "to know: 30 ratings of each answer are not enough for power 0.99."
    widths = tuple(WidthPoint(size, width, (0.0, width), 0) for size, width in ((10, 0.5), (20, 0.2)))
    assert WidthCurve(**known, over="items", points=widths, target=0.2, level=0.95).enough == 20
