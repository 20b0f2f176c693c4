from __future__ import annotations

import numpy as np
import pytest

from dialeval.data.types import Example, Response
from dialeval.errors import Unsuitable
from dialeval.metrics.rows import (
    flat_texts,
    item_texts,
    mean_of_rows,
    require_references,
    rows_of_values,
)


def test_rows_add_up_to_the_mean() -> None:
    rows = rows_of_values([1, 2, 6])
    assert rows.tolist() == [[1, 1], [2, 1], [6, 1]]
    assert mean_of_rows(rows.sum(axis=0)) == 3


def test_the_mean_of_nothing_is_undefined_and_spreads_no_further() -> None:
    assert np.isnan(mean_of_rows(np.zeros(2)))
    np.testing.assert_array_equal(mean_of_rows(np.array([[0.0, 0.0], [4.0, 2.0]])), [np.nan, 2.0])
    assert rows_of_values([]).shape == (0, 2)


WITH = Example("with", "s", (), Response("a"), ("b",))
BARE = Example("bare", "s", (), Response("a"))


def test_a_batch_is_refused_with_the_first_item_at_fault() -> None:
    require_references("m", [WITH])
    require_references("m", [])
    with pytest.raises(Unsuitable, match=r"2 of 3 have none \(first: 'bare'\)"):
        require_references("m", [WITH, BARE, BARE])


@pytest.mark.parametrize("counts", [(), (0, 0), (1, 1, 1), (3, 3), (2, 1, 3)])
def test_texts_of_examples_follow_one_another_whatever_the_number_of_references(counts):
    examples = [
        Example(f"{n}", "s", (), Response(f"r{n}"), tuple(f"{n}-{k}" for k in range(count)))
        for n, count in enumerate(counts)
    ]
    texts, first = item_texts(examples)
    wanted = flat_texts((example.response.text, example.references) for example in examples)
    assert texts == wanted.texts
    assert first.tolist() == wanted.first.tolist()
    assert first.dtype == wanted.first.dtype
