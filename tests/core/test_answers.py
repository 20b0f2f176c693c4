"""Answers of systems that give something else than tuples of responses."""

from __future__ import annotations

import pytest

from dialeval.core.answers import generate
from dialeval.data import Response
from dialeval.errors import Unsuitable


class Answers:
    name = "mine"

    def __init__(self, answers: object) -> None:
        self.answers = answers

    def generate(self, contexts, *, n=1, seed=0):
        return self.answers


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        (None, "NoneType"),
        ("hello", "str"),
        ([(Response("a"),)], "1 answers to 2 contexts"),
        (["a", "b"], "str for a context"),
        ([(Response("a"),), ("b",)], "str as a response"),
        ([(Response("a"),), None], "NoneType for a context"),
    ],
)
def test_answers_of_another_shape_are_named_with_what_is_expected(answers, found):
    with pytest.raises(Unsuitable, match="expected a list with a tuple of Responses") as refused:
        generate(Answers(answers), [(), ()])
    assert f"mine: generate gave {found};" in str(refused.value)


def test_lists_will_do_for_tuples():
    assert generate(Answers([[Response("a")], []]), [(), ()]) == [(Response("a"),), ()]
