"""Shards partition items by whole batches, and print as they parse."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given, strategies as st

from dialeval.core import Missing
from dialeval.errors import Unsuitable
from dialeval.evaluation.shards import Shard, whole_batches

numbers = st.integers(1, 12)


@given(total=st.integers(0, 300), at_once=st.integers(1, 40), of=numbers)
def test_shards_partition_the_items_by_whole_batches(total, at_once, of):
    parts = [Shard(number, of).places(total, at_once) for number in range(1, of + 1)]
    assert list(chain(*parts)) == list(range(total))
    assert all(part.start % at_once == 0 for part in parts if part)
    batches = [-(-len(part) // at_once) for part in parts]
    assert max(batches) - min(batches) <= 1


@given(total=st.integers(0, 300), unit=st.integers(1, 8), times=st.integers(1, 8), of=numbers)
def test_batches_in_two_shards_are_left_to_merging(total, unit, times, of):
    parts = [Shard(number, of).places(total, unit) for number in range(1, of + 1)]
    inner = [whole_batches(part, total, unit * times) for part in parts]
    for part, whole in zip(parts, inner, strict=True):
        assert set(whole) <= set(part)
        assert whole.start % (unit * times) == 0
        assert whole.stop == total or len(whole) % (unit * times) == 0
    covered = set(chain(*inner))
    for start in range(0, total, unit * times):
        batch = set(range(start, min(start + unit * times, total)))
        in_one = any(batch <= set(part) for part in parts)
        assert (batch <= covered) == in_one
        assert in_one or not batch & covered


@given(systems=st.lists(st.sampled_from("abc"), max_size=120), at_once=st.integers(1, 9), of=numbers)
def test_a_stream_is_dealt_out_in_whole_batches_of_each_system(systems, at_once, of):
    subjects = [Missing(str(place), system, "") for place, system in enumerate(systems)]
    parts = [list(Shard(number, of).part_of_stream(subjects, at_once)) for number in range(1, of + 1)]
    assert sorted(chain(*parts), key=lambda subject: int(subject.item)) == subjects
    for system in set(systems):
        whole = [subject for subject in subjects if subject.system == system]
        batches = [whole[start : start + at_once] for start in range(0, len(whole), at_once)]
        for part in parts:
            own = [subject for subject in part if subject.system == system]
            assert all(own[start : start + at_once] in batches for start in range(0, len(own), at_once))


@given(of=numbers, data=st.data())
def test_a_shard_parses_as_it_prints(of, data):
    shard = Shard(data.draw(st.integers(1, of)), of)
    assert Shard.parse(str(shard)) == shard


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/4", "a/b", "1.0/2", "٣/3/"])
def test_what_is_not_a_shard_is_refused(text):
    with pytest.raises(Unsuitable, match="expected a shard"):
        Shard.parse(text)
