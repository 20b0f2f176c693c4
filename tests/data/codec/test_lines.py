"""Canonical lines of many subjects at once."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dialeval.core import Missing
from dialeval.data import Dialogue, Example, Response, Turn, subject_line, subject_lines
from dialeval.errors import Unsuitable
from support.record_strategies import RECORDS

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8) | st.text(
    '"\\\n\r\t\x00\x01\x02\x7fé’😀', max_size=4
)
TURNS = st.builds(Turn, TEXTS, TEXTS)
PLAIN = st.builds(
    Example,
    TEXTS,
    TEXTS,
    st.lists(TURNS, max_size=2).map(tuple),
    st.builds(Response, TEXTS),
    st.tuples(TEXTS),
)


def line_by_line(subjects):
    return b"\n".join(map(subject_line, subjects))


@given(st.lists(PLAIN, max_size=6))
def test_plain_examples_have_the_lines_that_each_has_alone(examples):
    assert subject_lines(examples) == line_by_line(examples)


@given(st.lists(RECORDS["example"] | RECORDS["dialogue"], max_size=5))
def test_so_have_all_others(subjects):
    assert subject_lines(subjects) == line_by_line(subjects)


@pytest.mark.parametrize(
    "other",
    [
        Example("2", "s", (), Response("b"), ()),
        Example("2", "s", (), Response("b"), ("c", "d")),
        Example("2", "s", (), Response("b", -0.5), ("c",)),
        Example("2", "s", (), Response("", missing="no answer"), ("c",)),
        Example("2", "s", (Turn("user", "b", "Ann"),), Response("b"), ("c",)),
        Example("2", "s", (Turn("user", "", extra={"content": None}),), Response("b"), ("c",)),
        Missing("2", "s", "crashed"),
        Dialogue("2", (Turn("user", "b"),)),
    ],
)
def test_one_that_is_not_plain_changes_no_line(other):
    plain = Example("1", "s", (Turn("user", "a"),), Response('say "a"'), ("c",))
    assert subject_lines([plain, other, plain]) == line_by_line([plain, other, plain])


def test_half_a_character_is_refused_by_the_name_of_its_item():
    with pytest.raises(Unsuitable, match="'second' holds half of a character"):
        subject_lines(
            [Example("first", "s", (), Response("a")), Example("second", "s", (), Response("\ud800"))]
        )


def test_what_is_not_text_is_no_line():
    with pytest.raises(TypeError):
        subject_lines([Example("1", "s", (), Response(5))])  # type: ignore[arg-type]


def test_why_there_is_no_response_is_no_part_of_a_digest():
    assert subject_line(Missing("1", "s", "HTTP 500")) == (
        b'["Missing", {"item": "1", "reason": "HTTP 500", "system": "s"}]'
    )
    assert subject_line(Missing("1", "s", "HTTP 500", "failed")) == subject_line(
        Missing("1", "s", "HTTP 500")
    )
