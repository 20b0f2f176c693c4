"""How many items tell measures apart or pin a correlation down, against straightforward loops and theory."""

from __future__ import annotations

import dataclasses
import math
from functools import partial

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.display.notes import codes, texts
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.document import PowerPoint
from dialeval.meta.planning.measures import (
    correlation_by_raters,
    power_between_measures,
    sample,
    width_of_correlation,
)
from dialeval.meta.rivals import compare_measures
from dialeval.ratings.joined import Grid, Joined
from dialeval.stats.correlation.levels import level_correlation
from dialeval.stats.estimate import LEVELS

NONE = math.nan


def made(make_joined, systems: int = 4, items: int = 25, seed: int = 0) -> Joined:
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 6, size=(3, systems, items)).astype(float)
    human[:, 1, 3] = NONE
    good = human.mean(axis=0) + rng.normal(scale=0.5, size=(systems, items))
    poor = human.mean(axis=0) + rng.normal(scale=3, size=(systems, items))
    good[2, 5] = poor[0, 7] = NONE
    return make_joined(human, {"good": good, "poor": np.round(poor)})


def test_draws_give_the_correlation_of_the_drawn_tables(make_joined) -> None:
    """Frequencies of units must give what stacking the drawn columns, or rows, gives, at every level."""
    joined = made(make_joined)
    rng = np.random.default_rng(1)
    for level in LEVELS:
        for over in ("items", "systems"):
            drawn_from = sample(joined, ("good",), level, over)
            for kind in ("pearson", "spearman", "kendall"):
                places = rng.integers(drawn_from.units, size=12)
                counts = np.bincount(places, minlength=drawn_from.units)[None]
                found = drawn_from.correlator(kind, 1)(counts).r[0, 0]
                human, good = joined.human.values, joined.measures[0].values
                # A plan draws answers that both sides have.
                shared = [np.where(np.isnan(human) | np.isnan(good), NONE, side) for side in (human, good)]
                both = [t[:, places] if over == "items" else t[places] for t in shared]
                expected = level_correlation(both[0], both[1], kind=kind, level=level)
                assert found == pytest.approx(expected.value), (level, over, kind)


def noisy(make_joined, rng: np.random.Generator, items: int) -> Joined:
    truth = rng.normal(size=(1, 2, items))
    measures = {
        name: truth[0] + spread * rng.normal(size=(2, items)) for name, spread in (("a", 1), ("b", 2))
    }
    return make_joined(truth + 0.8 * rng.normal(size=truth.shape), measures)


def test_planned_power_is_that_of_the_test_that_decides(make_joined) -> None:
    """Studies of that size, made afresh, find the difference as often as planned."""
    rng = np.random.default_rng(4)
    plan = power_between_measures(
        noisy(make_joined, rng, 600), "b", "a", [40], resampling=Resampling(resamples=2000, seed=4)
    )
    found = 0
    for _ in range(100):
        (rival,) = compare_measures(
            noisy(make_joined, rng, 40), level="item", resampling=Resampling(resamples=100)
        )
        found += rival.better == "a"
    assert plan.points[0].power.value == pytest.approx(found / 100, abs=0.13)
    assert plan.effect < 0
    assert plan.question == "to find that a agrees better with people than b"


def test_a_small_pilot_gives_a_range_and_may_say_perhaps_never(make_joined) -> None:
    found = power_between_measures(
        noisy(make_joined, np.random.default_rng(3), 30), "a", "b", resampling=Resampling(resamples=300)
    )
    needed = found.needed
    assert needed.fewest < needed.middle < needed.assured
    assert needed.most > needed.assured
    human = np.random.default_rng(5).normal(size=(1, 2, 30))
    same = {
        name: human[0] + np.random.default_rng(seed).normal(size=(2, 30)) for seed, name in enumerate("ab")
    }
    even = power_between_measures(
        make_joined(human, same), "a", "b", [50], resampling=Resampling(resamples=300)
    )
    assert even.needed.most is None
    assert even.verdict.endswith("to perhaps never).")


def test_dialogues_are_drawn_where_items_are_their_turns(make_joined) -> None:
    plain = noisy(make_joined, np.random.default_rng(6), 20)
    copies = tuple(f"{item}/{turn}" for item in plain.items for turn in range(4))

    def copied(grid: Grid) -> Grid:
        return Grid(grid.systems, copies, np.repeat(grid.values, 4, axis=1))

    turns = dataclasses.replace(
        plain,
        human=copied(plain.human),
        measures=tuple(dataclasses.replace(one, grid=copied(one.grid)) for one in plain.measures),
    )
    for plan in (
        partial(power_between_measures, second="b", first="a"),
        partial(width_of_correlation, measure="a"),
    ):
        alone, together = (
            plan(joined, sizes=[30], coefficient="pearson", resampling=Resampling(resamples=200))
            for joined in (plain, turns)
        )
        assert (alone.over, together.over) == ("items", "dialogues")
        assert together.at_hand == 20
        got, wanted = (curve.points[0] for curve in (together, alone))
        if isinstance(got, PowerPoint):
            assert got.power.value == pytest.approx(wanted.power.value)
        else:
            assert got.width == pytest.approx(wanted.width)


def test_few_systems_cannot_tell_measures_apart_and_say_so(make_joined) -> None:
    curve = power_between_measures(
        made(make_joined), "good", "poor", [10, 25], level="system", resampling=Resampling(resamples=50)
    )
    assert max(point.power.value for point in curve.points) < 0.8
    assert codes(curve.notes) == ("few_systems",)


def test_the_width_of_a_correlation_is_that_of_theory(make_joined) -> None:
    # Fisher (1915): atanh of Pearson's r of n normal pairs has standard deviation 1 / sqrt(n - 3).
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=(2, 1, 1500))
    joined = make_joined((0.6 * x + 0.8 * noise)[None], {"m": x})
    rho = np.corrcoef(0.6 * x + 0.8 * noise, x)[0, 1]
    curve = width_of_correlation(
        joined, "m", [50, 200, 800], coefficient="pearson", resampling=Resampling(resamples=1000)
    )
    for point in curve.points:
        ends = np.tanh(math.atanh(rho) + np.array([-1, 1]) * 1.96 / math.sqrt(point.size - 3))
        assert point.range == pytest.approx(tuple(ends), abs=0.03)
        assert point.width == point.range[1] - point.range[0]
    assert curve.enough == 200


def test_draws_without_a_correlation_are_counted(make_joined) -> None:
    joined = make_joined([[[1, 1, 1, 1, 5]]], {"m": [[1, 2, 3, 4, 5]]})
    [point] = width_of_correlation(joined, "m", [2], resampling=Resampling(resamples=400)).points
    # Two draws of five: not both sides vary unless exactly one of them is the last item, 2 x 4 / 25.
    assert point.undefined == pytest.approx(400 * (1 - 8 / 25), abs=30)


def test_more_raters_raise_the_correlation_and_narrow_it(make_joined) -> None:
    rng = np.random.default_rng(6)
    true = rng.normal(size=(2, 150))
    measure = true + rng.normal(size=true.shape)
    joined = make_joined(true + rng.normal(scale=1.5, size=(12, *true.shape)), {"m": measure})
    curve = correlation_by_raters(
        joined, "m", [1, 3, 6], coefficient="pearson", resampling=Resampling(resamples=400)
    )
    for point in curve.points:
        fresh = [
            np.corrcoef(
                (true + rng.normal(scale=1.5, size=(point.size, *true.shape)).mean(axis=0)).flat, measure.flat
            )
            for _ in range(400)
        ]
        low, high = np.quantile([table[0, 1] for table in fresh], [0.025, 0.975])
        # New raters of the same answers, which the finite population correction stands for.
        assert point.range == pytest.approx((low, high), abs=0.04)
        assert point.width == pytest.approx(high - low, rel=0.3)
    assert [point.width for point in curve.points] == sorted((p.width for p in curve.points), reverse=True)
    assert curve.points[0].range[1] < curve.points[2].range[1]


def test_answers_without_a_spare_rating_are_left_out(make_joined) -> None:
    ratings = np.random.default_rng(1).normal(size=(4, 1, 10))
    ratings[3, 0, 0] = NONE
    joined = make_joined(ratings, {"m": np.arange(10.0)[None]})
    assert [
        point.size for point in correlation_by_raters(joined, "m", resampling=Resampling(resamples=10)).points
    ] == [1, 2]
    curve = correlation_by_raters(joined, "m", [3], resampling=Resampling(resamples=10))
    assert texts(curve.notes) == ("1 answers have no more than 3 ratings",)
    with pytest.raises(Unsuitable, match="0 answers with more than 4 ratings"):
        correlation_by_raters(joined, "m", [4])


def test_what_has_no_answer_is_refused(make_joined) -> None:
    joined = make_joined([[[1, 2, 3, 4]]], {"a": [[1, 2, 4, 3]], "b": [[2, 3, 9, 4]], "c": [[1, 2, 3, NONE]]})
    with pytest.raises(Unsuitable, match="the same correlation"):
        power_between_measures(joined, "a", "b")
    with pytest.raises(Unsuitable, match="no correlation"):
        power_between_measures(joined.plus(), "a", "c", level="system")
    with pytest.raises(UnknownName):
        width_of_correlation(joined, "d")
    with pytest.raises(Unsuitable, match="1 systems"):
        width_of_correlation(joined, "a", over="systems")


def test_the_same_seed_gives_the_same_curve(make_joined) -> None:
    joined = made(make_joined)
    one, two, other = (
        width_of_correlation(joined, "good", [10], resampling=Resampling(seed=seed)) for seed in (1, 1, 2)
    )
    assert one == two
    assert one.points != other.points


def test_on_usr_fifty_items_tell_unieval_from_ruber(usr: Joined) -> None:
    curve = power_between_measures(usr, "ruber", "unieval_coherence", [10, 30, 50, 100])
    assert curve.enough == 50
    assert curve.question == "to find that unieval_coherence agrees better with people than ruber"
