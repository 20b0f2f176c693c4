"""Judgements as columns."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dialeval.data.types import Judgement
from dialeval.errors import BadInput, UnknownName
from dialeval.ratings.table import Ratings, Unit

ROWS = [
    Judgement("i1", "a", "ann", "overall", 3.0),
    Judgement("i1", "a", "bob", "overall", 4.0),
    Judgement("i2", "a", "ann", "overall", None, "N/A"),
    Judgement("i1", "b", "ann", "fluency", 1.0),
    Judgement("i2", "b", "cat", "overall", 5.0),
]


def rows(ratings: Ratings) -> list[tuple[str, str, str, str, float]]:
    return [
        (
            ratings.items[item],
            ratings.systems[system],
            ratings.raters[rater],
            ratings.criteria[criterion],
            value,
        )
        for item, system, rater, criterion, value in zip(
            ratings.item, ratings.system, ratings.rater, ratings.criterion, ratings.value, strict=True
        )
    ]


def test_names_stand_in_order_of_first_sight() -> None:
    ratings = Ratings.of(iter(ROWS))
    assert ratings.items == ("i1", "i2")
    assert ratings.systems == ("a", "b")
    assert ratings.raters == ("ann", "bob", "cat")
    assert ratings.criteria == ("overall", "fluency")
    assert rows(ratings)[1] == ("i1", "a", "bob", "overall", 4.0)


def test_who_could_not_say_has_no_value() -> None:
    assert [math.isnan(value) for value in Ratings.of(ROWS).value] == [False, False, True, False, False]


def test_nothing_gives_an_empty_table() -> None:
    empty = Ratings.of([])
    assert len(empty) == 0
    assert empty.units == ()
    assert len(Ratings.merge([])) == 0
    assert len(Ratings.merge([empty, empty])) == 0


def test_the_same_judgement_twice_counts_once() -> None:
    ratings = Ratings.of([*ROWS, ROWS[0], ROWS[2], ROWS[0]])
    assert ratings.repeated == 3
    np.testing.assert_equal(rows(ratings), rows(Ratings.of(ROWS)))


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        (Judgement("i1", "a", "bob", "overall", 2.5), "two values, 4 and 2.5,"),
        (Judgement("i1", "a", "bob", "overall", None), "two values, 4 and none,"),
    ],
)
def test_two_values_of_one_rater_are_refused(other: Judgement, shown: str) -> None:
    with pytest.raises(BadInput) as caught:
        Ratings.of([*ROWS, other], source="ratings.jsonl")
    message = str(caught.value)
    assert message.startswith("ratings.jsonl, field 'value': found " + shown)
    assert "'bob' for 'overall' of item 'i1', system 'a'" in message


def test_an_infinite_value_is_refused() -> None:
    with pytest.raises(BadInput, match="found the value inf of rater 'ann'"):
        Ratings.of([Judgement("i", "a", "ann", "overall", math.inf)])


def test_merging_equals_reading_all_at_once() -> None:
    both = Ratings.merge([Ratings.of(ROWS[3:]), Ratings.of(ROWS[:3])])
    np.testing.assert_equal(rows(both), rows(Ratings.of([*ROWS[3:], *ROWS[:3]])))
    assert both.items == ("i1", "i2")
    assert both.systems == ("b", "a")


def test_merging_sees_repeats_and_contradictions_across_parts() -> None:
    assert Ratings.merge([Ratings.of(ROWS), Ratings.of([*ROWS[:2], ROWS[0]])]).repeated == 3
    with pytest.raises(BadInput, match="a and b, field 'value': found two values, 3 and 1,"):
        Ratings.merge(
            [Ratings.of(ROWS), Ratings.of([Judgement("i1", "a", "ann", "overall", 1.0)])], source="a and b"
        )


def test_filtering_drops_the_names_nobody_uses() -> None:
    ratings = Ratings.of(ROWS)
    ann = ratings.by(raters=["ann"], criteria=["overall"])
    assert (ann.items, ann.systems, ann.raters, ann.criteria) == (
        ("i1", "i2"),
        ("a",),
        ("ann",),
        ("overall",),
    )
    assert len(ratings.by(systems=["b"], items=["i2"])) == 1
    assert len(ratings.by(raters=[])) == 0


def test_an_unknown_criterion_suggests_the_close_one() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'overall'"):
        Ratings.of(ROWS).criterion_named("Overal")


def test_a_matrix_has_units_as_rows_and_raters_as_columns() -> None:
    ratings = Ratings.of(ROWS)
    nan = math.nan
    np.testing.assert_equal(ratings.matrix("overall"), [[3, 4, nan], [nan, nan, nan], [nan, nan, 5]])
    assert ratings.criterion_named("overall").units == (Unit("i1", "a"), Unit("i2", "a"), Unit("i2", "b"))


def test_packed_values_stand_at_the_left_whoever_gave_them() -> None:
    np.testing.assert_equal(Ratings.of(ROWS).packed("overall"), [[3, 4], [5, math.nan]])


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("xyz"), st.sampled_from("AB"), st.sampled_from("pqrs")),
        st.none() | st.integers(1, 5).map(float),
        max_size=24,
    ),
    st.randoms(use_true_random=False),
)
def test_order_and_parts_change_nothing(values: dict[tuple[str, str, str], float | None], random) -> None:
    judgements = [Judgement(*key, "c", value) for key, value in values.items()]
    whole = Ratings.of(judgements)
    random.shuffle(judgements)
    cut = random.randint(0, len(judgements))
    parts = Ratings.merge([Ratings.of(judgements[:cut]), Ratings.of(judgements[cut:])])
    assert {row[:4]: row[4] for row in rows(whole) if row[4] == row[4]} == {
        row[:4]: row[4] for row in rows(parts) if row[4] == row[4]
    }
    assert len(parts) == len(values)
    if values:
        table = parts.matrix("c")
        for (row, unit), (column, rater) in product(enumerate(parts.units), enumerate(parts.raters)):
            value = values.get((unit.item, unit.system, rater))
            assert table[row, column] == value or (value is None and math.isnan(table[row, column]))
        packed = parts.packed("c")
        assert sorted(packed[~np.isnan(packed)]) == sorted(v for v in values.values() if v is not None)


def test_positions_are_not_people() -> None:
    def of(*raters: str) -> Ratings:
        return Ratings.of(Judgement("i1", "a", rater, "overall", 1.0) for rater in raters)

    assert of("#1", "#2").anonymous
    assert of("ann", "#12").anonymous
    assert not of("ann", "#", "#0", "#1a", "a#1").anonymous


def test_what_is_nominal_stays_so_in_parts_and_together() -> None:
    ratings = replace(Ratings.of(ROWS), nominal=frozenset({"fluency"}))
    assert ratings.criterion_named("fluency").nominal == {"fluency"}
    assert ratings.criterion_named("overall").nominal == frozenset()
    assert Ratings.merge([ratings, Ratings.of(ROWS)]).nominal == {"fluency"}
    assert Ratings.merge([ratings, Ratings.of(ROWS)]).repeated == 5
    assert Ratings.of(ROWS).nominal == frozenset()


@pytest.mark.parametrize(
    ("repeats", "values", "raters", "dropped"),
    [
        ("first", [3, 1], ("ann", "ben"), 2),
        ("last", [5, 1], ("ann", "ben"), 2),
        ("mean", [11 / 3, 1], ("ann", "ben"), 2),
        ("separate", [3, 3, 5, 1], ("ann", "ann (2)", "ann (3)", "ben"), 0),
    ],
)
def test_judgements_of_one_rater_are_kept_as_told(repeats, values, raters, dropped):
    given = [("ann", 3.0), ("ann", 3.0), ("ann", 5.0), ("ben", 1.0)]
    judgements = [Judgement("i", "s", rater, "fluency", value) for rater, value in given]
    found = Ratings.of(judgements, repeats=repeats)
    assert (found.value.tolist(), found.raters) == (pytest.approx(values), raters)
    assert found.repeated == dropped
    with pytest.raises(BadInput, match="--repeats first, last, mean or separate"):
        Ratings.of(judgements)
