from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from dialeval.engine import ROWS


@given(hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6)))
def test_rows_come_back_bit_for_bit(rows):
    back = ROWS.decode(ROWS.encode(rows))
    assert back.shape == rows.shape
    assert back.dtype == np.float64
    assert back.tobytes() == rows.tobytes()


def test_the_bytes_are_a_shape_and_little_endian_doubles():
    assert ROWS.encode(np.array([[1.0, -0.0]])) == struct.pack("<QQdd", 1, 2, 1.0, -0.0)


def test_columns_of_a_larger_array_are_encoded_in_row_order():
    rows = np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])
    assert ROWS.encode(rows)[16:] == struct.pack("<4d", 1, 2, 3, 4)


def test_decoded_rows_may_be_written_to():
    back = ROWS.decode(ROWS.encode(np.zeros((2, 2))))
    back[0, 0] = 1.0


@given(st.binary(max_size=15) | st.just(struct.pack("<QQd", 1, 2, 1.0)) | st.just(struct.pack("<QQ", 1, 1)))
def test_foreign_bytes_are_refused(payload):
    with pytest.raises(ValueError, match=r"rows|reshape|buffer"):
        ROWS.decode(payload)


def test_a_vector_is_not_rows():
    with pytest.raises(ValueError, match="two dimensions"):
        ROWS.encode(np.zeros(3))
