import math

import pytest

from dialeval.stats.estimate import Estimate


def test_an_undefined_estimate_says_why():
    nothing = Estimate.undefined("fewer than 2 pairs (1)", 1)
    assert math.isnan(nothing.value)
    assert (nothing.n, nothing.reason, nothing.defined) == (1, "fewer than 2 pairs (1)", False)


def test_a_value_has_no_reason():
    assert Estimate(0.5, 9).defined


@pytest.mark.parametrize(("value", "reason"), [(math.nan, None), (0.5, "because")])
def test_a_value_and_a_reason_exclude_each_other(value, reason):
    with pytest.raises(ValueError, match="a value or a reason"):
        Estimate(value, 3, reason=reason)
