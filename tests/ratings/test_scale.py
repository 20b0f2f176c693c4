"""Ratings in two classes, and the scale they are on."""

from __future__ import annotations

import numpy as np
import pytest

from dialeval.errors import BadInput, Unsuitable
from dialeval.ratings.scale import Cut, RatingScale, collapse
from support.rating_tables import table


@pytest.mark.parametrize(
    ("text", "classes"),
    [(">3", [0, 0, 1]), (">= 3", [0, 1, 1]), ("<3", [1, 0, 0]), (" <=3.0", [1, 1, 0]), ("=3", [0, 1, 0])],
)
def test_a_cut_parts_values_in_two(text, classes):
    cut = Cut.parse(text)
    assert cut.holds(np.array([2.0, 3.0, 4.0])).tolist() == classes
    assert Cut.parse(str(cut)) == cut


def test_no_value_stays_none():
    assert np.isnan(Cut(">", 0).holds(np.array([np.nan])))[0]
    ratings = collapse(table({"ana": [1, None, 5]}), Cut(">", 3))
    assert ratings.value.tolist() == pytest.approx([0, np.nan, 1], nan_ok=True)
    assert ratings.raters == ("ana",)


@pytest.mark.parametrize("text", ["3", ">", "> three", ">3>4", "", "!=3"])
def test_what_is_no_cut_is_refused_with_an_example(text):
    with pytest.raises(Unsuitable, match=r"Give a comparison .* and a number, as in '>3'"):
        Cut.parse(text)


@pytest.mark.parametrize("text", ["1-5", "1 to 5", "1..5", "1–5"])
def test_scales_are_written_in_several_ways(text):
    assert RatingScale.parse(text) == RatingScale(1, 5)


def test_scales_may_be_negative():
    assert RatingScale.parse("-2-2") == RatingScale(-2, 2)


@pytest.mark.parametrize("text", ["5", "5-1", "1-1", "a-b", ""])
def test_what_is_no_scale_is_refused(text):
    with pytest.raises(
        Unsuitable, match=r"is not a valid scale\. Give the lowest and the highest rating, as in '1-5'"
    ):
        RatingScale.parse(text)


def test_a_rating_outside_the_scale_is_named():
    RatingScale(1, 5).check(table({"ana": [1, 5, None]}), "x.csv")
    with pytest.raises(BadInput) as caught:
        RatingScale(1, 5).check(table({"ana": [1, 7], "ben": [0, 2]}), "x.csv")
    assert str(caught.value) == (
        "x.csv, field 'value': found 2 ratings outside the scale, first 7 of rater 'ana' for 'fluency' of item 'q2', "
        "system 'bot', expected 1 to 5. Fix them, or give the scale that was used."
    )
