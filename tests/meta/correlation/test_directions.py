"""Measures for which lower is better: named by patterns, or metrics of ours that say so."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.core import Resampling
from dialeval.errors import UnknownName
from dialeval.meta.correlation.directions import lower_is_better, turned, turned_rows
from dialeval.meta.correlation.levels import correlate


@pytest.fixture
def joined(make_joined):
    dice = np.random.default_rng(0)
    names = ("ter", "bleu(order=2)", "self_bleu(order=2)", "length")
    return make_joined(dice.random((2, 3, 8)), {name: dice.random((3, 8)) for name in names})


def test_patterns_and_our_own_metrics_say_which(joined) -> None:
    assert lower_is_better(joined) == ("self_bleu(order=2)",)
    assert lower_is_better(joined, ["ter", "leng*"]) == ("ter", "self_bleu(order=2)", "length")


def test_a_pattern_that_fits_nothing_suggests_the_close_ones(joined) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'ter'"):
        lower_is_better(joined, ["tre"])


def test_turning_a_measure_turns_its_row_and_twice_is_not_at_all(joined) -> None:
    rows = correlate(joined, levels=["item"], resampling=Resampling(resamples=50))
    other = correlate(turned(joined, ["ter"]), levels=["item"], resampling=Resampling(resamples=50))
    for one, two in zip(turned_rows(rows, ["ter"]), other, strict=True):
        for name in ("measure", "pearson", "spearman", "kendall", "low", "high"):
            assert getattr(one, name) == (
                pytest.approx(getattr(two, name)) if name != "measure" else two.measure
            )
    assert turned_rows(turned_rows(rows, ["ter"]), ["ter"]) == rows
