"""Correlations over test sets that were made elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.stats import over_scores


def test_test_sets_on_which_all_systems_tie_are_counted() -> None:
    found = over_scores(np.array([1.0, 2, 3]), np.array([[1.0, 2, 3], [2, 2, 2], [3, 2, 1]]))
    assert (found.values.tolist(), found.undefined) == ([1.0, -1.0], 1)


def test_five_numbers_draw_the_box() -> None:
    human = np.arange(4.0)
    orders = np.array([[0, 1, 2, 3], [0, 1, 3, 2], [1, 0, 3, 2], [3, 2, 1, 0], [0, 2, 1, 3]], dtype=float)
    # Spearman of the five orders: 1, .8, .6, -1, .8.
    assert over_scores(human, orders).five == pytest.approx((-1, 0.6, 0.8, 0.8, 1))
    assert over_scores(human, np.zeros((3, 4))).five is None


def test_systems_without_a_score_are_left_out_of_their_test_set_alone() -> None:
    scores = np.array([[1.0, np.nan, 3, 2], [1, 2, 3, 4], [np.nan, np.nan, np.nan, 1]])
    found = over_scores(np.array([1.0, 2, 3, np.nan]), scores)
    assert (found.values.tolist(), found.undefined) == ([1.0, 1.0], 1)
