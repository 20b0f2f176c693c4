"""Win rates at equal lengths: by hand, against another optimiser, by symmetry and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from dialeval.stats.length_control import WHY_NOT, control_length
from dialeval.stats.strengths import Preferences


def pair(outcome: list[float]) -> Preferences:
    n = len(outcome)
    return Preferences(
        np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64), np.array(outcome, dtype=float)
    )


def logit(p: float) -> float:
    return math.log(p / (1 - p))


def test_with_two_lengths_the_rate_is_half_way_between_their_log_odds() -> None:
    """As often much longer as much shorter: preferred in 9 of 12 and in 3 of 12 is nothing but length."""
    outcome = [1.0] * 8 + [0.0] * 4 + [1.0] * 6 + [0.0] * 6
    longer = np.array([100.0] * 12 + [-100.0] * 12)
    found = control_length(pair(outcome), longer, 2)
    wanted = (logit(8 / 12) + logit(6 / 12)) / 2
    assert found.rate(0, 1).value == pytest.approx(1 / (1 + math.exp(-wanted)), abs=1e-10)
    half = math.tanh(100 / np.std(longer, ddof=1))
    assert found.slope.value == pytest.approx((logit(8 / 12) - logit(6 / 12)) / (2 * half), abs=1e-9)
    assert found.rate(1, 0).value == pytest.approx(1 - found.rate(0, 1).value)


def test_it_is_the_likeliest_as_another_optimiser_finds_it() -> None:
    rng = np.random.default_rng(3)
    n, systems = 300, 4
    first, second = np.array([rng.choice(systems, 2, replace=False) for _ in range(n)]).T
    longer, outcome = rng.normal(0, 300, n).round(), rng.choice([0.0, 0.5, 1.0], n)
    found = control_length(Preferences(first, second, outcome), longer, systems)
    spread = np.zeros(n)
    for a in range(systems):
        for b in range(a + 1, systems):
            here = ((first == a) & (second == b)) | ((first == b) & (second == a))
            turned = np.where(first[here] < second[here], 1, -1)
            spread[here] = np.tanh(longer[here] / np.std(turned * longer[here], ddof=1))

    def loss(values: np.ndarray) -> float:
        gap = values[first] - values[second] + values[-1] * spread
        return float(np.sum(np.logaddexp(0, -gap) * outcome + np.logaddexp(0, gap) * (1 - outcome)))

    best = minimize(loss, np.zeros(systems + 1), tol=1e-12).x
    assert found.slope.value == pytest.approx(best[-1], abs=1e-4)
    assert found.rate(0, 2).value == pytest.approx(1 / (1 + math.exp(best[2] - best[0])), abs=1e-4)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(-500, 500)), min_size=12, max_size=40)
)
def test_sides_may_be_exchanged(rows: list[tuple[float, int]]) -> None:
    outcome, longer = [row[0] for row in rows], np.array([float(row[1]) for row in rows])
    one = control_length(pair(outcome), longer, 2)
    other = control_length(pair([1 - value for value in outcome]), -longer, 2)
    assert one.absence == other.absence
    if one.absence is None:
        assert one.rate(0, 1).value == pytest.approx(1 - other.rate(0, 1).value, abs=1e-6)
        assert one.slope.value == pytest.approx(other.slope.value, rel=1e-5, abs=1e-6)


def test_intervals_cover_a_system_that_is_only_longer() -> None:
    """Answers of equal worth, one side's 250 characters longer on average: .5 is right, and the plain rate is not."""
    rng, covered, plain, wide = np.random.default_rng(1), 0, 0.0, 0
    for _ in range(200):
        longer = rng.normal(250, 300, 150)
        deviation = np.std(longer, ddof=1)
        outcome = (rng.random(150) < 1 / (1 + np.exp(-1.5 * np.tanh(longer / deviation)))).astype(float)
        found = control_length(pair(list(outcome)), longer, 2)
        rate = found.rate(0, 1)
        covered += rate.low <= 0.5 <= rate.high
        wide += found.slope.low <= 1.5 <= found.slope.high
        plain += outcome.mean() / 200
    assert plain > 0.64
    assert covered >= 0.92 * 200
    assert wide >= 0.92 * 200


@pytest.mark.parametrize(
    ("outcome", "longer", "reason"),
    [
        ([1.0, 0.0, 1.0], [5.0, 5.0, 5.0], "equal-lengths"),
        ([1.0, 1.0, 0.0, 0.0], [5.0, 9.0, -5.0, -9.0], "separated"),
        ([1.0, 1.0, 1.0], [5.0, -9.0, 1.0], "separated"),
    ],
)
def test_what_cannot_be_told_has_a_reason(outcome: list[float], longer: list[float], reason: str) -> None:
    found = control_length(pair(outcome), np.array(longer), 2)
    assert found.rate(0, 1) == (None, None, None, len(outcome), WHY_NOT[reason])
    assert found.slope.reason == WHY_NOT[reason]


def test_one_item_alone_gives_no_interval() -> None:
    outcome, longer = [1.0, 0.0, 1.0, 0.0], np.array([5.0, 3.0, -9.0, 1.0])
    found = control_length(pair(outcome), longer, 2, clusters=np.zeros(4, dtype=np.int64))
    assert found.slope.reason == WHY_NOT["one-unit"]
