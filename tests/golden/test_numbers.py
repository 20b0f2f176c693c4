"""The proof that a change of formats keeps every number, itself tested."""

from __future__ import annotations

from golden.numbers import compare, flatten

BEFORE = {"base/documents/a.json": {"scores": [{"value": 0.25, "n": 3}, {"value": 0.5, "n": 3}], "ok": True}}


def test_numbers_are_flattened_with_their_path() -> None:
    assert [(number.path, number.value) for number in flatten(BEFORE)] == [
        (".scores[0].value", 0.25),
        (".scores[0].n", 3.0),
        (".scores[1].value", 0.5),
        (".scores[1].n", 3.0),
    ]


def test_a_number_at_another_place_of_the_suite_has_moved() -> None:
    after = {"base/documents/b.json": {"table": {"x": 0.25, "y": 0.5, "n": [3, 3]}}}
    assert compare(BEFORE, after) == (0, 4, [])


def test_a_number_that_occurs_less_often_than_before_is_lost() -> None:
    after = {"base/documents/b.json": {"table": {"x": 0.25, "y": 0.5, "n": 3}}}
    found = compare(BEFORE, after)
    assert (found.kept, found.moved, [number.path for number in found.lost]) == (0, 3, [".scores[1].n"])


def test_a_changed_number_is_lost_though_its_neighbours_are_kept() -> None:
    after = {"base/documents/a.json": {"scores": [{"value": 0.25, "n": 3}, {"value": 0.51, "n": 3}]}}
    found = compare(BEFORE, after)
    assert (found.kept, found.moved, [number.value for number in found.lost]) == (3, 0, [0.5])
