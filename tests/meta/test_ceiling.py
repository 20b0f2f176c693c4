"""How well people agree with people."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from dialeval.data.types import Judgement
from dialeval.meta.ceiling import leave_one_out, split_half
from dialeval.meta.joining import Joined, join
from dialeval.meta.ratings import Ratings


def people(values: np.ndarray) -> Joined:
    """Ratings of one system, shape (raters, items); NaN where there is none."""
    return join(
        Ratings.of(
            Judgement(f"i{item}", "s", f"r{rater}", "overall", float(value))
            for rater, row in enumerate(values)
            for item, value in enumerate(row)
            if not math.isnan(value)
        ),
        "overall",
    )


FOUR = np.array([[1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [1, 3, 2, 5, 4], [5, 4, 3, 1, 2]], dtype=float)


def test_two_raters_are_the_only_two_halves() -> None:
    ceiling = split_half(people(FOUR[:2]), repeats=5)
    expected = spearmanr(FOUR[0], FOUR[1]).statistic
    assert ceiling.mean == pytest.approx(expected)
    assert ceiling.low == pytest.approx(expected)
    assert ceiling.high == pytest.approx(expected)
    assert ceiling.corrected == pytest.approx(2 * expected / (1 + expected))
    assert (ceiling.raters, ceiling.repeats, ceiling.split) == (2, 5, "raters")


def test_four_raters_fall_into_one_of_three_pairs_of_halves() -> None:
    # By hand: every way to part four raters into two and two, each about equally often.
    ways = [
        pearsonr(FOUR[[0, other]].mean(axis=0), np.delete(FOUR, [0, other], axis=0).mean(axis=0)).statistic
        for other in (1, 2, 3)
    ]
    ceiling = split_half(people(FOUR), repeats=3000, coefficient="pearson")
    assert ceiling.mean == pytest.approx(np.mean(ways), abs=0.02)
    assert ceiling.low == pytest.approx(min(ways))
    assert ceiling.high == pytest.approx(max(ways))


def test_a_negative_agreement_is_not_corrected() -> None:
    ceiling = split_half(people(FOUR[[0, 3]]), repeats=3)
    assert ceiling.mean < 0
    assert ceiling.corrected is None


def test_one_rater_or_single_ratings_leave_a_reason() -> None:
    alone = split_half(people(FOUR[:1]))
    assert (alone.mean, alone.reason) == (None, "one rater only: people cannot be compared with one another")
    apart = np.array([[1, 2, np.nan, np.nan], [np.nan, np.nan, 3, 4]])
    assert split_half(people(apart)).reason == "no cell has more than one rating"
    flat = split_half(people(np.full((2, 3), 4.0)), repeats=2)
    assert (flat.mean, flat.reason) == (None, "all values of the first variable are equal (4)")


def test_a_crowd_is_split_within_each_cell() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    crowd = np.full((60, 200), np.nan)
    for item in range(200):
        crowd[rng.choice(60, 2, replace=False), item] = truth[item] + rng.normal(size=2)
    ceiling = split_half(people(crowd), repeats=50, coefficient="pearson")
    assert ceiling.split == "ratings"
    # Truth and noise vary alike, so two single ratings correlate at one half.
    assert ceiling.mean == pytest.approx(0.5, abs=0.12)
    by_rater = split_half(people(crowd), repeats=50, coefficient="pearson", split="raters")
    assert by_rater.high - by_rater.low > ceiling.high - ceiling.low


def test_the_correction_says_what_full_groups_would_reach() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=3000)
    eight = truth + 2 * rng.normal(size=(8, 3000))
    half = split_half(people(eight[:4]), repeats=30, coefficient="pearson")
    whole = split_half(people(eight), repeats=30, coefficient="pearson")
    assert half.corrected == pytest.approx(whole.mean, abs=0.03)


def test_halves_repeat_with_their_seed() -> None:
    joined = people(FOUR[:3])
    assert split_half(joined, seed=4) == split_half(joined, seed=4)
    assert split_half(joined, split="ratings", seed=4) == split_half(joined, split="ratings", seed=4)


def test_three_raters_are_split_into_one_and_two() -> None:
    found = {round(split_half(people(FOUR[:3]), repeats=1, seed=seed).mean, 9) for seed in range(30)}
    assert found == {
        round(float(spearmanr(FOUR[at], np.delete(FOUR[:3], at, axis=0).mean(axis=0)).statistic), 9)
        for at in range(3)
    }


def test_each_rater_is_held_against_the_mean_of_the_others() -> None:
    some = FOUR.copy()
    some[0, 4] = np.nan
    found = leave_one_out(people(some))
    assert [one.rater for one in found] == ["r0", "r1", "r2", "r3"]
    assert found[0].value == pytest.approx(spearmanr(FOUR[0, :4], FOUR[1:, :4].mean(axis=0)).statistic)
    others = np.nanmean(some[[0, 2, 3]], axis=0)
    assert found[1].value == pytest.approx(spearmanr(some[1], others).statistic)
    assert [one.n for one in found] == [4, 5, 5, 5]


def test_a_rater_alone_has_nobody_to_be_held_against() -> None:
    (only,) = leave_one_out(people(FOUR[:1]))
    assert (only.value, only.n, only.reason) == (None, 0, "fewer than 2 pairs (0)")
