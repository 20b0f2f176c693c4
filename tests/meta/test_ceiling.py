"""How well people agree with people."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from dialeval.data.types import Judgement
from dialeval.meta.ceiling import leave_one_out, split_half
from dialeval.meta.judgements import join
from dialeval.ratings.joined import Joined
from dialeval.ratings.table import Ratings


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
    assert ceiling.mean.value == pytest.approx(expected)
    assert (
        ceiling.mean.low < expected < ceiling.mean.high
    )  # for other items, though nobody else can fall into the halves
    assert (ceiling.corrected, ceiling.bound, ceiling.mean.n) == (None, None, 5)
    assert ceiling.uncorrected == "coefficients of 5 points are too coarse for the correction"
    assert (ceiling.raters, ceiling.repeats, ceiling.split) == (2, 5, "raters")


def test_four_raters_fall_into_one_of_three_pairs_of_halves() -> None:
    # By hand: every way to part four raters into two and two, each about equally often.
    ways = [
        pearsonr(FOUR[[0, other]].mean(axis=0), np.delete(FOUR, [0, other], axis=0).mean(axis=0)).statistic
        for other in (1, 2, 3)
    ]
    ceiling = split_half(people(FOUR), repeats=3000, coefficient="pearson")
    assert ceiling.mean.value == pytest.approx(np.mean(ways), abs=0.02)
    assert (ceiling.five[0], ceiling.five[-1]) == pytest.approx((min(ways), max(ways)))
    assert ceiling.mean.low < ceiling.mean.value < ceiling.mean.high


def test_a_negative_agreement_is_not_corrected() -> None:
    ceiling = split_half(people(FOUR[[0, 3]]), repeats=3)
    assert ceiling.mean.value < 0
    assert ceiling.corrected is None
    twelve = np.arange(12.0)
    opposite = split_half(people(np.array([twelve, -twelve])), repeats=3)
    assert (opposite.corrected, opposite.bound, opposite.uncorrected) == (None, None, "the halves disagree")


def test_one_rater_or_single_ratings_leave_a_reason() -> None:
    alone = split_half(people(FOUR[:1]))
    assert (alone.mean.value, alone.mean.reason) == (
        None,
        "only one rater: no agreement between people can be computed",
    )
    apart = np.array([[1, 2, np.nan, np.nan], [np.nan, np.nan, 3, 4]])
    assert split_half(people(apart)).mean.reason == "no answer has more than one rating"
    flat = split_half(people(np.full((2, 3), 4.0)), repeats=2)
    assert (flat.mean.value, flat.mean.reason) == (None, "all values of the first variable are equal (4)")


def test_a_crowd_is_split_within_each_cell() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=200)
    crowd = np.full((60, 200), np.nan)
    for item in range(200):
        crowd[rng.choice(60, 2, replace=False), item] = truth[item] + rng.normal(size=2)
    ceiling = split_half(people(crowd), repeats=50, coefficient="pearson")
    assert ceiling.split == "ratings"
    # Truth and noise vary alike, so two single ratings correlate at one half.
    assert ceiling.mean.value == pytest.approx(0.5, abs=0.12)
    by_rater = split_half(people(crowd), repeats=50, coefficient="pearson", split="raters")
    assert by_rater.mean.high - by_rater.mean.low > ceiling.mean.high - ceiling.mean.low


def test_the_correction_says_what_full_groups_would_reach() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=3000)
    eight = truth + 2 * rng.normal(size=(8, 3000))
    half = split_half(people(eight[:4]), repeats=30, coefficient="pearson")
    whole = split_half(people(eight), repeats=30, coefficient="pearson")
    assert half.corrected == pytest.approx(whole.mean.value, abs=0.03)


def test_halves_repeat_with_their_seed() -> None:
    joined = people(FOUR[:3])
    assert split_half(joined, seed=4) == split_half(joined, seed=4)
    assert split_half(joined, split="ratings", seed=4) == split_half(joined, split="ratings", seed=4)


def test_three_raters_are_split_into_one_and_two() -> None:
    found = {round(split_half(people(FOUR[:3]), repeats=1, seed=seed).mean.value, 9) for seed in range(30)}
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


@pytest.mark.parametrize("raters", [2, 3, 4, 5])
def test_a_perfect_measure_reaches_the_bound_and_not_what_people_reach(raters: int) -> None:
    # A truth and errors that do not correlate at all, so that nothing is left to chance, whatever the halves.
    free = np.random.default_rng(raters).normal(size=(40, raters + 1))
    truth, *errors = np.linalg.qr(free - free.mean(axis=0))[0].T
    said = truth + 1.5 * np.array(errors)
    reached = pearsonr(truth, said.mean(axis=0)).statistic
    ceiling = split_half(people(said), repeats=5, coefficient="pearson", split="raters")
    assert ceiling.bound == pytest.approx(reached)
    # Two raters correlate at 1 / (1 + 1.5^2), and k against k others at k / (k + 1.5^2).
    assert ceiling.corrected == pytest.approx(raters / (raters + 1.5**2))
    assert ceiling.mean.value < ceiling.corrected < reached


def test_equal_halves_are_corrected_by_the_formula_of_spearman_and_brown() -> None:
    rng = np.random.default_rng(2)
    ceiling = split_half(people(rng.normal(size=30) + rng.normal(size=(2, 30))), repeats=3)
    assert ceiling.corrected == pytest.approx(2 * ceiling.mean.value / (1 + ceiling.mean.value))
    same = split_half(people(np.tile(np.arange(12.0), (3, 1))), repeats=3)
    assert (same.mean.value, same.corrected, same.bound) == (1, 1, 1)


def test_kendall_is_not_corrected() -> None:
    rng = np.random.default_rng(2)
    found = split_half(
        people(rng.normal(size=30) + rng.normal(size=(4, 30))), repeats=3, coefficient="kendall"
    )
    assert (found.corrected, found.bound) == (None, None)
    assert found.uncorrected.endswith("and not for Kendall's")


def test_n_is_of_the_cells_that_both_halves_rated() -> None:
    some = np.arange(24.0).reshape(2, 12)
    some[0, :4] = np.nan
    assert split_half(people(some), repeats=3).mean.n == 8


def test_means_of_halves_that_are_equal_on_paper_tie() -> None:
    rows = [[0.1, 0.3, 0.5], [0.2, 0.2, 0.5], [0.3, 0.1, 0.5], *([[0.1, 0.2, 0.3]] * 3)]
    six = people(np.array(rows))
    found = {
        round(split_half(six, repeats=1, coefficient="kendall", seed=seed).mean.value, 6)
        for seed in range(40)
    }
    # Where the first three are one half, its first two means are .2 both: one pair of three ties.
    assert round(2 / math.sqrt(2 * 3), 6) in found
    (*_, last) = leave_one_out(people(np.array([*rows[:3], [1, 2, 3]])), coefficient="kendall")
    assert last.value == pytest.approx(2 / math.sqrt(2 * 3))


def test_each_rater_of_a_crowd_takes_memory_for_its_own_cells_alone() -> None:
    # 400 raters of 5 answers each: a grid of 2,000 items for each would be 100 times as much.
    judgements = [
        Judgement(
            f"i{5 * (rater // 2) + at}", f"s{at % 2}", f"r{rater}", "overall", float((at * 7 + rater) % 5)
        )
        for rater in range(400)
        for at in range(5)
    ]
    joined = join(Ratings.of(judgements), "overall")
    found = leave_one_out(joined)
    assert [one.n for one in found] == [5] * 400
    first, second = ([float((at * 7 + rater) % 5) for at in range(5)] for rater in (0, 1))
    assert found[0].value == pytest.approx(spearmanr(first, second).statistic)
