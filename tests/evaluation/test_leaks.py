"""Responses that are their own references are pointed out; short and chance ones are not."""

from __future__ import annotations

import pytest

from dialeval.data.types import Example, Response
from dialeval.evaluation.leaks import leaks_of


def examples(
    responses: list[str | None], reference: str = "The {} train leaves from platform nine."
) -> list[Example]:
    return [
        Example(
            str(n),
            "logged",
            (),
            Response("", missing="null") if said is None else Response(said.format(n)),
            ("Something else entirely.", reference.format(n)),
        )
        for n, said in enumerate(responses)
    ]


COPY, OTHER = "the {} TRAIN  leaves, from platform nine!", "I cannot say when it leaves."


@pytest.mark.parametrize(
    ("responses", "found"),
    [
        ([COPY] * 46 + [OTHER] * 2, (46, 48)),
        ([COPY] * 5 + [OTHER] * 5, (5, 10)),
        ([COPY] * 5 + [None] * 40, (5, 5)),  # what was not answered is not looked at
        ([COPY] * 4, None),  # too few
        ([COPY] * 5 + [OTHER] * 6, None),  # less than half
        ([OTHER] * 20, None),
    ],
)
def test_copies_on_most_items_are_a_leak(responses, found):
    leaks = leaks_of(examples(responses))
    assert [(leak.copied, leak.items) for leak in leaks] == ([] if found is None else [found])


def test_a_leak_has_a_code_and_a_question():
    (leak,) = leaks_of(examples([COPY] * 46 + [OTHER] * 2))
    assert leak.code == "responses_equal_references"
    assert leak.sentence == "logged: 46 of 48 responses equal their reference: is the data its own log?"


def test_short_answers_are_equal_by_chance():
    given = [Example(str(n), "bot", (), Response("Yes."), ("yes",)) for n in range(40)]
    assert leaks_of(given) == ()


def test_what_is_meant_is_no_leak():
    assert leaks_of(examples([COPY] * 20), meant=["logged"]) == ()
