"""Student's quantiles: the table is what scipy computes."""

from __future__ import annotations

import math

import pytest
from scipy.special import stdtrit

from dialeval.stats.resampling.students_t import TABULATED, t_quantile


def test_the_table_is_scipys_to_the_last_bit():
    degrees = range(1, TABULATED + 3)
    assert [t_quantile(n, 0.95) for n in degrees] == [float(stdtrit(n, (1 + 0.95) / 2)) for n in degrees]


@pytest.mark.parametrize(("degrees", "confidence"), [(9.5, 0.95), (9, 0.9), (0.5, 0.95), (5000, 0.99)])
def test_what_is_not_in_the_table_is_computed(degrees, confidence):
    assert t_quantile(degrees, confidence) == stdtrit(degrees, (1 + confidence) / 2)


def test_published_values():
    assert t_quantile(10, 0.95) == pytest.approx(2.228, abs=5e-4)
    assert t_quantile(120, 0.95) == pytest.approx(1.980, abs=5e-4)


@pytest.mark.parametrize("degrees", [0, -1, math.nan])
def test_no_degrees_of_freedom_have_no_quantile(degrees):
    assert math.isnan(t_quantile(degrees, 0.95))
