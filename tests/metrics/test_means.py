from __future__ import annotations

import numpy as np

from dialeval.metrics.rows import mean_of_rows, rows_of_values


def test_rows_add_up_to_the_mean() -> None:
    rows = rows_of_values([1, 2, 6])
    assert rows.tolist() == [[1, 1], [2, 1], [6, 1]]
    assert mean_of_rows(rows.sum(axis=0)) == 3


def test_the_mean_of_nothing_is_undefined_and_spreads_no_further() -> None:
    assert np.isnan(mean_of_rows(np.zeros(2)))
    np.testing.assert_array_equal(mean_of_rows(np.array([[0.0, 0.0], [4.0, 2.0]])), [np.nan, 2.0])
    assert rows_of_values([]).shape == (0, 2)
