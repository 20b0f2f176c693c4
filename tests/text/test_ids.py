"""Columns of texts are the texts, in less memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dialeval.core.resampling import Resampling
from dialeval.text import ids
from dialeval.text.ids import TextColumn, TextNumbers, count_distinct, text_hashes

BLOCK = 64
TEXTS = st.lists(st.text(max_size=5), max_size=30)


@pytest.fixture(autouse=True, scope="module")
def small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ids, "BLOCK", BLOCK)
        yield


@settings(max_examples=25)
@given(TEXTS, st.integers(0, 2 * BLOCK), TEXTS)
def test_they_are_what_was_put_in_whatever_the_blocks(first, filling, last):
    given = [*first, *("é" * (place % 3) for place in range(filling)), *last]
    packed = TextColumn(first)
    packed.extend(given[len(first) :])
    assert list(packed) == given
    assert len(packed) == len(given)
    assert [packed[place] for place in range(-len(given), len(given))] == given + given
    assert list(packed[3:-2:5]) == given[3:-2:5]


@given(st.lists(st.sampled_from(["a", "b", ""]), max_size=20))
def test_names_are_what_was_put_in(names):
    packed = TextColumn(names[:5], repeated=True)
    packed.extend(names[5:])
    for _ in range(2):
        assert (list(packed), list(packed[2:4]), len(packed)) == (names, names[2:4], len(names))
        assert packed.column.to_pylist() == names


def test_beyond_the_end_there_is_nothing():
    with pytest.raises(IndexError):
        TextColumn(["a"])[1]


def test_ids_take_their_length_and_four_bytes():
    packed = TextColumn(f"item-{place:07d}" for place in range(4 * BLOCK))
    assert packed.column.get_total_buffer_size() / len(packed) < 12 + 4 + 0.5


@given(st.lists(st.text("ab", max_size=2)))
def test_different_texts_are_counted_as_a_set_counts_them(texts):
    assert count_distinct(text_hashes(texts)) == len(set(texts))


@given(st.lists(st.sampled_from(["a/1", "a/2", "b/1", "b", "c", "d/1/2", "d/1/3", "/"])))
def test_clusters_are_numbered_in_order_of_first_sight(items):
    groups = [item.rpartition("/")[0] or item for item in items]
    order = list(dict.fromkeys(groups))
    clusters = Resampling(cluster="auto").clusters(items)
    if len(order) == len(items) or len(order) < 2:
        assert clusters is None
    else:
        assert clusters is not None
        assert clusters.tolist() == [order.index(group) for group in groups]


@given(st.lists(st.sampled_from(["a/1", "a/2", "b/1", "b", "c"])))
def test_ids_show_clusters_where_each_of_them_counted_once_does(items):
    once = list(dict.fromkeys(items))
    shown = Resampling(cluster="auto").clusters(once) is not None
    assert Resampling(cluster="none").shows_clusters(items) is shown


@settings(max_examples=25)
@given(st.lists(st.text(max_size=2), max_size=40), st.integers(0, 3 * BLOCK))
def test_texts_are_numbered_in_the_order_of_first_sight(texts, more):
    everything = [*texts, *map(str, range(more)), *texts]
    numbers, known = TextNumbers(), {}
    for text in everything:
        assert numbers.add(text) == known.setdefault(text, len(known))
    assert (list(numbers), len(numbers)) == (list(known), len(known))
    assert all(numbers.number(text) == place for text, place in known.items())
    assert "not there" not in numbers
    assert 5 not in numbers


class Alike(str):
    """Texts that all have one hash."""

    def __hash__(self) -> int:
        return 7


def test_texts_with_the_same_hash_are_not_confused():
    numbers = TextNumbers(map(Alike, "abcab"))
    assert (list(numbers), numbers.number(Alike("c"))) == (["a", "b", "c"], 2)
    assert Alike("d") not in numbers


def test_columns_are_equal_if_all_their_texts_are():
    one, other = TextColumn(map(str, range(30 * BLOCK + 5))), TextColumn(map(str, range(30 * BLOCK + 5)))
    assert one == other
    other.append("more")
    assert one != other
    assert TextColumn(["ab", "c"]) != TextColumn(["a", "bc"])
    assert TextColumn(["ab", *"x" * BLOCK]) != TextColumn(["a", "bx", *"x" * (BLOCK - 1)])


def test_columns_are_sorted_as_python_sorts_and_taken_from_by_place():
    texts = ["b", "ä", "a", "\U0001f600", "\uffff", ""]
    column = TextColumn(texts)
    assert list(column.take(column.sorted_places())) == sorted(texts)
    assert list(column.take(np.array([2, 2, 0]))) == ["a", "a", "b"]


def test_few_texts_do_without_arrow():
    code = (
        "import sys; from dialeval.text.ids import TextColumn; a, b = TextColumn('ba'), TextColumn('ba'); "
        "assert a == b and a.sorted_places().tolist() == [1, 0]; assert 'pyarrow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
