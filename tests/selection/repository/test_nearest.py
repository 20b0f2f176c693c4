"""Search by cosine, exact and in cells."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.selection.repository.indexes import (
    build_cells,
    cells_for,
    cells_searched,
    flat_index,
    open_cells,
)
from dialeval.selection.repository.sentence_vectors import first_component, units_without


def clustered(count: int, dimensions: int = 32, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(50, dimensions))
    return (centres[rng.integers(50, size=count)] + 0.5 * rng.normal(size=(count, dimensions)) + 1).astype(
        np.float32
    )


def test_flat_search_equals_all_dot_products():
    vectors = clustered(500)
    component = first_component(vectors)
    units = units_without(vectors, component)
    cosines = units[:20] @ units.T
    found = flat_index(vectors, component).search(units[:20], 7)
    for own, hits in zip(cosines, found, strict=True):
        assert [hit.score for hit in hits] == pytest.approx(np.sort(own)[::-1][:7], abs=1e-4)


def test_equal_vectors_come_by_id_and_none_is_near_to_nothing():
    vectors = np.array([[0, 1], [1, 0], [1, 0], [0, 1], [1, 0]], np.float32)
    index = flat_index(vectors, np.zeros(2, np.float32))
    found = index.search(np.array([[1, 0], [0, 0]], np.float32), 3)
    assert [hit.document for hit in found[0]] == [1, 2, 4]
    assert found[1] == []


def test_more_than_there_are_gives_all():
    index = flat_index(np.eye(3, dtype=np.float32), np.zeros(3, np.float32))
    assert [len(hits) for hits in index.search(np.eye(3, dtype=np.float32), 10)] == [3, 3, 3]


def test_cells_find_nearly_all_that_flat_search_finds(tmp_path):
    vectors = clustered(6_000)
    component = first_component(vectors)
    build_cells(vectors, component, tmp_path / "cells.faiss")
    asked = units_without(clustered(200, seed=1), component)
    exact, found = (
        index.search(asked, 10)
        for index in (flat_index(vectors, component), open_cells(tmp_path / "cells.faiss"))
    )
    shared = [
        len({hit.document for hit in one} & {hit.document for hit in other}) / 10
        for one, other in zip(exact, found, strict=True)
    ]
    assert np.mean(shared) > 0.85


def test_cells_are_the_same_every_time(tmp_path):
    vectors = clustered(3_000)
    component = first_component(vectors)
    for name in ("one", "other"):
        build_cells(vectors, component, tmp_path / name)
    asked = units_without(clustered(20, seed=1), component)
    assert open_cells(tmp_path / "one").search(asked, 5) == open_cells(tmp_path / "other").search(asked, 5)


def test_a_million_vectors_have_2048_cells_of_which_64_are_searched():
    assert (cells_for(1_000_000), cells_searched(1_000_000)) == (2048, 64)
    assert (cells_for(200_000), cells_searched(200_000)) == (1024, 32)
