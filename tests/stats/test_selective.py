"""The threshold above which verdicts are accepted: by hand, with ties, and how often it admits too much."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from dialeval.stats.selective import accept


def test_the_bound_is_clopper_and_pearsons_and_the_search_ends_at_the_first_failure() -> None:
    confidence = np.linspace(1, 0.5, 100)
    agrees = np.ones(100)
    agrees[[40, 45, 50, 55, 60, 61, 62, 63, 64, 65, 66]] = 0
    found = accept(confidence, agrees, 0.85)
    kept = found.kept

    def bound(n: int) -> float:
        right = int(agrees[:n].sum())
        return binomtest(right, n).proportion_ci(0.8, "exact").low

    assert found.agreement.low == pytest.approx(bound(kept))
    assert all(bound(n) >= 0.85 for n in range(30, kept + 1))
    assert bound(kept + 1) < 0.85
    assert found.threshold == confidence[kept - 1]
    assert accept(confidence[:kept], agrees[:kept], 0.85).kept == kept


def test_verdicts_of_one_confidence_are_accepted_together_or_not() -> None:
    confidence = np.repeat([0.9, 0.7], 40)
    agrees = np.r_[np.ones(40), np.ones(20), np.zeros(20)]
    assert accept(confidence, agrees, 0.85).kept == 40


@pytest.mark.parametrize(
    ("confidence", "agrees", "reason"),
    [
        ([0.9] * 29, [1] * 29, "29 rated verdicts with a confidence, where 30 are needed"),
        ([0.9] * 40, [1] * 20 + [0] * 20, "of the 40 surest verdicts people agree with 50.0%"),
        ([], [], "0 rated verdicts"),
        ([np.nan] * 50, [1] * 50, "0 rated verdicts"),
        ([0.9] * 50, [np.nan] * 50, "0 rated verdicts"),
    ],
)
def test_no_threshold_has_a_reason(confidence: list, agrees: list, reason: str) -> None:
    found = accept(np.array(confidence, float), np.array(agrees, float), 0.85)
    assert found.threshold is None
    assert found.kept == 0
    assert reason in (found.agreement.reason or "")


def test_a_threshold_that_admits_too_much_is_as_rare_as_promised() -> None:
    generator = np.random.default_rng(5)
    wrong = found = 0
    for _ in range(400):
        confidence = generator.uniform(0.5, 1, 300)
        accepted = accept(confidence, (generator.random(300) < confidence).astype(float), 0.85)
        if accepted.threshold is not None:
            found += 1
            wrong += (1 + accepted.threshold) / 2 < 0.85  # the mean of a uniform above the threshold
    assert found > 300
    assert wrong / 400 <= 0.1
