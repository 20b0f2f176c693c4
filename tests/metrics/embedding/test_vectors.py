from __future__ import annotations

import numpy as np

from dialeval.metrics.embedding.vectors import WordVectors, table

ROWS = np.array([[1, 0], [0, 2], [3, 3]], np.float32)


def test_a_table_gives_each_word_its_row_and_unknown_words_zeros() -> None:
    found, known = table("t", "0" * 64, ["x", "y", "z"], ROWS).of(["z", "?", "x"])
    np.testing.assert_array_equal(found, np.array([[3, 3], [0, 0], [1, 0]], np.float32))
    assert known.tolist() == [True, False, True]
    assert found.dtype == np.float32


def test_the_first_of_two_rows_for_one_word_counts() -> None:
    assert table("t", "0" * 64, ["x", "x", "z"], ROWS).spell("x") == (0,)


def test_a_word_of_several_pieces_is_their_mean() -> None:
    spelled = {"xy": (0, 1), "xyz": (0, 1, 2), "z": (2,)}
    vectors = WordVectors("t", "0" * 64, ROWS, lambda word: spelled.get(word, ()))
    found, known = vectors.of(["xyz", "z", "xy", "?"])
    np.testing.assert_allclose(found, [[4 / 3, 5 / 3], [3, 3], [0.5, 1], [0, 0]], rtol=1e-7)
    assert known.tolist() == [True, True, True, False]


def test_the_mean_is_of_all_rows() -> None:
    np.testing.assert_allclose(table("t", "0" * 64, ["x", "y", "z"], ROWS).mean(), [4 / 3, 5 / 3], rtol=1e-7)


def test_the_mean_of_a_long_table_is_summed_in_float64() -> None:
    rows = np.full((40_000, 1), 0.1, np.float32)
    assert table("t", "0" * 64, list(map(str, range(40_000))), rows).mean()[0] == np.float32(0.1)


def test_no_words_have_no_vectors() -> None:
    found, known = table("t", "0" * 64, ["x", "y", "z"], ROWS).of([])
    assert found.shape == (0, 2)
    assert known.shape == (0,)
