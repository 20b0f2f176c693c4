"""Packed reasons against a plain dictionary of them."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.study.document.shown import PackedReasons, Place

WHYS = st.dictionaries(st.integers(0, 9), st.sampled_from(["no references", "", "keine Ahnung"]))


@given(blocks=st.lists(WHYS, max_size=4), seed=st.integers(0, 99))
def test_they_are_those_of_a_dictionary(blocks, seed):
    columns = np.random.default_rng(seed).permutation(10)
    packed, plain = PackedReasons(), {}
    for system, whys in enumerate(blocks):
        packed.add(1, system, columns, whys)
        plain |= {Place(1, system, int(columns[row])): why for row, why in whys.items()}
    assert dict(packed) == plain
    assert len(packed) == len(plain)
    places = [Place(m, s, item) for m in range(3) for s in range(5) for item in range(11)]
    assert [packed.get(place) for place in places] == [plain.get(place) for place in places]


def test_a_place_without_a_reason_is_a_key_error():
    with pytest.raises(KeyError):
        PackedReasons()[Place(0, 0, 0)]


def test_a_reason_takes_few_bytes():
    packed = PackedReasons()
    packed.add(0, 0, np.arange(10_000), dict.fromkeys(range(10_000), "no references"))
    (block,) = packed._blocks.values()
    assert sum(sys.getsizeof(part.base if part.base is not None else part) for part in block) < 15 * 10_000
