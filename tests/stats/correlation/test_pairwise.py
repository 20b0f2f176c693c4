import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.stats.correlation.pairwise import (
    acc_eq,
    calibrate_ties,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from dialeval.stats.resampling.bootstrap import random_swaps


def test_pairwise_accuracy_by_hand():
    # People tie the second with the third; of the five other pairs the measure reverses one and ties another.
    found = pairwise_accuracy([1, 2, 2, 3], [0.2, 0.5, 0.1, 0.5])
    assert found.value == pytest.approx(3 / 5)
    assert found.n == 5


def test_pairwise_accuracy_leaves_out_systems_without_a_value():
    assert pairwise_accuracy([1, 2, math.nan], [1, 2, 3]).n == 1


@pytest.mark.parametrize(
    ("human", "reason"),
    [([1], "fewer than 2 systems"), ([], "fewer than 2 systems"), ([2, 2, 2], "people put no two systems")],
)
def test_pairwise_accuracy_undefined_has_a_reason(human, reason):
    found = pairwise_accuracy(human, list(range(len(human))))
    assert math.isnan(found.value)
    assert found.reason.startswith(reason)


def by_loops(human, metric, epsilon):
    """acc_eq, pair by pair."""
    shares = []
    for item in range(human.shape[1]):
        right = pairs = 0
        for one, other in itertools.combinations(range(len(human)), 2):
            dh = human[one, item] - human[other, item]
            dm = metric[one, item] - metric[other, item]
            if not math.isnan(dh + dm):
                pairs += 1
                right += np.sign(dh) == (0 if abs(dm) <= epsilon else np.sign(dm))
        if pairs:
            shares.append(right / pairs)
    return np.mean(shares)


def tables(seed, systems=5, items=7):
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 4, size=(systems, items)).astype(float)
    metric = human + rng.integers(-2, 3, size=human.shape)
    human[rng.random(human.shape) < 0.2] = np.nan
    return human, metric


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from([0, 0.5, 1, 2, 10]))
def test_acc_eq_equals_a_loop_over_pairs(seed, epsilon):
    human, metric = tables(seed)
    assert acc_eq(human, metric, epsilon).value == pytest.approx(by_loops(human, metric, epsilon))


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_calibration_equals_trying_every_difference(seed):
    human, metric = tables(seed)
    tried = sorted({0.0, *np.abs(metric[:, None] - metric[None]).ravel()})
    accuracies = [by_loops(human, metric, epsilon) for epsilon in tried]
    best = max(accuracies)
    found = calibrate_ties(human, metric)
    assert found.accuracy == pytest.approx(best)
    assert found.epsilon == next(e for e, a in zip(tried, accuracies, strict=True) if a >= best - 1e-12)
    assert acc_eq(human, metric, found.epsilon).value == pytest.approx(found.accuracy)


def test_calibration_of_a_row_of_values():
    # People tie the first two; the measure tells them apart by 0.1 and the others by 1.
    found = calibrate_ties([1, 1, 2], [0.0, 0.125, 1.125])
    assert (found.epsilon, found.accuracy, found.n, found.reason) == (0.125, 1.0, 3, None)


def test_ties_within_rounding_error_are_ties():
    assert acc_eq([0.1 + 0.2, 0.3], [1, 1]).value == 1


def test_no_pairs_have_a_reason():
    assert acc_eq([[1.0], [math.nan]], [[1.0], [2.0]]).reason.startswith("fewer than 2 systems")
    assert calibrate_ties([1.0], [2.0]).reason.startswith("fewer than 2 systems")
    assert math.isnan(calibrate_ties([1.0], [2.0]).epsilon)
    assert soft_pairwise_accuracy([[1.0]], [[1.0]]).reason.startswith("fewer than 2 systems")


@pytest.mark.parametrize("epsilon", [-1, math.nan])
def test_a_difference_below_zero_is_refused(epsilon):
    with pytest.raises(ValueError, match="zero or more"):
        acc_eq([1, 2], [1, 2], epsilon)


def test_tables_of_two_shapes_are_refused():
    with pytest.raises(ValueError, match="one shape"):
        acc_eq([1, 2], [1, 2, 3])


def soft_by_loops(human, metric, trials, seed):
    swaps = np.concatenate(
        list(random_swaps(human.shape[1], resamples=trials, seed=seed, cells=1000))
    ).astype(bool)
    found = []
    for one, other in itertools.combinations(range(len(human)), 2):
        rated, scored = (~np.isnan(table[[one, other]]).any(axis=0) for table in (human, metric))
        if not (rated.any() and scored.any()):
            continue
        chances = []
        for table, there in ((human, rated), (metric, scored)):
            a, b = table[one][there], table[other][there]
            more = [
                np.where(swap[there], b, a).sum() - np.where(swap[there], a, b).sum()
                >= a.sum() - b.sum() - 1e-9
                for swap in swaps
            ]
            chances.append(np.mean(more))
        found.append(1 - abs(chances[0] - chances[1]))
    return np.mean(found), len(found)


def test_soft_pairwise_accuracy_equals_a_loop_over_the_same_permutations():
    human, metric = tables(3)
    human[0, :4], human[1, 4:] = np.nan, np.nan
    found = soft_pairwise_accuracy(human, metric, resamples=80, seed=2)
    value, pairs = soft_by_loops(human, metric, 80, 2)
    assert pairs < 10
    assert found.value == pytest.approx(value)
    assert found.n == pairs
    assert soft_pairwise_accuracy(human, metric, resamples=80, seed=2, cells=30) == found


def test_soft_pairwise_accuracy_of_people_with_themselves_is_one_and_with_their_reverse_near_zero():
    human = np.arange(4)[:, None] + np.random.default_rng(0).normal(scale=0.1, size=(4, 50))
    assert soft_pairwise_accuracy(human, 3 * human + 1).value == 1
    assert soft_pairwise_accuracy(human, -human).value < 0.01
