"""Mean ratings from few ratings and many scores: who is rated, which way round, and coverage on real ratings."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from dialeval.display.notes import codes, texts
from dialeval.errors import UnknownName, Unsuitable
from dialeval.meta.combinations import linear_combination
from dialeval.meta.estimates import estimate_systems, scale_of
from dialeval.ratings.joined import Grid, Joined, MeasureGrid
from dialeval.stats.resampling.prediction_powered import PartlyRated, ppi_difference, ppi_mean
from dialeval.stats.tests.multiple import holm

NONE = math.nan


def numbers(estimate: object) -> tuple[object, ...]:
    """What an estimate and its statistic have in common."""
    names = ("estimate", "error", "tuning", "n_unrated", "effective_n")
    return tuple(getattr(estimate, name) for name in names)


def part_of(joined: Joined, kept: np.ndarray) -> Joined:
    """The same with ratings of these cells alone."""
    human = np.where(np.broadcast_to(kept, joined.human.values.shape), joined.human.values, NONE)
    return dataclasses.replace(joined, human=Grid(joined.systems, joined.items, human))


def made(make_joined, *, rated: int = 30, items: int = 400, noise: float = 0.3, seed: int = 0) -> Joined:
    """Two systems with means 3 and 2.5, and a measure on a scale of its own that knows ratings up to noise."""
    rng = np.random.default_rng(seed)
    human = rng.normal(size=(2, items)) + np.array([[3.0], [2.5]])
    measure = 0.1 * (human + rng.normal(scale=noise, size=human.shape)) - 7
    human[:, rated:] = NONE
    return make_joined(human[None], {"m": measure})


def test_estimates_are_ppi_of_rated_and_unrated_items(make_joined) -> None:
    joined = made(make_joined)
    found = estimate_systems(joined, "m")
    human = joined.human.values
    scores = joined.measures[0].values * scale_of(human, joined.measures[0].values)
    parts = [PartlyRated(human[s, :30], scores[s, :30], scores[s, 30:]) for s in (0, 1)]
    for system, part in zip(found.systems, parts, strict=True):
        assert numbers(system) == numbers(ppi_mean(*part))
        assert system.warnings == ()
        assert system.helps
        assert system.effective_n > 60
    [difference] = found.differences
    assert numbers(difference) == numbers(ppi_difference(parts[0], parts[1], paired=True))
    assert (difference.a, difference.b, difference.paired, difference.higher) == ("s0", "s1", True, "s0")


def test_the_scale_and_direction_of_the_measure_do_not_matter(make_joined) -> None:
    joined = made(make_joined)
    grid = joined.measures[0]
    plain = estimate_systems(joined, "m")
    for factor in (1e-6, 50.0, -1.0):
        other = MeasureGrid(
            "other", "other", "other", Grid(joined.systems, joined.items, grid.values * factor)
        )
        moved = estimate_systems(joined, other)
        scale, moved_scale = (scale_of(joined.human.values, part.values) for part in (grid, other))
        assert moved_scale == pytest.approx(scale / factor)
        for one, two in zip(plain.systems, moved.systems, strict=True):
            assert two.estimate.value == pytest.approx(one.estimate.value)
            assert two.estimate.high == pytest.approx(one.estimate.high)


def test_a_measure_of_nothing_does_not_help_and_does_not_harm(make_joined) -> None:
    systems = [
        system
        for seed in range(40)
        for system in estimate_systems(made(make_joined, noise=1e6, items=200, seed=seed), "m").systems
    ]
    silent = [system for system in systems if not system.helps]
    assert len(silent) >= 0.9 * len(systems)
    assert all("this measure does not help (lambda 0." in system.verdict for system in silent)
    assert np.mean([system.tuning for system in systems]) < 0.15
    assert max(s.error / s.classical.error for s in systems) < 1.05


def test_a_constant_measure_leaves_the_plain_mean(make_joined) -> None:
    joined = made(make_joined)
    flat = MeasureGrid("flat", "flat", "flat", Grid(joined.systems, joined.items, np.full((2, 400), 0.1)))
    system = estimate_systems(joined, flat).systems[0]
    assert system.tuning == 0
    assert system.estimate.value == pytest.approx(joined.human.values[0, :30].mean())
    assert system.p_shift is None


def test_ratings_of_chosen_items_are_suspected(make_joined) -> None:
    """Only good answers were rated: the interval cannot be trusted, and the measure shows it."""
    rng = np.random.default_rng(1)
    human = rng.normal(size=(1, 1, 200))
    joined = make_joined(human, {"m": human[0] + 0.1 * rng.normal(size=(1, 200))})
    chosen = estimate_systems(part_of(joined, human[0] > np.quantile(human, 0.8)), "m").systems[0]
    assert chosen.p_shift < 1e-6
    assert "shifted" in codes(chosen.warnings)
    drawn = estimate_systems(part_of(joined, np.arange(200) < 40), "m")
    assert drawn.systems[0].warnings == ()
    assert drawn.note.code == "random_part"


def test_items_rated_for_one_system_are_left_out_of_paired_differences(make_joined) -> None:
    joined = made(make_joined)
    kept = np.ones((2, 400), dtype=bool)
    kept[0, :5] = kept[1, 25:30] = False
    few = part_of(joined, kept)
    [difference] = estimate_systems(few, "m").differences
    assert difference.paired
    assert difference.estimate.n == 20
    assert difference.n_unrated == 370
    assert "10 items are left out because only one of the systems is rated on them" in texts(
        difference.warnings
    )


def test_systems_rated_on_different_items_are_compared_unpaired(make_joined) -> None:
    joined = made(make_joined)
    kept = np.zeros((2, 400), dtype=bool)
    kept[0, :15] = kept[1, 15:30] = True
    found = estimate_systems(part_of(joined, kept), "m")
    [difference] = found.differences
    assert not difference.paired
    assert difference.estimate.n == 30
    assert difference.warnings[-1].code == "unpaired"
    assert "few_rated" in codes(difference.warnings)
    separate = [system.estimate.value for system in found.systems]
    assert difference.estimate.value == pytest.approx(separate[0] - separate[1])


def test_where_all_is_rated_the_measure_has_nothing_to_add(make_joined) -> None:
    joined = made(make_joined, rated=400)
    system = estimate_systems(joined, "m").systems[0]
    assert system.gained == 0
    assert texts(system.warnings) == ("every item is rated, so the measure has nothing to add",)


def test_a_system_without_ratings_has_a_reason(make_joined) -> None:
    joined = part_of(made(make_joined), np.array([[True], [False]]))
    found = estimate_systems(joined, "m")
    assert found.systems[1].estimate.reason == "0 rated items, where 2 are needed"
    assert found.systems[1].verdict == "s1: no estimate, 0 rated items, where 2 are needed."
    assert found.differences[0].higher is None
    assert found.differences[0].p_adjusted is None


def test_rated_items_without_a_score_are_counted(make_joined) -> None:
    joined = made(make_joined)
    values = joined.measures[0].values.copy()
    values[0, :4] = NONE
    found = estimate_systems(
        joined, MeasureGrid("m2", "m2", "m2", Grid(joined.systems, joined.items, values))
    )
    [first, second] = found.systems
    assert (first.estimate.n, first.classical.estimate.n, second.estimate.n, second.classical.estimate.n) == (
        26,
        30,
        30,
        30,
    )
    assert first.classical.estimate.value == pytest.approx(joined.human.values[0, :30].mean())
    assert texts(found.systems[0].warnings) == (
        "4 rated items without a score count only for the ratings alone, of which there are 30",
    )
    [difference] = found.differences
    assert (difference.paired, difference.estimate.n, difference.classical.estimate.n) == (True, 26, 30)
    gaps = joined.human.values[0, :30] - joined.human.values[1, :30]
    assert difference.classical.estimate.value == pytest.approx(gaps.mean())
    scores = values * scale_of(joined.human.values, values)
    parts = [PartlyRated(joined.human.values[s, 4:30], scores[s, 4:30], scores[s, 30:]) for s in (0, 1)]
    assert difference.estimate.value == pytest.approx(
        ppi_difference(parts[0], parts[1], paired=True).estimate.value
    )


def test_wrong_measures_are_refused(make_joined) -> None:
    joined = made(make_joined)
    with pytest.raises(UnknownName, match="There are m"):
        estimate_systems(joined, "n")
    empty = MeasureGrid("none", "none", "none", Grid(joined.systems, joined.items, np.full((2, 400), NONE)))
    with pytest.raises(Unsuitable, match="scores no answer"):
        estimate_systems(joined, empty)


def test_differences_are_corrected_over_all_pairs(usr: Joined) -> None:
    found = estimate_systems(part_of(usr, np.arange(60) % 3 == 0), "unieval_engagingness")
    assert len(found.differences) == 10
    plain = [one.p for one in found.differences]
    assert [one.p_adjusted for one in found.differences] == pytest.approx(holm(plain).tolist())


def test_the_higher_system_is_the_one_that_the_correction_leaves(usr: Joined) -> None:
    """An interval may leave out 0 where Holm's p-value over all pairs does not."""
    found = estimate_systems(part_of(usr, np.arange(60) % 4 == 0), "unieval_engagingness")
    lost = [
        one
        for one in found.differences
        if one.p_adjusted > 0.05 and (one.estimate.low > 0 or one.estimate.high < 0)
    ]
    assert lost
    assert all(one.higher is None for one in lost)
    for one in found.differences:
        if one.p_adjusted < 0.05:
            assert one.higher == (one.a if one.estimate.value > 0 else one.b)


def test_equal_ratings_have_a_mean_and_no_interval(make_joined) -> None:
    human = np.full((1, 1, 30), NONE)
    human[0, 0, :2] = 4
    found = estimate_systems(make_joined(human, {"m": np.arange(30.0)[None]}), "m")
    assert found.systems[0].verdict.startswith("s0: 4 without an interval, the 2 ratings do not vary")


def test_a_held_out_combination_serves_as_a_measure(usr: Joined) -> None:
    few = part_of(usr, np.arange(60) % 2 == 0)
    found = estimate_systems(few, linear_combination(few, folds=5).measure)
    assert found.measure == "linear_combination"
    assert "folds=5" in found.rater
    assert [system.system for system in found.systems] == list(usr.systems)
    for at, system in enumerate(found.systems):
        assert system.estimate.low <= usr.human.values[at].mean() <= system.estimate.high


@pytest.mark.parametrize(
    ("data", "measure"),
    [("usr", "unieval_engagingness"), ("usr", "ruber"), ("convai2", "words")],
)
def test_intervals_cover_the_truth_on_real_ratings(
    request: pytest.FixtureRequest, data: str, measure: str
) -> None:
    """Items drawn from real ones, 30 of 240 rated: the mean of all lies in about 95 of 100 intervals."""
    joined: Joined = request.getfixturevalue(data)
    human, scores = joined.human.values, joined.measure_named(measure).values
    rng, inside = np.random.default_rng(0), []
    for _ in range(800 // len(human)):
        columns = [rng.choice(np.flatnonzero(~np.isnan(row)), 240) for row in human]
        drawn = np.stack([row[at] for row, at in zip(human, columns, strict=True)])
        drawn[:, 30:] = NONE
        values = np.stack([row[at] for row, at in zip(scores, columns, strict=True)])
        items = tuple(f"i{at}" for at in range(240))
        grid = MeasureGrid(measure, measure, measure, Grid(joined.systems, items, values))
        sample = dataclasses.replace(joined, human=Grid(joined.systems, items, drawn), measures=(grid,))
        for row, system in zip(human, estimate_systems(sample, measure).systems, strict=True):
            inside.append(system.estimate.low <= np.nanmean(row) <= system.estimate.high)
    # Four standard errors of 800 draws.
    assert np.mean(inside) == pytest.approx(0.95, abs=0.03)
