"""Smooth inverse frequency against worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from dialeval.selection.repository.sentence_vectors import first_component, units_without, weight


@pytest.mark.parametrize(
    ("word", "share"),
    [("the", 0.05370317963702527), ("focus", 0.0001), ("dont", 0.001584893192461114), ("qqzzqq", 0.0)],
)
def test_weights_follow_the_formula_with_wordfreqs_shares(word, share):
    """Arora et al. (2017), equation 4; the shares are wordfreq 3.1.1's, ``dont`` standing for don't."""
    assert weight(word) == pytest.approx(0.001 / (0.001 + share), rel=1e-9)


def test_the_first_component_of_three_vectors_by_hand():
    # X'X = [[9 + 16, 12], [12, 9 + 9]] for rows (3, 0), (4, 3), (0, 3): eigenvalues 21.5 +- 12.5, so 34 and 9; the
    # first eigenvector solves 25x + 12y = 34x, so y = 3x/4: (4, 3) / 5.
    vectors = np.array([[3, 0], [4, 3], [0, 3]], np.float32)
    assert first_component(vectors) == pytest.approx([0.8, 0.6])


def test_what_is_left_without_the_component_by_hand():
    # (1, 0) less its projection 0.8 * (0.8, 0.6) is (0.36, -0.48), of length 0.6.
    component = np.array([0.8, 0.6], np.float32)
    found = units_without(np.array([[1, 0], [0, 5], [4, 3], [0, 0]], np.float32), component)
    assert found == pytest.approx(np.array([[0.6, -0.8], [-0.6, 0.8], [0, 0], [0, 0]]), abs=1e-6)


def test_the_component_is_not_that_of_centred_vectors():
    """Arora et al. take the singular vectors of the sentence vectors as they are: their common direction."""
    vectors = np.array([[10, 1], [10, -1], [10, 2], [10, -2]], np.float32)
    assert first_component(vectors) == pytest.approx([1, 0], abs=1e-6)


def test_no_vectors_have_no_component():
    assert first_component(np.zeros((3, 2), np.float32)).tolist() == [0, 0]


@given(arrays(np.float32, (6, 4), elements=st.integers(-9, 9).map(float)))
def test_what_is_left_has_length_one_or_none_and_nothing_of_the_component(vectors):
    component = first_component(vectors)
    found = units_without(vectors, component)
    lengths = np.linalg.norm(found, axis=1)
    assert all(length == 0 or length == pytest.approx(1, abs=1e-4) for length in lengths)
    assert found @ component == pytest.approx(np.zeros(6), abs=1e-2)
