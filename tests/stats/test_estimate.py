import json
import math

import pytest

from dialeval.files.documents import Origin, read_document, write_document
from dialeval.stats.estimate import Estimate, Statistic


def test_an_undefined_statistic_says_why():
    nothing = Statistic.undefined("fewer than 2 pairs (1)", 1)
    assert math.isnan(nothing.value)
    assert (nothing.n, nothing.reason, nothing.defined) == (1, "fewer than 2 pairs (1)", False)


def test_a_value_has_no_reason():
    assert Statistic(0.5, 9).defined


@pytest.mark.parametrize(("value", "reason"), [(math.nan, None), (0.5, "because")])
def test_a_value_and_a_reason_exclude_each_other(value, reason):
    with pytest.raises(ValueError, match="a value or a reason"):
        Statistic(value, 3, reason=reason)


def test_undefined_numbers_of_an_estimate_are_none():
    assert Estimate.of(0.5, math.nan, math.inf, 3, "one item") == (0.5, None, None, 3, "one item")
    assert Estimate.of(0.5, math.nan, 0.7, 3).bounds is None
    assert Estimate.undefined("no answer") == (None, None, None, 0, "no answer")


def test_an_estimate_is_an_object_in_json_and_is_read_back(tmp_path):
    file = tmp_path / "estimate.json"
    found = Estimate.of(0.5, 0.25, 0.75, 9)
    write_document(file, found)
    assert json.loads(file.read_text()) == {"value": 0.5, "low": 0.25, "high": 0.75, "n": 9, "reason": None}
    assert read_document(Estimate, file, Origin("an estimate", "Write it again.")) == found
    assert found.bounds == (0.25, 0.75)
