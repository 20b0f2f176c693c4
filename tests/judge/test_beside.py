"""A judge beside people: differences, kappa as scikit-learn has it, intervals that cover, reasons for none."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.judge.beside import beside_people

FIVE = (1.0, 5.0)


def beside(judge, people, items=None, limits=FIVE, scale=None):  # type: ignore[no-untyped-def]
    names = tuple(items or map(str, range(np.shape(judge)[1])))
    return beside_people(
        np.asarray(judge, float),
        np.asarray(people, float),
        names,
        limits=limits,
        scale=scale,
        resampling=Resampling(),
    )


def test_kappa_is_that_of_scikit_learn_and_the_difference_a_mean() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(3)
    judge = generator.integers(1, 6, (2, 40)).astype(float)
    people = np.clip(judge + generator.integers(-2, 2, judge.shape), 1, 5)
    judge[0, 3] = people[1, 7] = np.nan
    both = np.isfinite(judge) & np.isfinite(people)
    found = beside(judge, people)
    expected = metrics.cohen_kappa_score(
        judge[both].astype(int), people[both].astype(int), weights="quadratic", labels=[1, 2, 3, 4, 5]
    )
    assert found.kappa.value == pytest.approx(expected)
    assert found.difference.value == pytest.approx((judge - people)[both].mean())
    assert found.difference.n == found.kappa.n == 78


def test_the_interval_of_the_difference_covers_with_turns_of_dialogues() -> None:
    generator = np.random.default_rng(11)
    items = [f"d{d}/{t}" for d in range(20) for t in range(4)]
    covered = 0
    for _ in range(200):
        mood = np.repeat(generator.normal(0, 0.5, 20), 4)
        people = 3 + generator.uniform(-0.4, 0.4, 80)
        judge = people + 0.3 + mood + generator.normal(0, 0.2, 80)
        low, high = beside(judge[None], people[None], items, limits=(-9, 9)).difference.bounds
        covered += low <= 0.3 <= high
    assert covered >= 180  # 95 % expected; without clusters it would be some 70 %


@pytest.mark.parametrize(
    ("judge", "people", "options", "reason"),
    [
        ([[1, 2, 3]], [[1, np.nan, np.nan]], {}, "only 1 answers have both"),
        ([[1, 2, 3]], [[1, 2, 7]], {}, "leave the judge's scale (1 to 5)"),
        ([[1, 2, 3]], [[1, 2, 3]], {"scale": (1.0, 4.0)}, "people rated from 1 to 4, the judge from 1 to 5"),
        ([[0.5, 0.2]], [[3, 4]], {"limits": (0.0, 1.0)}, "leave the judge's scale (0 to 1)"),
    ],
)
def test_two_scales_are_not_compared(judge, people, options, reason) -> None:  # type: ignore[no-untyped-def]
    found = beside(judge, people, **options)
    assert found.difference.value is found.kappa.value is None
    assert reason in found.difference.reason


def test_without_an_interval_the_reason_says_which_items_are_lacking() -> None:
    found = beside([[3, 3, 4]], [[3, 3, 3]])  # without the third, nothing varies
    assert found.kappa.bounds is None
    assert found.kappa.reason == "without one of the items, nothing tells answers apart"
    alone = beside([[3], [4]], [[3], [5]])
    assert alone.kappa.reason == alone.difference.reason == "all answers are to one item"


def test_answers_that_nobody_tells_apart_have_a_difference_and_no_kappa() -> None:
    found = beside([[4, 4, 4]], [[4, 4, 4]])
    assert found.difference.value == 0
    assert found.kappa.value is None
