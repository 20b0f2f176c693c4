"""Remembering ids in little room."""

from __future__ import annotations

import sys

from hypothesis import given, strategies as st

from dialeval.data.codec.rows import KeySet


@given(st.lists(st.text(max_size=1) | st.tuples(st.text("ab", max_size=2), st.text("ab", max_size=2))))
def test_it_says_what_a_set_would_say(keys):
    seen, known = KeySet(), set()
    for key in keys:
        assert seen.add(key) == (key not in known)
        known.add(key)


def test_it_grows_without_forgetting():
    seen = KeySet()
    assert all(seen.add((str(at), "system")) for at in range(50_000))
    assert not any(seen.add((str(at), "system")) for at in range(50_000))
    assert sys.getsizeof(seen._table) < 30 * 50_000
