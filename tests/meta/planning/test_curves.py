"""Points, sizes and verdicts of planning curves."""

from __future__ import annotations

import pytest
from statsmodels.stats.proportion import proportion_confint

from dialeval.errors import Unsuitable
from dialeval.meta.document import PowerCurve, PowerPoint, WidthCurve, WidthPoint
from dialeval.meta.planning.curves import (
    power_point,
    sizes_to_try,
)


@pytest.mark.parametrize(("found", "trials"), [(0, 50), (1, 50), (37, 100), (999, 1000), (50, 50)])
def test_bounds_are_wilsons(found: int, trials: int) -> None:
    low, high = proportion_confint(found, trials, method="wilson")
    point = power_point(10, found, trials)
    assert (point.size, point.power) == (10, found / trials)
    assert (point.low, point.high) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))


def test_sizes_are_sorted_or_round_numbers_up_to_four_times_what_there_is() -> None:
    assert sizes_to_try([30, 10, 10], 5, fewest=2) == (10, 30)
    assert sizes_to_try(None, 20, fewest=2) == (10, 15, 20, 30, 50, 70)
    assert sizes_to_try(None, 1, fewest=2) == (10,)
    for bad in ([], [1, 5]):
        with pytest.raises(Unsuitable, match="none below 2"):
            sizes_to_try(bad, 20, fewest=2)


def test_the_smallest_size_that_is_enough() -> None:
    points = tuple(PowerPoint(size, power, 0, 1) for size, power in ((10, 0.3), (20, 0.8), (30, 0.95)))
    known = {"question": "to know", "design": "t test", "trials": 100, "seed": 0, "at_hand": 9}
    power = {**known, "points": points, "effect": 0.1, "alpha": 0.05}
    curve = PowerCurve(**power, over="items", target=0.8)
    assert (curve.enough, curve.verdict) == (20, "to know: 20 items are enough for power 0.8.")
    strict = PowerCurve(**power, over="raters", target=0.99)
    assert strict.enough is None
    assert strict.verdict == "to know: 30 ratings of each answer are not enough for power 0.99."
    widths = tuple(WidthPoint(size, width, 0, width, 0) for size, width in ((10, 0.5), (20, 0.2)))
    assert WidthCurve(**known, over="items", points=widths, target=0.2, level=0.95).enough == 20
