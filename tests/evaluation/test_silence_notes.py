"""What is said of items without a value."""

from __future__ import annotations

from dataclasses import replace

from dialeval.catalogue import build_any
from dialeval.data.types import Example, Response
from dialeval.evaluation.runner import evaluate
from dialeval.evaluation.silence import unscored_note


def examples(*rows):
    return [Example(item, "s", (), Response(text), refs) for item, text, refs in rows]


def note(*rows):
    return unscored_note(evaluate(build_any("rouge_l"), examples(*rows)))


def test_no_note_where_every_item_has_a_value():
    assert note(("a", "yes", ("yes",))) is None


def test_a_single_reason_names_its_first_item():
    told = note(("a", "yes", ("yes",)), ("b", "yes", ()), ("c", "yes", ()))
    assert told == "2 of 3 unscored, first 'b': no references"


def test_every_reason_is_told_the_most_frequent_first():
    rows = examples(("a", "", ("yes",)), ("b", "yes", ()), ("c", "yes", ()))
    rows[0] = replace(rows[0], response=Response("", missing="refused", cause="failed"))
    told = unscored_note(evaluate(build_any("rouge_l"), rows))
    assert told == "3 of 3 unscored: no references (2, first 'b'); refused (1, first 'a')"
