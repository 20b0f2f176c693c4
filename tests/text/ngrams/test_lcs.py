from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from dialeval.text.ngrams.overlap import lcs_length


@pytest.mark.parametrize(
    ("a", "b", "length"),
    [
        ("ABCBDAB", "BDCABA", 4),
        ("abc", "abc", 3),
        ("abc", "", 0),
        ("", "", 0),
        ("abc", "xyz", 0),
        ("aaa", "aa", 2),
    ],
)
def test_lengths_by_hand(a: str, b: str, length: int) -> None:
    assert lcs_length(a, b) == length


@settings(deadline=None)
@given(st.text(alphabet="abc", max_size=80), st.text(alphabet="abc", max_size=80))
def test_it_agrees_with_the_table_of_the_textbook(a: str, b: str) -> None:
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    assert lcs_length(a, b) == lcs_length(b, a) == table[-1][-1]
