"""Questions on one context belong together, whatever their ids say."""

from __future__ import annotations

from dialeval.core import by_context
from dialeval.selection.asking.questions import sharing_a_context
from support.choosing_systems import question

ASKED = [
    question("d1", said="tea?"),
    question("d1/2", said="tea?"),
    question("d1/2/false_1", said="tea?"),
    question("e/1", said="coffee?"),
    question("e/2", said="cake?"),
    question("f", said="cake?"),
    question("g", said="rain?"),
]


def test_questions_of_one_context_or_one_dialogue_are_one_cluster():
    cluster = by_context((one.item, one.context) for one in ASKED)
    found = [cluster(one.item) for one in ASKED]
    assert len({*found[:3]}) == 1  # although d1/2/false_1 would be clustered under d1/2 by its id
    assert len({*found[3:6]}) == 1  # e/1 and e/2 by their ids, e/2 and f by their context
    assert len({*found}) == 3


def test_questions_that_repeat_a_context_are_counted():
    assert sharing_a_context(ASKED) == 3
    assert sharing_a_context(ASKED[-1:]) == 0
